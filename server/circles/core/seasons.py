"""Seasons of circles, and the times at which something is to happen. Pure.

A season has whole weeks, from Monday to Sunday (UTC), as leaderboards have. Times are Unix
milliseconds.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from server.base.core.days import DAY, SETTLED_MS, closes, day_at
from server.base.core.ids import ChallengeId, DealId
from server.circles.core.events import Every
from server.results.core.boards import days_of, week_of

MAX_WEEKS: Final = 26
"""The most weeks of a season."""

ROUND_SETTLED_MS: Final = 300_000
"""How long after a challenge's close its results count, in milliseconds: all are there by then."""


class Round(Struct, frozen=True):
    """A challenge of a league.

    Attributes:
        at: when it was made.
        closes: when it closes.
    """

    challenge: ChallengeId
    game: str
    deal: DealId
    at: int
    closes: int

    @property
    def settled(self) -> int:
        """When its results are where they belong."""
        return self.closes + ROUND_SETTLED_MS


class Season(Struct, frozen=True, omit_defaults=True):
    """A season.

    Attributes:
        number: 1 for the circle's first one.
        first: the number of its first week.
        weeks: how many weeks it has.
        drop: how many of the worst results of its league do not count.
        rounds: the challenges of its league; of the season that is running, see `Circle.rounds`.
    """

    number: int
    first: int
    weeks: int
    drop: int = 0
    rounds: tuple[Round, ...] = ()

    @property
    def days(self) -> range:
        """Its days."""
        return range(days_of(self.first).start, days_of(self.first + self.weeks).start)

    @property
    def ends(self) -> int:
        """When its last day ends."""
        return self.days.stop * DAY

    @property
    def settled(self) -> int:
        """When the results of its last day are where they belong."""
        return settled(self.days.stop - 1)


def settled(day: int) -> int:
    """Return when the results of a day are where they belong."""
    return closes(day) + SETTLED_MS


def last_settled(now: int) -> int:
    """Return the last day whose results are where they belong."""
    day = day_at(now)
    while settled(day) > now:
        day -= 1
    return day


def week_at(now: int) -> int:
    """Return the number of the week that contains a time."""
    return week_of(day_at(now))


def next_start(every: Every, now: int) -> int:
    """Return when the next day or week begins."""
    day = day_at(now) + 1 if every == "day" else days_of(week_at(now)).stop
    return day * DAY
