"""Which leaderboard: what it covers, whose results, and from when."""

from __future__ import annotations

from typing import Literal, NamedTuple

from server.core.daily import DailyId

Scope = Literal["day"]
"""What a leaderboard's period is: a UTC day, by its number from 1970-01-01."""


class BoardId(NamedTuple):
    """A leaderboard.

    Attributes:
        scope: what the period is.
        game: the game's id.
        period: the number of the period, such as a day's.
    """

    scope: Scope
    game: str
    period: int

    @property
    def name(self) -> str:
        """Its name in keys and topics; that of a day is the game and the day's number."""
        return f"{self.game}:{self.period}"


def of_daily(daily: DailyId) -> BoardId:
    """Return the leaderboard of a daily."""
    return BoardId("day", daily.game, daily.day)
