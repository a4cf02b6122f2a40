"""Absence: for how long members of a room have been away, and what follows from it.

A host who is away is followed by a member who is present. A member who is away loses the seat, but
not while a round is run. Times are milliseconds of any clock that is never set back.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from server.base.core.ids import PlayerId
from server.rooms.core import quick_match
from server.rooms.core.room import Room

HOST_ABSENCE_MS = 20_000
"""Milliseconds after which a host who is away is followed by a member who is present."""

SEAT_ABSENCE_MS = 60_000
"""Milliseconds after which a member who is away loses the seat, while no round is run."""


QUICK_ABSENCE_MS = 5_000
"""The same in a quick match before its first round, where somebody else waits for a player, and of
a member who has done nothing but come: that may be a program which looks at links."""


@dataclass(frozen=True, slots=True)
class Absence:
    """The members who are away from a room, as far as it was observed.

    Attributes:
        since: since when each member who is away has been.
        idle: since when no round is run; `None` while one is.
    """

    since: dict[PlayerId, int]
    idle: int | None


@dataclass(frozen=True, slots=True)
class Due:
    """The consequences of an absence by now.

    Attributes:
        host: the host who is to be followed by somebody else, or `None`.
        seats: the members who are to lose their seats.
        later: when more may follow if nothing changes; `None` if never.
    """

    host: PlayerId | None
    seats: tuple[PlayerId, ...]
    later: int | None


def observe(
    before: Absence | None, room: Room, online: Collection[PlayerId], now: int
) -> Absence | None:
    """Return the absence from a room as it is now; `None` if no member is away.

    Args:
        before: what was observed last; `None` if nobody was away, or nothing was known.
        room: the room.
        online: the players who are online in it.
        now: the time.
    """
    known = before.since if before is not None else {}
    players = (seat.player for seat in room.seats if not seat.is_bot)
    since = {player: known.get(player, now) for player in players if player not in online}
    if not since:
        return None
    if room.running:
        return Absence(since, None)
    idle = before.idle if before is not None else None
    return Absence(since, now if idle is None else idle)


def longest_of(room: Room, player: PlayerId) -> int:
    """Return for how many milliseconds a member may be away and keep the seat."""
    is_short = quick_match.waits(room) or not room.has_acted(player)
    return QUICK_ABSENCE_MS if is_short else SEAT_ABSENCE_MS


def due(absence: Absence, room: Room, now: int) -> Due:
    """Return what follows from an absence that was just observed in a room."""
    times: dict[PlayerId, int] = {}
    if absence.idle is not None:
        times = {
            player: max(since, absence.idle) + longest_of(room, player)
            for player, since in absence.since.items()
        }
    host = None
    later = [time for time in times.values() if time > now]
    players = [seat.player for seat in room.seats if not seat.is_bot]
    if room.host in absence.since and len(absence.since) < len(players):
        time = absence.since[room.host] + HOST_ABSENCE_MS
        if time <= now:
            host = room.host
        else:
            later.append(time)
    seats = tuple(player for player, time in times.items() if time <= now)
    return Due(host, seats, min(later, default=None))
