"""Curves of a daily: percentiles of cards home at fixed times since the start.

They are stored as counts: for each time, the number of runs with each number of cards home. A run
is added or removed by changing one count per time, independently of concurrent changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.notation import parse_move
from engine.ruleset import ROW, Ruleset
from server.play.core.attempt import UNDONE
from server.play.core.run import Run

# Times since the start in seconds, denser where most progress happens.
SECONDS: Final = (
    *range(0, 120, 15),
    *range(120, 600, 30),
    *range(600, 1_800, 150),
    *range(1_800, 3_601, 600),
)

END: Final = "end"  # the end of a run, used in place of a time
PERCENTILES: Final = (10, 50, 90)  # the percentiles shown: low, median and high


class Band(NamedTuple):
    """Percentiles of cards home at one time (see `PERCENTILES`)."""

    low: int
    median: int
    high: int


class DailyCurves(NamedTuple):
    """The curves of a daily."""

    runs: int
    bands: tuple[Band, ...]  # a band for each of `SECONDS`; empty without runs
    end: Band | None  # the band at the end of the runs; `None` without runs


def fields_of(run: Run, rules: Ruleset) -> tuple[str, ...]:
    """Return the counts that a run increments, each as `<second>:<cards home>`.

    A finished run keeps its cards. Games with automatic moves have no curves.
    """
    # Moves are not replayed: their piles show how many cards each brings home, but not for
    # automatic moves.
    if rules.automatic:
        return ()
    times, home = [-1], [rules.home_at_start]
    past: list[int] = []
    for text, time in run.moves:
        if text == UNDONE:
            now = past.pop()
        else:
            past.append(home[-1])
            move = parse_move(rules, text)
            came = move.target != ROW and move.target in rules.foundations
            left = move.source in rules.foundations
            now = home[-1] + move.count * came - move.count * left
        times.append(time)
        home.append(now)
    at = [home[bisect_right(times, second * 1000) - 1] for second in SECONDS]
    fields = [f"{s}:{h}" for s, h in zip(SECONDS, at, strict=True)]
    return (*fields, f"{END}:{home[-1]}")


def curves_of(counts: Mapping[str, int]) -> DailyCurves:
    """Return the curves for stored counts, ignoring malformed fields."""
    found: dict[str, dict[int, int]] = {}
    for field, count in counts.items():
        time, _, home = field.partition(":")
        if count > 0:
            found.setdefault(time, {})[int(home)] = count
    ends = found.get(END)
    if ends is None:
        return DailyCurves(0, (), None)
    bands = tuple(_band(found.get(str(second), ends)) for second in SECONDS)
    return DailyCurves(sum(ends.values()), bands, _band(ends))


def _band(counts: Mapping[int, int]) -> Band:
    """Return the percentiles of a histogram, by nearest rank."""
    numbers, total = sorted(counts), sum(counts.values())
    found = []
    for percent in PERCENTILES:
        # Round up, as the nearest-rank method requires.
        rank, below = -(-percent * total // 100), 0
        for number in numbers:
            below += counts[number]
            if below >= rank:
                break
        found.append(number)
    return Band(*found)
