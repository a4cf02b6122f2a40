"""Days and the schedule of dailies. A daily is one deal of a game for one UTC day.

A day is a number, counted from 1970-01-01. Times are Unix milliseconds, which have no leap seconds.

A daily's deals are drawn up to `DRAWN_AHEAD` days ahead. Nothing has to run at midnight UTC: from
then on, `day_at` returns the next day, and its deals are stored already. Attempts started before
midnight may continue until the day closes (`closes`), `GRACE_MS` later. They end then, and the
day's seeds become public. `SETTLED_MS` later, all its results have reached leaderboards and
histories.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, NamedTuple

DAY = 86_400_000  # length of a day in milliseconds

# How long after a day's end its running attempts may continue, in milliseconds.
GRACE_MS = 3_600_000

# How long after a day's close its results are final everywhere, in milliseconds. At the close, each
# node ends a hundred running attempts per second.
SETTLED_MS = 3_600_000

DRAWN_AHEAD = 14  # how many days ahead certified deals are drawn and their commitments published

# How many days ahead an uncertified deal is drawn if no certified one is available. It is at least
# one, since the commitment of tomorrow's deal is always published today.
UNCERTIFIED_AHEAD = 1

# Lead time, in milliseconds, when a certifying node draws a day's missing deals uncertified. Until
# then it tries to certify deals for the day itself.
FILLED_UNTIL_MS = 3_600_000

# For how many days after today a certifying node draws each game's deal before races get certified
# ones, and how many deals of a pool it then leaves to them when it draws later days' deals.
READY_AHEAD = 2
SPARED = 2

# A deal's difficulty among its game's certified deals: 1 easy, 2 medium, 3 hard.
Level = Literal[1, 2, 3]

# The difficulty for each day of the week, from Monday on.
LEVELS: tuple[Level, ...] = (1, 1, 2, 2, 2, 3, 3)

_THURSDAY = 3  # the day of the week of 1970-01-01, counted from Monday


class DailyId(NamedTuple):
    """A daily's identity. Its deal states its variant."""

    game: str
    day: int

    @property
    def name(self) -> str:
        """The daily's name in keys: the game and the day number."""
        return f"{self.game}:{self.day}"


def day_at(now: int) -> int:
    """Return the number of the day that contains a time."""
    return now // DAY


def ends(day: int) -> int:
    """Return the time of the day's end, when attempts at its deals can no longer start."""
    return (day + 1) * DAY


def closes(day: int) -> int:
    """Return the time when the day's last attempts end and its seeds are published."""
    return ends(day) + GRACE_MS


def date_text(day: int) -> str:
    """Return the day's date in ISO 8601, such as `2026-11-21`."""
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()


def level_of(day: int) -> Level:
    """Return the difficulty of a day's deals."""
    return LEVELS[(day + _THURSDAY) % 7]


def third(level: Level, size: int) -> range:
    """Return the indices of a level's deals in a list ordered by difficulty."""
    # The sizes of the thirds differ by at most one. One or two deals belong to several levels, so
    # that each level has one.
    first = (level - 1) * size // 3
    return range(first, max(first + 1, level * size // 3))
