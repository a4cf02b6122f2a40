"""Dailies: the deals of the day, and the player's one attempt at each of them."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from server.base.core import costs
from server.base.wire.messages import Certificate, Command, Event, GameId, Result


class ListDailies(Command, tag=10, frozen=True):
    """Ask for today's deals."""

    cost: ClassVar[float] = costs.READ


class OpenDaily(Command, tag=11, frozen=True):
    """Start the player's one ranked attempt at today's deal of a game, or return to it.

    In the hour after midnight UTC, an attempt at yesterday's deal that is still being played is
    returned to first. Refused as `unknown_game`, `no_daily`, `already_played` or `too_many_starts`.
    """

    game: GameId
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class Daily(Struct, array_like=True, frozen=True):
    """A game's deal of the day.

    Attributes:
        deal: its id.
        commitment: to the deal's seed, in hexadecimal.
        mine: the player's result, or null until the player starts.
        certificate: the proof about the deal; null if there is none.
        best: cards home of the best run that is over, if the deal has no certificate; null before
            there is one.
    """

    game: str
    variant: str
    deal: str
    commitment: str
    mine: Result | None
    certificate: Certificate | None = None
    best: int | None = None


class Dailies(Event, tag=11, frozen=True):
    """The deals of a day.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        date: the same as `YYYY-MM-DD`.
        ends: until when an attempt may be started, in Unix milliseconds.
        closes: until when it may be played, in Unix milliseconds.
        now: the server's time in Unix milliseconds.
        games: one for each game that is a daily then, in the order in which games are offered.
    """

    day: int
    date: str
    ends: int
    closes: int
    now: int
    games: list[Daily]
