"""Curves: how the runs at a daily went on, as cards home at fixed times since their starts. Pure.

They are kept as counts: for each of the times, how many runs had how many cards home. So a run is
added by adding one for each time, and taken away by the same, whatever else happens meanwhile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.notation import parse_move
from engine.ruleset import ROW, Ruleset
from server.play.core.attempt import UNDONE
from server.play.core.run import Run

SECONDS: Final = (
    *range(0, 120, 15),
    *range(120, 600, 30),
    *range(600, 1_800, 150),
    *range(1_800, 3_601, 600),
)
"""The times since the start, in seconds: closer together where most happens."""

END: Final = "end"
"""The end of a run, in the place of a time."""

PERCENTILES: Final = (10, 50, 90)
"""Which percentiles are shown: low, median and high."""


class Band(NamedTuple):
    """Cards home at one time: of the runs, so many percent had no more (see `PERCENTILES`)."""

    low: int
    median: int
    high: int


class DailyCurves(NamedTuple):
    """The curves of a daily.

    Attributes:
        runs: how many runs are counted.
        bands: one for each of `SECONDS`; empty without runs.
        end: that at the end of the runs; `None` without runs.
    """

    runs: int
    bands: tuple[Band, ...]
    end: Band | None


def fields_of(run: Run, rules: Ruleset) -> tuple[str, ...]:
    """Return the counts that a run adds one to, each as `<second>:<cards home>`.

    A run that is over keeps its cards. Nothing is played again: what a move brings home follows
    from its piles. Where runs leave the tableau by themselves it does not, and there are no curves.
    """
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
    return (*(f"{s}:{h}" for s, h in zip(SECONDS, at, strict=True)), f"{END}:{home[-1]}")


def curves_of(counts: Mapping[str, int]) -> DailyCurves:
    """Return the curves that counts make; what is not of this form is ignored."""
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
    """Return the percentiles of numbers, each of which there are so many of: by nearest rank."""
    numbers, total = sorted(counts), sum(counts.values())
    found = []
    for percent in PERCENTILES:
        rank, below = -(-percent * total // 100), 0
        for number in numbers:
            below += counts[number]
            if below >= rank:
                break
        found.append(number)
    return Band(*found)
