"""Curves of a daily: percentiles of cards home at fixed times since the start.

They are stored as counts: for each time, the number of runs with each number of cards home. A run
is added or removed by changing one count per time, independently of concurrent changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.board import Board
from engine.moves import brings_home
from engine.notation import parse_move
from engine.play import apply
from engine.ruleset import Ruleset
from server.play.core.attempt import UNDO_DEPTH, UNDONE
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


def fields_of(run: Run, homes: Sequence[int]) -> tuple[str, ...]:
    """Return the counts that a run increments, each as `<second>:<cards home>`.

    `homes` are the cards home at the start and after each move. A finished run keeps its cards.
    """
    times = [-1, *(time for _, time in run.moves)]
    at = [homes[bisect_right(times, second * 1000) - 1] for second in SECONDS]
    fields = [f"{s}:{h}" for s, h in zip(SECONDS, at, strict=True)]
    return (*fields, f"{END}:{homes[-1]}")


def homes_of(run: Run, rules: Ruleset) -> list[int]:
    """Return the cards home at the start and after each move of a run, from its moves alone.

    The rules must not be automatic: a move does not show which runs leave by themselves after it.
    """
    homes, past = [rules.home_at_start], list[int]()
    for text, _ in run.moves:
        if text == UNDONE:
            homes.append(past.pop())
            continue
        past.append(homes[-1])
        move = parse_move(rules, text)
        came = move.count * brings_home(rules, move)
        if came and move.target not in rules.foundations:
            came = 2  # a pair, as a move of one card onto the other
        homes.append(homes[-1] + came - move.count * (move.source in rules.foundations))
    if run.end == "won":
        homes[-1] = rules.total  # the last move may bring more cards home by itself
    return homes


def replayed_homes(run: Run, board: Board) -> Iterator[int]:
    """Yield the cards home at the start and after each move of a run, in 3 µs each.

    `board` is its deal's first. Moves are not validated.
    """
    past: deque[Board] = deque(maxlen=UNDO_DEPTH)
    yield board.home
    for text, _ in run.moves:
        if text == UNDONE:
            board = past.pop()
        else:
            past.append(board)
            board = apply(board, parse_move(board.ruleset, text))
        yield board.home


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
