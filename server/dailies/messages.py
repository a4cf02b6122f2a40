"""Messages of dailies: today's deals, and the player's only attempt at each."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct, field

from server.base.core import costs
from server.base.wire.messages import Certificate, Command, Event, GameId, Result


class ListDailies(Command, tag=10, frozen=True):
    """Request today's deals."""

    cost: ClassVar[float] = costs.READ


class OpenDaily(Command, tag=11, frozen=True):
    """Start the player's only attempt at today's deal of a game, or return to it.

    In the hour after midnight UTC, a running attempt at yesterday's deal takes precedence. Refused
    as `unknown_game`, `no_daily`, `already_played` or `too_many_starts`.
    """

    game: GameId
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class Daily(Struct, array_like=True, frozen=True):
    """A game's deal of the day.

    Attributes:
        deal: its id.
        commitment: to the deal's seed, in hexadecimal.
        mine: the player's result, or null before the player has started.
        certificate: the proof about the deal, or null.
        best: the cards home of the best finished run, if the deal has no certificate; null before
            there is one.
    """

    game: str
    variant: str
    deal: str
    commitment: str
    mine: Result | None
    certificate: Certificate | None = None
    best: int | None = None


class DailyCrown(Struct, array_like=True, frozen=True):
    """A crown of a day, earned by playing some of its games.

    Attributes:
        crown: its id; empty if it is the day's only crown.
        games: the ids of these games, in menu order.
    """

    crown: str
    games: list[str]


class Dailies(Event, tag=11, frozen=True):
    """The deals of a day.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        date: the same day, as `YYYY-MM-DD`.
        ends: the latest start of an attempt, in Unix milliseconds.
        closes: the latest end of an attempt, in Unix milliseconds.
        now: the server's time in Unix milliseconds.
        games: one for each game that is a daily on that day, in menu order.
        crowns: the day's crowns, in the order of their first games.
    """

    day: int
    date: str
    ends: int
    closes: int
    now: int
    games: list[Daily]
    crowns: list[DailyCrown] = field(default_factory=list)
