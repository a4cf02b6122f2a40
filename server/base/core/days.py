"""The daily: one deal of a game for one UTC day, and what happens when: ahead, at midnight, after.

A day is a number, counted from 1970-01-01. Times are Unix milliseconds, which have no leap seconds.

Its deals are drawn up to `DRAWN_AHEAD` days before. Nothing has to happen at midnight UTC: whoever
asks from then on is told by `day_at` of the next day, whose deals are stored already. Attempts that
were begun before may go on until their day `closes`, `GRACE_MS` later: then they end, and its seeds
are public. `SETTLED_MS` after that its results are where they belong.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, NamedTuple

DAY = 86_400_000
"""The length of a day, in milliseconds."""

GRACE_MS = 3_600_000
"""For how long after the day's end an attempt begun in it may go on, in milliseconds."""

SETTLED_MS = 3_600_000
"""How long after a day's close its results are where they belong, in milliseconds.

Each node ends a hundred of the attempts that go on at the close a second.
"""

DRAWN_AHEAD = 14
"""How many days ahead deals are drawn and their commitments published, if there are certified ones.
"""

UNCERTIFIED_AHEAD = 1
"""How many days ahead a deal is drawn without a certificate if there is none with one.

The commitment of tomorrow's deal is published today in any case.
"""

FILLED_UNTIL_MS = 3_600_000
"""How long before a day begins a node that certifies deals itself draws those that it has none for,
in milliseconds."""

Level = Literal[1, 2, 3]
"""How hard a deal is among the certified ones of its game: 1 easy, 2 medium, 3 hard."""

LEVELS: tuple[Level, ...] = (1, 1, 2, 2, 2, 3, 3)
"""How hard the deals of each day of the week are, from Monday on."""

_THURSDAY = 3
"""The day of the week of 1970-01-01, from Monday on."""


class DailyId(NamedTuple):
    """A daily. It has one deal, of the game's standard variant.

    Attributes:
        game: the game's id.
        day: the number of the UTC day.
    """

    game: str
    day: int

    @property
    def name(self) -> str:
        """Its name in keys: the game and the day's number."""
        return f"{self.game}:{self.day}"


def day_at(now: int) -> int:
    """Return the number of the day that contains a time."""
    return now // DAY


def ends(day: int) -> int:
    """Return the time at which the day ends: no attempt at its deals starts from then on."""
    return (day + 1) * DAY


def closes(day: int) -> int:
    """Return the time at which the day's last attempts end and its seeds are published."""
    return ends(day) + GRACE_MS


def date_text(day: int) -> str:
    """Return the day's date in ISO 8601, such as `2026-11-21`."""
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()


def level_of(day: int) -> Level:
    """Return how hard the deals of a day are to be."""
    return LEVELS[(day + _THURSDAY) % 7]


def third(level: Level, size: int) -> range:
    """Return the places of a level's deals among some that are ordered by difficulty.

    Three or more are cut in thirds, of which no two differ in size by more than one. Of fewer, each
    level has one all the same.

    Args:
        level: the level.
        size: how many deals there are, at least one.
    """
    first = (level - 1) * size // 3
    return range(first, max(first + 1, level * size // 3))
