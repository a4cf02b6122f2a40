"""Messages of the list of open rooms, and of quick matches."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from server.base.core import costs
from server.base.wire.messages import Command, Event, GameId, Player


class ListRooms(Command, tag=23, frozen=True):
    """Request the public rooms with a free seat and an online member."""

    cost: ClassVar[float] = costs.MOVE


class QuickMatch(Command, tag=24, frozen=True):
    """Find an opponent for a game: take a seat in a waiting player's room, or wait in a new one.

    The room has no host, and its terms are those of the request. If no other player joins, the pace
    bot does after 20 seconds. The session is subscribed to the room. The first round starts
    automatically once both players are online. To stop waiting, leave the room. Refused as
    `unknown_game` or `overloaded`.
    """

    game: GameId
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.MANY


class OpenRoom(Struct, array_like=True, frozen=True):
    """A public room with a free seat.

    Attributes:
        game: of the next round, like `variant`.
        limit: seconds for the next round.
        taken: the number of taken seats.
        seats: the number of all seats.
        host: the host; in a quick match, the longest-seated member.
        running: whether a round is running; players who join now play in the next one.
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
    """The answer to `ListRooms`.

    Attributes:
        rooms: at most 50, with at most five per network and one per host; rooms that wait for their
            next round come first. The list may be two seconds old, so a listed room may already be
            full.
    """

    rooms: list[OpenRoom]
