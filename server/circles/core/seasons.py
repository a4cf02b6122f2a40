"""Seasons of circles and the times of their scheduled work.

A season is a number of whole weeks from Monday to Sunday (UTC), as on leaderboards. Times are Unix
milliseconds.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from msgspec import Struct

from server.base.core.days import DAY, SETTLED_MS, closes, day_at
from server.base.core.ids import ChallengeId, DealId
from server.circles.core.events import Every
from server.circles.core.ids import CircleId
from server.results.core.boards import days_of, week_of

# Milliseconds after a challenge's close until its results count: by then all have arrived.
ROUND_SETTLED_MS: Final = 300_000

# Milliseconds over which circles spread their work after the start or close of a day. It is short
# enough for the results of a season's last league challenge to be final when the season is settled.
SPREAD_MS: Final = 1_800_000


class Round(Struct, frozen=True):
    """A challenge of a league."""

    challenge: ChallengeId
    game: str
    deal: DealId
    at: int
    closes: int

    @property
    def settled(self) -> int:
        """When its results are final."""
        return self.closes + ROUND_SETTLED_MS


class Season(Struct, frozen=True, omit_defaults=True):
    """A season."""

    number: int  # 1 for the circle's first season
    first: int
    weeks: int  # its length in weeks
    drop: int = 0  # the number of each member's worst league results that do not count
    # The league's challenges, once it is closed; until then see `Circle.rounds`.
    rounds: tuple[Round, ...] = ()

    @property
    def days(self) -> range:
        """The days of the season."""
        return range(days_of(self.first).start, days_of(self.first + self.weeks).start)

    @property
    def ends(self) -> int:
        """The end of the season's last day."""
        return self.days.stop * DAY

    @property
    def settled(self) -> int:
        """When the results of the season's last day are final."""
        return settled(self.days.stop - 1)


def settled(day: int) -> int:
    """Return when a day's results are final."""
    return closes(day) + SETTLED_MS


def last_settled(now: int) -> int:
    """Return the last day with final results."""
    day = day_at(now)
    while settled(day) > now:
        day -= 1
    return day


def week_at(now: int) -> int:
    """Return the number of the week that contains a time."""
    return week_of(day_at(now))


def next_start(every: Every, now: int, delay: int) -> int:
    """Return the start of a league's next day or week, which is `delay` after the UTC one."""
    before = now - delay
    day = day_at(before) + 1 if every == "day" else days_of(week_at(before)).stop
    return day * DAY + delay


def delay_of(circle: CircleId) -> int:
    """Return the delay of a circle's scheduled work in milliseconds."""
    # `hash` differs between processes, and all nodes must compute the same delay.
    digest = sha256(circle.encode()).digest()
    return int.from_bytes(digest[:4]) % SPREAD_MS
