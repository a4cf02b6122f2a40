"""Watching the boards of a round, for viewers who do not play it or have finished."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.core.refusal import RefusalCode
from server.base.wire.messages import Command, Event, Result
from server.rooms.messages import RoomCommand
from server.watching.core.refusals import WatchRefusals

WatchKeyText = Annotated[str, Meta(max_length=64)]


class WatchRound(RoomCommand, tag=25, frozen=True):
    """Watch a room's rounds instead of any other room's, and subscribe the session to the room.

    It takes no seat. Refused as `not_invited` (also if there is no such room), `removed`,
    `still_racing` or `too_many_watchers`.

    Attributes:
        key: the room's watch key, or null; members do not need it.
    """

    key: WatchKeyText | None = None
    cost: ClassVar[float] = costs.CHANGE
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({WatchRefusals.not_invited})


class StopWatching(Command, tag=26, frozen=True):
    """Stop watching. Without a seat, it also ends the subscription to the room."""

    cost: ClassVar[float] = costs.LOOK


class GetWatchKey(RoomCommand, tag=31, frozen=True):
    """Request the key that lets anyone watch the room; host only.

    Refused as `unknown_room`, `not_host` or `no_host`.
    """

    cost: ClassVar[float] = costs.READ


class WatchKey(Event, tag=25, frozen=True):
    """A room's watch key.

    It is revoked when the host changes, when a member is removed, and when the room is locked.
    Watchers who used it then receive a `Watched` with the sight `ended`.

    Attributes:
        code: the room's code.
    """

    code: str
    key: str


class WatchedBoard(Struct, array_like=True, frozen=True):
    """A runner's board, as seen by the runner.

    Attributes:
        player: the runner's id.
        seq: the last journal entry shown; 0 if nothing is visible yet.
        piles: as in `Attempt`; empty if nothing is visible yet.
        redeals: how often the waste has been turned over.
        result: as of that entry.
        problem: the code of the error that prevents the server from reading the board, or null.
    """

    player: str
    seq: int
    piles: list[bytes]
    redeals: int
    result: Result
    problem: str | None = None


class Watched(Event, tag=17, frozen=True):
    """All boards of a room's latest round, sent again whenever they must be replaced.

    Attributes:
        code: the room's code.
        round: the round's number; 0 before the first one.
        sight: `live`, `delayed` by `delay`, `hidden` until a public round is over or while a
            challenge is played on its deal, or `ended` if the session no longer watches the room,
            for example because its player runs in the round.
        delay: milliseconds.
        game: of the round, like `variant`; null before the first one.
        rules: the digest of its rules.
        boards: one per runner of the round, in their order; empty if they are hidden.
        why: if the sight is `ended`, the code of the refusal that `WatchRound` would now get;
            `not_invited` means that the watch key is no longer valid.
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
    """A runner's move, as entry `seq`; ignore it if that entry is already known.

    Attributes:
        round: the round's number.
        board: the board's index in `Watched`.
        seq: the last journal entry it shows. Skipped entries are included.
        changes: as in `Moved`; for the first entry, they contain the whole board.
        redeals: how often the waste has been turned over.
        result: as of that entry.
    """

    round: int
    board: int
    seq: int
    changes: list[list[int]]
    redeals: int
    result: Result
