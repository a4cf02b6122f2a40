"""Watching: the boards of a round's runners, for those who do not play it, or are done."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.wire.messages import Command, Event, Result
from server.rooms.messages import RoomCommand

WatchKeyText = Annotated[str, Meta(max_length=64)]


class WatchRound(RoomCommand, tag=25, frozen=True):
    """Watch a room's rounds instead of any other's, and subscribe the session to the room.

    It takes no seat. Refused as `not_invited`, also if there is no such room, `removed`,
    `still_racing` or `too_many_watchers`.

    Attributes:
        key: the room's watch key, which members need not have; null if there is none.
    """

    key: WatchKeyText | None = None
    cost: ClassVar[float] = costs.CHANGE
    misses: ClassVar[frozenset[str]] = frozenset({"not_invited"})


class StopWatching(Command, tag=26, frozen=True):
    """Watch no more; a player without a seat is not subscribed to the room any more either."""

    cost: ClassVar[float] = costs.LOOK


class GetWatchKey(RoomCommand, tag=31, frozen=True):
    """Ask for the key with which anybody may watch the room; only the host may.

    Refused as `unknown_room`, `not_host` or `no_host`.
    """

    cost: ClassVar[float] = costs.READ


class WatchKey(Event, tag=25, frozen=True):
    """A room's watch key.

    It ends when the host is another one, when a member is removed, and when the room is locked;
    whoever watches by it is then sent a `Watched` that says so.

    Attributes:
        code: the room's.
    """

    code: str
    key: str


class WatchedBoard(Struct, array_like=True, frozen=True):
    """A runner's board, as the runner sees it.

    Attributes:
        player: the runner's id.
        seq: the last journal entry that is shown; 0 if nothing is to be seen yet.
        piles: as in `Attempt`; none if nothing is to be seen yet.
        redeals: how often the waste has been turned over.
        result: as of that entry.
        problem: the code of what keeps the server from reading the board, or null.
    """

    player: str
    seq: int
    piles: list[bytes]
    redeals: int
    result: Result
    problem: str | None = None


class Watched(Event, tag=17, frozen=True):
    """The boards of a room's latest round; sent again when all of them are to be shown anew.

    Attributes:
        code: the room's.
        round: the round's number; 0 before the first one.
        sight: `live`, `delayed` by `delay`, or `hidden`: until a public round is over, or since a
            challenge is played on its deal; `ended` if the session watches the room no more, as
            when its player runs in the round.
        delay: milliseconds.
        game: of the round, like `variant`; null before the first one.
        rules: the digest of the rules that it is played by.
        boards: one for each runner of the round, in their order; none if they are hidden.
        why: if the sight is `ended`, the code that `WatchRound` would be refused with now: as
            `not_invited`, the watch key holds no more.
    """

    code: str
    round: int
    sight: Literal["live", "delayed", "hidden", "ended"]
    delay: int
    game: str | None
    variant: str | None
    rules: str | None
    boards: list[WatchedBoard]
    why: str | None = None


class WatchedMove(Event, tag=18, frozen=True):
    """The move of a runner, as entry `seq`; ignored by who has that entry already.

    Attributes:
        round: the round's number.
        board: the board's index in `Watched`.
        seq: the last journal entry that it shows. If it skips some, they are part of it.
        changes: as in `Moved`; those of the first entry make the whole board.
        redeals: how often the waste has been turned over.
        result: as of that entry.
    """

    round: int
    board: int
    seq: int
    changes: list[list[int]]
    redeals: int
    result: Result
