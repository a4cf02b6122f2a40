"""What an operator should look at in a run: what its moves and their times do not explain. Pure.

Nothing follows from it by itself. The times of moves to a foundation do not count, since a client
may send them for its player, nor do those of moves from the stock, which a key repeats that is held
down. A few short intervals are no reason: after a lost connection, a client sends moves in a burst.
"""

from __future__ import annotations

from hashlib import sha256
from statistics import fmean, pstdev
from typing import Final

from msgspec import Struct

from server.core.attempt import UNDONE
from server.core.ids import PlayerId
from server.core.run import Run

SHORT: Final = 120
"""Milliseconds in which nobody sees a board and moves a card on it."""

SHORT_SHARE: Final = 0.4
"""The share of short intervals from which they are no burst after a lost connection."""

MIN_INTERVALS: Final = 20
"""The fewest intervals that say something."""

REGULAR: Final = 0.12
"""The standard deviation, as a share of the mean, that the intervals of a person exceed by far."""

WINDOW, MOST_IN_WINDOW = 5_000, 35
"""Milliseconds, and the most moves that a person taps in them."""

WINDOWS: Final = 3
"""The fewest such windows, apart from each other, that are no burst after a lost connection."""

MIN_EQUAL: Final = 25
"""The fewest moves that two players do not make alike by chance."""

FASTER: Final = 10
"""How many times as fast as the median of the wins a win is suspicious."""

MIN_WINS: Final = 10
"""The fewest wins with a median that says something."""


class Reason(Struct, array_like=True, frozen=True):
    """Why a run is suspicious, as stored.

    Attributes:
        weight: how little else explains it, from 1 to 5.
        text: a sentence for the operator.
    """

    weight: int
    text: str


class Suspicion(Struct, frozen=True):
    """A suspicious run, as stored.

    Attributes:
        at: when it ended, in Unix milliseconds.
        day: the number of the day, if it is of a daily.
    """

    attempt: str
    player: PlayerId
    game: str
    day: int | None
    at: int
    reasons: tuple[Reason, ...]

    @property
    def weight(self) -> int:
        """The sum of the reasons' weights."""
        return sum(reason.weight for reason in self.reasons)


def reasons(run: Run, median_win: int | None, twin: PlayerId | None) -> tuple[Reason, ...]:
    """Return why a run is suspicious; empty if it is not.

    Args:
        run: the run.
        median_win: the median time of the wins at its daily in milliseconds; `None` if unknown.
        twin: another player with the same moves at the same daily, who was done before.
    """
    found = (_short(run), _regular(run), _dense(run), _fast(run, median_win), _equal(run, twin))
    return tuple(reason for reason in found if reason is not None)


def digest(run: Run) -> str | None:
    """Return a digest of a run's moves, 16 characters, or `None` if others make the same.

    Short runs may be alike by chance, and those that were played by hints are.
    """
    if run.hints or len(run.moves) < MIN_EQUAL:
        return None
    text = " ".join(move for move, _ in run.moves)
    return sha256(text.encode()).hexdigest()[:16]


def _intervals(run: Run) -> list[int]:
    """Return the milliseconds before each move that its player has chosen; see above."""
    times = [0, *(at for _, at in run.moves)]
    return [
        after - before
        for (move, after), before in zip(run.moves, times, strict=False)
        if _is_chosen(move)
    ]


def _is_chosen(move: str) -> bool:
    """Return whether a player decides on each such move."""
    source, _, target = move.partition(">")
    return move == UNDONE or not (source == "s" or target == "s" or target.startswith("f"))


def _short(run: Run) -> Reason | None:
    intervals = _intervals(run)
    short = sum(each < SHORT for each in intervals)
    if len(intervals) < MIN_INTERVALS or short < SHORT_SHARE * len(intervals):
        return None
    text = f"{short} of {len(intervals)} moves came within {SHORT} ms of the one before."
    return Reason(4, text)


def _regular(run: Run) -> Reason | None:
    intervals = _intervals(run)[1:]
    if len(intervals) < MIN_INTERVALS:
        return None
    mean = fmean(intervals)
    deviation = pstdev(intervals)
    if mean < SHORT or deviation > REGULAR * mean:
        return None
    text = f"The moves are {mean:.0f} ms apart, with a standard deviation of {deviation:.0f} ms."
    return Reason(5, text)


def _dense(run: Run) -> Reason | None:
    times = [at for move, at in run.moves if _is_chosen(move)]
    found = first = 0
    for place, at in enumerate(times):
        while at - times[first] >= WINDOW:
            first += 1
        if place - first >= MOST_IN_WINDOW:
            found += 1
            first = place
    if found < WINDOWS:
        return None
    text = f"More than {MOST_IN_WINDOW} moves were made within {WINDOW // 1000} s, {found} times."
    return Reason(3, text)


def _fast(run: Run, median_win: int | None) -> Reason | None:
    if run.end != "won" or median_win is None or run.ended * FASTER > median_win:
        return None
    text = f"It was won in {run.ended / 1000:.0f} s; the median is {median_win / 1000:.0f} s."
    return Reason(4, text)


def _equal(run: Run, twin: PlayerId | None) -> Reason | None:
    if twin is None:
        return None
    return Reason(5, f"All {len(run.moves)} moves are those that {twin} had made before.")
