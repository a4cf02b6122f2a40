"""Leaderboards of days, of weeks and of all time."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from server.base.wire import costs
from server.base.wire.messages import Command, Event, GameId, Player
from server.results.core.boards import Group, Scope


class WatchLeaderboard(Command, tag=12, frozen=True):
    """Ask for a leaderboard, and subscribe the session to its changes and to no other one's.

    Refused as `unknown_game`, `unknown_day` or `unknown_board`.

    Attributes:
        game: the game's id, or `all` for all games together.
        day: the number of the period, or null for the current one: a UTC day, counted from
            1970-01-01, or a week of `scope` `week`, of which number 1 began on 1970-01-05.
        group: null for the player's own, where there are two.
    """

    game: GameId
    day: Annotated[int, Meta(ge=0, le=10**6)] | None = None
    scope: Scope = "day"
    group: Group | None = None
    cost: ClassVar[float] = costs.OPEN


class UnwatchLeaderboard(Command, tag=13, frozen=True):
    """End the session's subscription to a leaderboard, if there is one."""

    cost: ClassVar[float] = costs.MOVE


class Entry(Struct, array_like=True, frozen=True):
    """A row of a leaderboard.

    Where results are compared, by `left`, then `time`, then `moves`, `value` is 0; where a number
    is, these three are.

    Attributes:
        rank: 1 for the best; equal scores share one.
        left: cards that are not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        value: the number: points, wins, races won or the rating.
    """

    rank: int
    player: Player
    left: int
    time: int
    moves: int
    value: int = 0


class Middle(Struct, array_like=True, frozen=True):
    """The score of the middle row of a leaderboard, the better one of two.

    Attributes:
        left: as in `Entry`, like `time`, `moves` and `value`.
    """

    left: int
    time: int
    moves: int
    value: int


class Leaderboard(Event, tag=12, frozen=True):
    """A leaderboard.

    Attributes:
        game: the game's id, or `all`.
        day: the number of the period, or 0 if it is of all time.
        size: how many rows it has.
        top: its first rows.
        around: the player's own row with its neighbours; empty if there is none.
        deal: the id of the day's deal once it is closed, so that its runs can be asked for; null
            before, and of leaderboards of no one deal. The attempt of a row is the deal's id, a
            dot, and the player's id.
        rivals: the rows of people whom the player has raced with, and the player's own, best first;
            empty if there are none. Their ranks are those at the last change of one of them.
        middle: the median; null if there are no rows.
    """

    game: str
    day: int
    size: int
    top: list[Entry]
    around: list[Entry]
    deal: str | None = None
    scope: Scope = "day"
    group: Group = "guests"
    rivals: list[Entry] = field(default_factory=list)
    middle: Middle | None = None


class LeaderboardChange(Event, tag=8, frozen=True):
    """The changes in the leaderboard that the session is subscribed to.

    Attributes:
        size: how many rows it has.
        top: its first rows, or null if they did not change.
        around: the player's own row with its neighbours, or null if they did not change.
        rivals: the rows of people whom the player has raced with, or null if they did not change.
        middle: the median, or null if it did not change, or there are no rows.
    """

    size: int
    top: list[Entry] | None
    around: list[Entry] | None
    rivals: list[Entry] | None = None
    middle: Middle | None = None
