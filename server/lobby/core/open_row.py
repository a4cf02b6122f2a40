"""The list of open rooms: what it says of a room, in the form that is stored, and its order.

See `server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from msgspec import Struct

from server.base.core.ids import PlayerId, RoomCode
from server.rooms.core.room import Room

MAX_OPEN_ROOMS = 50
"""The most rooms that a list has."""

MAX_OF_NETWORK = 5
"""The most of them from one network, so that rooms of others are seen beside them; whoever has the
code of a room that is not listed joins it all the same."""


class OpenRow(Struct, frozen=True, omit_defaults=True):
    """A row of the list: what it says of a room.

    Attributes:
        limit: the length of a round in milliseconds.
        host: the member who runs it; of a quick match, the one who has been seated longest.
        network: a keyed hash of the network that the host is in (`server.players.address_hash`);
        empty if
            it is not known. Those of whom it is not known count as one.
    """

    code: RoomCode
    game: str
    variant: str
    limit: int
    taken: int
    seats: int
    host: PlayerId
    running: bool = False
    network: str = ""


def row_of(room: Room, online: Collection[PlayerId]) -> OpenRow | None:
    """Return what the list says of a room: `None` if nobody may join, or no member is online."""
    if not room.joinable or not any(seat.player in online for seat in room.seats):
        return None
    first = next(seat.player for seat in room.seats if not seat.is_bot)
    terms, opened = room.terms, room.opened
    return OpenRow(
        opened.code,
        terms.game,
        terms.variant,
        terms.limit,
        len(room.seats),
        opened.seats,
        room.host or first,
        room.running is not None,
    )


def listed(rows: Iterable[OpenRow]) -> list[OpenRow]:
    """Return the list: rooms that wait for a round first, those with the fewest free seats before.

    Rooms that are alike stay in their order. A host has one room in it, a network at most
    `MAX_OF_NETWORK`; and if that is too many, no network has another one before all have their
    first.
    """
    hosts = set[PlayerId]()
    of_network = Counter[str]()
    turns = list[tuple[int, OpenRow]]()
    for row in sorted(rows, key=_preference):
        if row.host not in hosts and of_network[row.network] < MAX_OF_NETWORK:
            hosts.add(row.host)
            of_network[row.network] += 1
            turns.append((of_network[row.network], row))
    turns.sort(key=lambda turn: turn[0])
    return sorted((row for _, row in turns[:MAX_OPEN_ROOMS]), key=_preference)


def _preference(row: OpenRow) -> tuple[bool, int]:
    return row.running, row.seats - row.taken
