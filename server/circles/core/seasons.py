"""Seasons of circles, and the times at which something is to happen. Pure.

A season has whole weeks, from Monday to Sunday (UTC), as leaderboards have. Times are Unix
milliseconds.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from msgspec import Struct

from server.base.core.days import DAY, SETTLED_MS, closes, day_at
from server.base.core.ids import ChallengeId, CircleId, DealId
from server.circles.core.events import Every
from server.results.core.boards import days_of, week_of

MAX_WEEKS: Final = 26
"""The most weeks of a season."""

ROUND_SETTLED_MS: Final = 300_000
"""How long after a challenge's close its results count, in milliseconds: all are there by then."""


SPREAD_MS: Final = 1_800_000
"""Milliseconds over which circles spread what all of them have to do when a day begins or closes:
what a league's last challenge of a season is worth is known when the season is settled."""


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


def next_start(every: Every, now: int, delay: int) -> int:
    """Return when the next day or week of a league begins: so long after that of leaderboards."""
    before = now - delay
    day = day_at(before) + 1 if every == "day" else days_of(week_at(before)).stop
    return day * DAY + delay


def delay_of(circle: CircleId) -> int:
    """Return how many milliseconds later a circle does what is due than it might."""
    digest = sha256(circle.encode()).digest()
    return int.from_bytes(digest[:4]) % SPREAD_MS
