"""Quick match: a public room for two strangers that starts automatically.

A quick match *waits* until its first round: for a second player, then for both to be online.
Without another player, the pace bot takes the second seat. From the first round on it is an
ordinary room without a host: the players requested the same terms. The pace bot gives up once all
other players of the round have finished. Times are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection

from engine.catalog import race_limit
from server.base.core.ids import PACE_BOT, PlayerId
from server.rooms.core.events import Event, SeatTaken
from server.rooms.core.room import Room

SEATS = 2  # the number of seats of a quick match
BOT_AFTER_MS = 20_000  # milliseconds until the pace bot takes a seat that is still free


def limit_ms(game: str) -> int:
    """Return the length of the rounds of a game's quick matches in milliseconds."""
    return race_limit(game) * 60_000


def waits(room: Room) -> bool:
    """Return whether a room is a quick match before its first round."""
    return room.opened.quick and room.public and room.round is None


def offered(room: Room, online: Collection[PlayerId]) -> bool:
    """Return whether a quick match is open to a second player: its only player is online."""
    players = [seat.player for seat in room.seats]
    return waits(room) and len(players) == 1 and players[0] in online and not room.locked


def bot_at(room: Room) -> int | None:
    """Return when the pace bot takes the second seat, or `None` if it does not."""
    if not waits(room) or len(room.seats) != 1 or PACE_BOT in room.removed or room.locked:
        return None
    return room.seats[0].since + BOT_AFTER_MS


def seat_bot(room: Room, now: int) -> Event | None:
    """Seat the pace bot in a quick match; `None` if that is not due."""
    at = bot_at(room)
    return SeatTaken(PACE_BOT, now) if at is not None and at <= now else None


def bot_stops(room: Room) -> bool:
    """Return whether only the pace bot has not finished the running round."""
    return room.running is not None and room.running.unfinished() == [PACE_BOT]


def starts(room: Room, online: Collection[PlayerId]) -> bool:
    """Return whether a quick match can start its first round: both players agree and are online."""
    return (
        waits(room)
        and len(room.seats) == SEATS
        and all(seat.ready and (seat.is_bot or seat.player in online) for seat in room.seats)
    )
