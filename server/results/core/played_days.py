"""Days on which a player played a game's dailies, as bit sets.

Histories grow every day, and player pages are public. The page's all-time figures are therefore
stored beside the results: ten years of days take 456 bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from server.results.core.history import DayResult

DaySet: TypeAlias = int  # a set of days: bit n is UTC day n, counted from 1970-01-01

Best: TypeAlias = tuple[int, int]  # the packed result of a counted day, and the day

DayBests: TypeAlias = dict[str, Best]
"""The best results by variant; the earliest among equal ones. It is never changed in place."""


def day_set(days: Iterable[int]) -> DaySet:
    """Return a set of days."""
    days = list(days)
    if not days:
        return 0
    first = min(days)
    found = bytearray((max(days) - first) // 8 + 1)
    for day in days:
        found[day - first >> 3] |= 1 << (day - first & 7)
    return int.from_bytes(found, "little") << first


def latest(days: DaySet, most: int) -> Iterator[int]:
    """Yield up to `most` days of a set, latest first."""
    last = days.bit_length() - 1
    found = (last - at for at, bit in enumerate(_text(days)) if bit == "1")
    yield from islice(found, most)


def _text(days: DaySet) -> str:
    """Return a string of `1` or `0` for each day, from the last day of a set to the first."""
    return f"{days >> _first(days):b}" if days else ""


def _first(days: DaySet) -> int:
    return (days & -days).bit_length() - 1


class Streak(NamedTuple):
    """The current and the longest number of consecutive days."""

    now: int
    best: int


def streak(days: DaySet, today: int, repaired: Collection[int] = ()) -> Streak:
    """Return the current streak, which ends today or yesterday, and the longest one.

    `repaired` are days lost to server faults, which neither count nor end a streak.
    """
    if not days:
        return Streak(0, 0)
    first, last = _first(days), days.bit_length() - 1
    text = bytearray(_text(days), "ascii")
    for day in repaired:
        if first < day < last and not days >> day & 1:
            text[last - day] = ord("r")
    # Repaired days connect runs without adding to their length.
    lengths = [run.count(b"1") for run in text.split(b"0")]
    alive = all(day in repaired for day in range(last + 1, today))
    return Streak(lengths[0] if alive else 0, max(lengths))


class PlayedDays(Struct, array_like=True, frozen=True):
    """The sums of a game's valid dailies, as stored."""

    home: int = 0
    bests: DayBests = {}  # the best results that count
    first: int = 0  # the first day, which is bit 0 of the sets
    # The days with a valid result, as a bit set in little-endian bytes; likewise the others.
    standing: bytes = b""
    counted: bytes = b""  # the days with a result that counts
    won: bytes = b""

    @property
    def days_standing(self) -> DaySet:
        """The days with a valid result."""
        return self._set(self.standing)

    @property
    def days_played(self) -> DaySet:
        """The days with a result that counts."""
        return self._set(self.counted)

    @property
    def days_won(self) -> DaySet:
        """The days with a daily won."""
        return self._set(self.won)

    def _set(self, of: bytes) -> DaySet:
        return int.from_bytes(of, "little") << self.first

    def with_day(self, day: int, result: DayResult) -> PlayedDays:
        """Return the sums plus a day's result, if it is valid."""
        if result.void:
            return self
        bit = 1 << day
        return _packed(
            self.home + result.home,
            self.bests | _best_of(day, result, self.bests),
            self.days_standing | bit,
            self.days_played | (bit if result.counts else 0),
            self.days_won | (bit if result.won else 0),
        )

    def is_best(self, day: int, result: DayResult) -> bool:
        """Return whether a day's valid result is the best one of its variant."""
        best = self.bests.get(result.variant)
        return best is not None and best[1] == day

    def without_day(self, day: int, result: DayResult, next_bests: DayBests) -> PlayedDays:
        """Return the sums minus a day's valid result.

        `next_bests` are the second-best results, of which one is used if this one is the best.
        """
        bests = self.bests
        if self.is_best(day, result):
            bests = {of: best for of, best in bests.items() if of != result.variant}
            if (next_best := next_bests.get(result.variant)) is not None:
                bests[result.variant] = next_best
        rest = (of & ~(1 << day) for of in (self.days_standing, self.days_played, self.days_won))
        return _packed(self.home - result.home, bests, *rest)


class Tally:
    """Sums of many results, added in any order."""

    def __init__(self) -> None:
        self._home = 0
        self._bests: DayBests = {}
        self.next_bests: DayBests = {}  # the second-best results
        self._standing: list[int] = []
        self._counted: list[int] = []
        self._won: list[int] = []

    def add(self, day: int, result: DayResult) -> None:
        """Add a day's result, if it is valid."""
        if result.void:
            return
        self._home += result.home
        before = self._bests.get(result.variant)
        if better := _best_of(day, result, self._bests):
            self._bests |= better
            if before is not None:
                self.next_bests[result.variant] = before
        else:
            self.next_bests |= _best_of(day, result, self.next_bests)
        self._standing.append(day)
        if result.counts:
            self._counted.append(day)
        if result.won:
            self._won.append(day)

    def sum(self) -> PlayedDays:
        """Return the sums."""
        return _packed(
            self._home, self._bests, *map(day_set, (self._standing, self._counted, self._won))
        )


def _best_of(day: int, result: DayResult, bests: DayBests) -> DayBests:
    """Return a result by its variant if it counts and is better than the best one, else nothing."""
    found, best = (result.packed, day), bests.get(result.variant)
    if not result.counts or (best is not None and best <= found):
        return {}
    return {result.variant: found}


def _packed(
    home: int, bests: DayBests, standing: DaySet, counted: DaySet, won: DaySet
) -> PlayedDays:
    if not standing:
        return PlayedDays()
    first = _first(standing)
    # Shifting by the first day keeps the stored bytes short.
    sets = (_bytes(of >> first) for of in (standing, counted, won))
    return PlayedDays(home, bests, first, *sets)


def _bytes(days: DaySet) -> bytes:
    return days.to_bytes(-(-days.bit_length() // 8), "little")
