"""Replacement of absent hosts, and removal of absent members.

Every node that follows a room counts from when it learned of an absence. Several nodes may make the
same decision; the journal gets its entry only once.

While all members are present, a room's change costs one pass over its seats. While a member is
absent, a followed room has one timer, and a due decision costs one read of the room's presence and
one append.
"""

from __future__ import annotations

import asyncio

import structlog

from server.base.core.ids import RoomCode
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.rooms.core import commands
from server.rooms.core.absence import Absence, due, observe
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms

CONCURRENCY = 32
"""Rooms decided concurrently: the death of a node leaves many hosts absent."""

PAUSE = 0.01
"""Seconds that each worker pauses between two rooms."""

RETRY_AFTER_MS = 1_000
"""Milliseconds before a failed decision is retried."""

log = structlog.get_logger()


class Absences:
    """The absences from the rooms that this node follows."""

    def __init__(self, rooms: Rooms, live: LiveRooms, background: Background) -> None:
        self._rooms = rooms
        self._live = live
        self._absences: dict[RoomCode, Absence] = {}
        self._due: WorkerPool[RoomCode] = WorkerPool(
            background, "absences", self._decide, size=CONCURRENCY, pause=PAUSE
        )
        live.changed.subscribe(self._changed)

    @property
    def size(self) -> int:
        """The number of rooms with absent members."""
        return len(self._absences)

    def _changed(self, code: RoomCode) -> None:
        """Observe the absences from a room that may have changed."""
        known = self._live.present(code)
        if known is None:
            self._drop(code)
            return
        room, online = known
        now = _now()
        absence = observe(self._absences.get(code), room, online, now)
        if absence is None:
            self._drop(code)
            return
        self._absences[code] = absence
        found = due(absence, room, now)
        self._decide_at(code, now if found.host or found.seats else found.later)

    def _decide_at(self, code: RoomCode, time: int | None) -> None:
        """Schedule a room's decision at a time; `None` cancels it."""
        self._due.schedule(code, None if time is None else (time - _now()) / 1000)

    def _drop(self, code: RoomCode) -> None:
        if self._absences.pop(code, None) is not None:
            self._decide_at(code, None)

    async def _decide(self, code: RoomCode) -> None:
        """Carry out a room's due decisions, and schedule the next one."""
        try:
            # Presence messages may be late, for example if this node was suspended, so read the
            # store.
            stored = await self._live.load_online(code)
        except UnavailableError:
            stored = None
        known, absence = self._live.present(code), self._absences.get(code)
        if known is None or absence is None:
            self._drop(code)
            return
        (room, online), now = known, _now()
        # The store does not answer, or contradicts this node's memory: refresh, and decide later.
        if stored is None or not stored.isdisjoint(absence.since):
            self._live.refresh_soon(code)
            self._decide_at(code, now + RETRY_AFTER_MS)
            return
        found = due(absence, room, now)
        self._decide_at(code, found.later)
        try:
            if found.host is not None:
                host, seen = found.host, absence.anchors[found.host]
                after = await self._rooms.decide(code, commands.replace_host, host, seen, online)
                log.info("host_replaced", room=code, host=after.host)
            for player in found.seats:
                seen, start = absence.anchors[player], absence.counts_from(player)
                assert start is not None, "no seat is due during a round"
                away = now - start
                after = await self._rooms.decide(code, commands.free_seat, player, seen, away)
                if after.seat_of(player) is None:
                    log.info("seat_freed", room=code, player=player)
        except (Refusal, UnreadableError):
            # The room has expired, or a newer release has written to it.
            self._drop(code)
            raise


def _now() -> int:
    """Return the event loop's time in ms, which is immune to jumps of the system clock."""
    return round(asyncio.get_running_loop().time() * 1000)
