"""Quick match: a public room for two who do not know each other, which starts by itself.

A quick match *waits* until its first round: for a second player, then for both to be online. If
nobody comes, the pace bot takes the second seat. From the first round on it is a room like others,
but that nobody runs it: two who do not know each other play what both have asked for. A round is
over with its last person: the pace bot then stops where it is.
Times are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection

from server.base.core.ids import PACE_BOT, PlayerId
from server.rooms.core.events import Event, SeatTaken
from server.rooms.core.room import Room

SEATS = 2
"""Seats of a quick match."""

LIMIT_MS = 900_000
"""The length of its rounds in milliseconds."""

BOT_AFTER_MS = 20_000
"""Milliseconds after which the pace bot takes the seat that nobody else has taken."""


def waits(room: Room) -> bool:
    """Return whether a room is a quick match before its first round."""
    return room.opened.quick and room.public and room.round is None


def offered(room: Room, online: Collection[PlayerId]) -> bool:
    """Return whether a quick match is offered to others: its one player is online."""
    players = [seat.player for seat in room.seats]
    return waits(room) and len(players) == 1 and players[0] in online and not room.locked


def bot_at(room: Room) -> int | None:
    """Return when the pace bot takes the second seat of a quick match; `None` if it does not."""
    if not waits(room) or len(room.seats) != 1 or PACE_BOT in room.removed or room.locked:
        return None
    return room.seats[0].since + BOT_AFTER_MS


def seat_bot(room: Room, now: int) -> Event | None:
    """Decide that the pace bot takes the second seat: `None` if it is not time for that."""
    at = bot_at(room)
    return SeatTaken(PACE_BOT, now) if at is not None and at <= now else None


def bot_stops(room: Room) -> bool:
    """Return whether the pace bot gives up its run: all others of the running round are done."""
    return room.running is not None and room.running.unfinished() == [PACE_BOT]


def starts(room: Room, online: Collection[PlayerId]) -> bool:
    """Return whether the first round of a quick match starts: both play, and are online."""
    return (
        waits(room)
        and len(room.seats) == SEATS
        and all(seat.ready and (seat.is_bot or seat.player in online) for seat in room.seats)
    )
