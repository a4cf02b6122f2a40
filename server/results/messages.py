"""Messages about leaderboards: daily, weekly and all-time."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from server.base.core import costs
from server.base.wire.messages import Command, Event, GameId, Player, VariantId
from server.results.core.boards import Group, Scope


class WatchLeaderboard(Command, tag=12, frozen=True):
    """Request a leaderboard, and subscribe the session to its changes in place of any other's.

    Refused as `unknown_game`, `unknown_day` or `unknown_board`.

    Attributes:
        game: the game's id, or `all` for all games together.
        day: the number of the period, or null for the current one: a UTC day, counted from
            1970-01-01, or for `scope` `week` a week, where number 1 started on 1970-01-05.
        group: null for the player's own group, if the board has two.
        variant: the variant whose best runs are compared, if `scope` is `best`; null for that of
            the game's dailies.
    """

    game: GameId
    day: Annotated[int, Meta(ge=0, le=10**6)] | None = None
    scope: Scope = "day"
    group: Group | None = None
    variant: VariantId | None = None
    cost: ClassVar[float] = costs.OPEN


class UnwatchLeaderboard(Command, tag=13, frozen=True):
    """End the session's subscription to a leaderboard, if any."""

    cost: ClassVar[float] = costs.MOVE


class Entry(Struct, array_like=True, frozen=True):
    """A row of a leaderboard.

    Boards of results compare `left`, then `time`, then `moves`, and `value` is 0. Other boards
    compare `value`, and the other three are 0.

    Attributes:
        rank: 1 for the best; equal scores share a rank.
        left: the number of cards not on the foundations.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: the number of moves.
        value: points, wins, races won or the rating.
    """

    rank: int
    player: Player
    left: int
    time: int
    moves: int
    value: int = 0


class Middle(Struct, array_like=True, frozen=True):
    """The score of a leaderboard's middle row, or the better of the two.

    Attributes:
        left: as in `Entry`; likewise `time`, `moves` and `value`.
    """

    left: int
    time: int
    moves: int
    value: int


class Leaderboard(Event, tag=12, frozen=True):
    """A leaderboard.

    Attributes:
        game: the game's id, or `all`.
        day: the number of the period, or 0 for all time.
        size: the number of rows.
        top: the first rows.
        around: the player's own row with its neighbours; empty without a result.
        deal: the id of the day's deal once it is closed, for requesting runs; null before, and on
            boards not tied to a single deal. A row's attempt id is the deal's id, a dot, and the
            player's id.
        rivals: the rows of the player and their opponents in races, best first; empty without
            opponents. Their ranks date from the last change of one of these rows.
        middle: the median; null without rows.
        variant: the variant whose best runs are compared, or null.
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
    variant: str | None = None


class LeaderboardChange(Event, tag=8, frozen=True):
    """Changes to the subscribed leaderboard.

    Attributes:
        size: the number of rows.
        top: the first rows, or null if unchanged.
        around: the player's own row with its neighbours, or null if unchanged.
        rivals: the rows of the player and their opponents in races, or null if unchanged.
        middle: the median, or null if unchanged or without rows.
    """

    size: int
    top: list[Entry] | None
    around: list[Entry] | None
    rivals: list[Entry] | None = None
    middle: Middle | None = None
