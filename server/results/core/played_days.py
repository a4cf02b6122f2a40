"""The days on which a player has played the dailies of a game, as sets of bits. Pure.

A history grows with every day, and anybody may look at a player's page. So what the page says of
all days is kept beside the results: ten years of days are 456 bytes, and how many they are, and
how many follow one another, is counted without reading a result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from server.results.core.history import DayResult

DaySet: TypeAlias = int
"""A set of days: bit n is the UTC day n, counted from 1970-01-01."""


Best: TypeAlias = tuple[int, int]
"""The packed result of a day that counts, and the day."""


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
    """Yield the latest days of a set, the latest first, up to a number of them."""
    last = days.bit_length() - 1
    found = (last - at for at, bit in enumerate(_text(days)) if bit == "1")
    yield from islice(found, most)


def _text(days: DaySet) -> str:
    """Return a character for each day from the last one of a set to the first one: 1 or 0."""
    return f"{days >> _first(days):b}" if days else ""


def _first(days: DaySet) -> int:
    return (days & -days).bit_length() - 1


class Streak(NamedTuple):
    """Days in a row: up to now, and the most there have been."""

    now: int
    best: int


def streak(days: DaySet, today: int, repaired: Collection[int] = ()) -> Streak:
    """Return how many of these days follow each other, up to today or yesterday and at best.

    Args:
        days: the days.
        today: today's; not to have played yet ends no streak.
        repaired: days lost by a fault of the server's: they count for nothing, and end no streak.
    """
    if not days:
        return Streak(0, 0)
    first, last = _first(days), days.bit_length() - 1
    text = bytearray(_text(days), "ascii")
    for day in repaired:
        if first < day < last and not days >> day & 1:
            text[last - day] = ord("r")
    lengths = [run.count(b"1") for run in text.split(b"0")]
    alive = all(day in repaired for day in range(last + 1, today))
    return Streak(lengths[0] if alive else 0, max(lengths))


class PlayedDays(Struct, array_like=True, frozen=True):
    """Sums of all results of a game's dailies that stand, as stored.

    Attributes:
        home: cards home in them.
        best: the best packed result of those that count, or `None`.
        best_day: its day; of equal ones, the earliest.
        first: the first day of any, which is bit 0 of the sets.
        standing: the days with a result, as a set in little-endian bytes; so are the others.
        counted: those on which it counts.
        won: those on which it is a win.
    """

    home: int = 0
    best: int | None = None
    best_day: int | None = None
    first: int = 0
    standing: bytes = b""
    counted: bytes = b""
    won: bytes = b""

    @property
    def days_standing(self) -> DaySet:
        """The days with a result."""
        return self._set(self.standing)

    @property
    def days_played(self) -> DaySet:
        """The days on which a result counts."""
        return self._set(self.counted)

    @property
    def days_won(self) -> DaySet:
        """The days on which the daily was won."""
        return self._set(self.won)

    def _set(self, of: bytes) -> DaySet:
        return int.from_bytes(of, "little") << self.first

    def with_day(self, day: int, result: DayResult) -> PlayedDays:
        """Return them with the result of one more day, if it stands."""
        if result.void:
            return self
        bit, best = 1 << day, _better(self._best, day, result)
        return _packed(
            self.home + result.home,
            best,
            self.days_standing | bit,
            self.days_played | (bit if result.counts else 0),
            self.days_won | (bit if result.won else 0),
        )

    def without_day(self, day: int, result: DayResult, next_best: Best | None) -> PlayedDays:
        """Return them without the result of a day that stands.

        Args:
            day: the day.
            result: its result.
            next_best: the best one but this, if this is the best.
        """
        best = next_best if day == self.best_day else self._best
        rest = (of & ~(1 << day) for of in (self.days_standing, self.days_played, self.days_won))
        return _packed(self.home - result.home, best, *rest)

    @property
    def _best(self) -> Best | None:
        if self.best is None or self.best_day is None:
            return None
        return self.best, self.best_day


class Tally:
    """Adds up many results, in any order.

    Attributes:
        next_best: the best one but one.
    """

    def __init__(self) -> None:
        self._home = 0
        self._best: Best | None = None
        self.next_best: Best | None = None
        self._standing: list[int] = []
        self._counted: list[int] = []
        self._won: list[int] = []

    def add(self, day: int, result: DayResult) -> None:
        """Add the result of a day, if it stands."""
        if result.void:
            return
        self._home += result.home
        best = _better(self._best, day, result)
        if best is self._best:
            self.next_best = _better(self.next_best, day, result)
        else:
            self._best, self.next_best = best, self._best
        self._standing.append(day)
        if result.counts:
            self._counted.append(day)
        if result.won:
            self._won.append(day)

    def sum(self) -> PlayedDays:
        """Return what has been added up."""
        return _packed(
            self._home, self._best, *map(day_set, (self._standing, self._counted, self._won))
        )


def _better(best: Best | None, day: int, result: DayResult) -> Best | None:
    """Return the better one of the best packed result with its day, and of another result."""
    if not result.counts:
        return best
    found = result.packed, day
    return found if best is None else min(best, found)


def _packed(
    home: int, best: Best | None, standing: DaySet, counted: DaySet, won: DaySet
) -> PlayedDays:
    """Return sums as they are stored."""
    if not standing:
        return PlayedDays()
    first = _first(standing)
    packed, day = best or (None, None)
    sets = (_bytes(of >> first) for of in (standing, counted, won))
    return PlayedDays(home, packed, day, first, *sets)


def _bytes(days: DaySet) -> bytes:
    return days.to_bytes(-(-days.bit_length() // 8), "little")
