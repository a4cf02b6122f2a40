"""Absence of members from a room, and its consequences.

An absent host is replaced by a present member. An absent member loses the seat unless a round is
running. Times are milliseconds of any monotonic clock.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from server.base.core.ids import PlayerId
from server.rooms.core import quick_match
from server.rooms.core.room import Room, Seat

HOST_ABSENCE_MS = 20_000  # milliseconds until an absent host is replaced by a present member

# Milliseconds until an absent member loses the seat, while no round is running.
SEAT_ABSENCE_MS = 60_000

# The same for members who have done nothing but join, since they may be link-preview bots, and in a
# quick match before its first round, where another player is waiting.
QUICK_ABSENCE_MS = 5_000


@dataclass(frozen=True, slots=True)
class Absence:
    """The absent members of a room, as last observed."""

    since: dict[PlayerId, int]  # when each absent member was first observed away
    idle: int | None  # the start of the time without a running round; `None` during a round
    anchors: dict[PlayerId, int]  # the `anchor` of each absent member then

    def counts_from(self, player: PlayerId) -> int | None:
        """Return the start of the absence that may cost the seat; `None` during a round."""
        return None if self.idle is None else max(self.since[player], self.idle)


@dataclass(frozen=True, slots=True)
class Due:
    """The consequences of an absence that are due."""

    host: PlayerId | None  # the host to replace, or `None`
    seats: tuple[PlayerId, ...]  # the members who lose their seats
    later: int | None  # the earliest time of further consequences if nothing changes, or `None`


def observe(
    before: Absence | None, room: Room, online: Collection[PlayerId], now: int
) -> Absence | None:
    """Update the last observation of a room; `None` if no member is away, or nothing was known."""
    away = [seat for seat in room.seats if not seat.is_bot and seat.player not in online]
    if not away:
        return None
    anchors = {seat.player: anchor(room, seat) for seat in away}
    since = dict.fromkeys(anchors, now)
    if before is not None:
        since |= {p: at for p, at in before.since.items() if before.anchors[p] == anchors.get(p)}
    if room.running:
        return Absence(since, None, anchors)
    idle = before.idle if before is not None else None
    return Absence(since, now if idle is None else idle, anchors)


def anchor(room: Room, seat: Seat) -> int:
    """Return when a member took the seat, or when the last round started if that is later.

    Another anchor makes a new absence: a node that counts from before it may have missed a whole
    round, or that the seat was freed.
    """
    return max(seat.since, room.round.starts if room.round is not None else 0)


def max_absence_ms(room: Room, player: PlayerId) -> int:
    """Return how many milliseconds a member can be away and keep the seat."""
    is_short = quick_match.waits(room) or not room.has_acted(player)
    return QUICK_ABSENCE_MS if is_short else SEAT_ABSENCE_MS


def due(absence: Absence, room: Room, now: int) -> Due:
    """Return the consequences of a fresh observation of a room."""
    times = {
        player: start + max_absence_ms(room, player)
        for player in absence.since
        if (start := absence.counts_from(player)) is not None
    }
    host = None
    later = [time for time in times.values() if time > now]
    players = [seat.player for seat in room.seats if not seat.is_bot]
    # An absent host can only be replaced while another member is present.
    if room.host in absence.since and len(absence.since) < len(players):
        time = absence.since[room.host] + HOST_ABSENCE_MS
        if time <= now:
            host = room.host
        else:
            later.append(time)
    seats = tuple(player for player, time in times.items() if time <= now)
    return Due(host, seats, min(later, default=None))
