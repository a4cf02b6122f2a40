"""The leaderboards of dailies."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from server.gateway.messages.shared import Command, Event, GameId, Player


class WatchLeaderboard(Command, tag=12, frozen=True):
    """Ask for a leaderboard, and subscribe the session to its changes and to no other one's.

    Refused as `unknown_game`, `unknown_day` or `unknown_board`.

    Attributes:
        day: the UTC day, counted from 1970-01-01, or null for today.
    """

    game: GameId
    day: Annotated[int, Meta(ge=0, le=10**6)] | None = None


class UnwatchLeaderboard(Command, tag=13, frozen=True):
    """End the session's subscription to a leaderboard, if there is one."""


class Entry(Struct, array_like=True, frozen=True):
    """A row of a leaderboard.

    Attributes:
        rank: 1 for the best; equal results share one.
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
    """

    rank: int
    player: Player
    left: int
    time: int
    moves: int


class Leaderboard(Event, tag=12, frozen=True):
    """A day's leaderboard.

    Attributes:
        day: the UTC day, counted from 1970-01-01.
        size: how many rows it has.
        top: its first rows.
        around: the player's own row with its neighbours; empty if there is none.
        deal: the id of the day's deal once it is closed, so that its runs can be asked for; null
            before. The attempt of a row is the deal's id, a dot, and the player's id.
    """

    game: str
    day: int
    size: int
    top: list[Entry]
    around: list[Entry]
    deal: str | None = None


class LeaderboardChange(Event, tag=8, frozen=True):
    """What changed in the leaderboard that the session is subscribed to.

    Attributes:
        size: how many rows it has.
        top: its first rows, or null if they did not change.
        around: the player's own row with its neighbours, or null if they did not change.
    """

    size: int
    top: list[Entry] | None
    around: list[Entry] | None
