"""How strangers meet: the list of open rooms, and quick matches."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from server.base.core import costs
from server.base.wire.messages import Command, Event, GameId, Player


class ListRooms(Command, tag=23, frozen=True):
    """Ask for the public rooms that have a free seat, and somebody in them."""

    cost: ClassVar[float] = costs.MOVE


class QuickMatch(Command, tag=24, frozen=True):
    """Look for somebody to race at a game: take a seat in the room in which somebody waits.

    Nobody runs that room: it has no host, and is played by the terms that were asked for.
    If nobody waits, a room is opened for others to come to; after 20 seconds the pace bot does. The
    session is subscribed to the room. The first round starts by itself once both are here. To stop
    waiting, leave the room. Refused as `unknown_game` or `overloaded`.
    """

    game: GameId
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.MANY


class OpenRoom(Struct, array_like=True, frozen=True):
    """A public room with a free seat.

    Attributes:
        game: of the next round, like `variant`.
        limit: seconds for the next round.
        taken: seats that are taken.
        seats: how many players it has room for.
        host: the member who runs it; of a quick match, the one who has been there longest.
        running: whether a round is being played: who joins now plays in the next one.
    """

    code: str
    game: str
    variant: str
    limit: int
    taken: int
    seats: int
    host: Player
    running: bool


class Rooms(Event, tag=24, frozen=True):
    """Answers `ListRooms`.

    Attributes:
        rooms: at most 50, of which a network has five and a host one; those that wait for their
            next round come first. The list may be two seconds old, so that a room may be full by
            the time that somebody joins it.
    """

    rooms: list[OpenRoom]
