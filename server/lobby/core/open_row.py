"""The rows of the list of open rooms, in their stored form, and their order.

See `server/STORED.md` for how forms can change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from msgspec import Struct

from server.base.core.ids import PlayerId, RoomCode
from server.rooms.core.room import Room

MAX_OPEN_ROOMS = 50  # in the list

# Listed rooms per network, so that others stay visible. Unlisted rooms can still be joined by their
# code.
MAX_OF_NETWORK = 5


class OpenRow(Struct, frozen=True, omit_defaults=True):
    """A room's row in the list."""

    code: RoomCode
    game: str
    variant: str
    limit: int  # the length of a round in milliseconds
    taken: int
    seats: int
    host: PlayerId  # the host; in a quick match, the longest-seated member
    running: bool = False
    # A keyed hash of the host's network (`server.players.address_hash`); empty if unknown. Unknown
    # networks count as one.
    network: str = ""


def row_of(room: Room, online: Collection[PlayerId]) -> OpenRow | None:
    """Return a room's row: `None` if strangers cannot join, or no member is online."""
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
    """Return the list: rooms waiting for a round first, then those with the fewest free seats.

    Equal rooms stay in their order. A host gets one row, and a network at most `MAX_OF_NETWORK`.
    """
    hosts = set[PlayerId]()
    of_network = Counter[str]()
    turns = list[tuple[int, OpenRow]]()
    for row in sorted(rows, key=_preference):
        if row.host not in hosts and of_network[row.network] < MAX_OF_NETWORK:
            hosts.add(row.host)
            of_network[row.network] += 1
            turns.append((of_network[row.network], row))
    # Beyond the maximum, every network gets a first row before any gets a second. .
    turns.sort(key=lambda turn: turn[0])
    return sorted((row for _, row in turns[:MAX_OPEN_ROOMS]), key=_preference)


def _preference(row: OpenRow) -> tuple[bool, int]:
    return row.running, row.seats - row.taken
