"""The list of open rooms: what it says of a room, in the form that is stored, and its order.

See `server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from server.core.ids import PlayerId, RoomCode
from server.core.race import Room

MAX_OPEN_ROOMS = 50
"""The most rooms that a list has."""


class OpenRow(Struct, frozen=True, omit_defaults=True):
    """What the list says of a room; `limit` is the length of a round in milliseconds."""

    code: RoomCode
    game: str
    variant: str
    limit: int
    taken: int
    seats: int
    host: PlayerId
    running: bool = False


def row_of(room: Room, online: Collection[PlayerId]) -> OpenRow | None:
    """Return what the list says of a room: `None` if nobody may join, or no member is online."""
    if not room.joinable or not any(seat.player in online for seat in room.seats):
        return None
    terms, opened = room.terms, room.opened
    return OpenRow(
        opened.code,
        terms.game,
        terms.variant,
        terms.limit,
        len(room.seats),
        opened.seats,
        room.host,
        room.running is not None,
    )


def listed(rows: Iterable[OpenRow]) -> list[OpenRow]:
    """Return the list: rooms that wait for a round first, those with the fewest free seats before.

    Rooms that are alike stay in their order.
    """
    ordered = sorted(rows, key=lambda row: (row.running, row.seats - row.taken))
    return ordered[:MAX_OPEN_ROOMS]
