"""Absences: hosts who are away are replaced, and members who are away lose their seats.

Every node that follows a room does so, counting from when it learnt that somebody is away. Several
may decide the same at once: what has happened already is not appended again.

While nobody is away, a change of a room costs a look at its seats. While somebody is, a followed
room has one timer, and what falls due costs one read of the room's presence and one append.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from server.core.absence import Absence, due, observe
from server.core.ids import RoomCode
from server.core.refusal import Refusal, UnavailableError, UnreadableError
from server.service.live import LiveRooms
from server.service.rooms import Rooms
from server.service.work_queue import WorkQueue
from server.stop import Stop

CONCURRENCY = 32
"""Rooms of a batch that are decided concurrently: a node that dies leaves many hosts away."""

PAUSE = 0.01
"""Seconds between two batches."""

RETRY_AFTER = 1_000
"""Milliseconds before a decision is retried that could not be carried out."""

log = structlog.get_logger()


@dataclass(slots=True, eq=False)
class _Watch:
    """The absence from one room, and the timer for what follows from it."""

    absence: Absence
    timer: asyncio.TimerHandle | None = None


class Absences:
    """The absences from the rooms that this node follows."""

    def __init__(self, rooms: Rooms, live: LiveRooms) -> None:
        self._rooms = rooms
        self._live = live
        self._watches: dict[RoomCode, _Watch] = {}
        self._due = WorkQueue(self._decide, CONCURRENCY, PAUSE)
        live.changed.subscribe(self._changed)

    @property
    def size(self) -> int:
        """The number of rooms that somebody is away from."""
        return len(self._watches)

    async def run(self, stop: Stop) -> None:
        """Decide what falls due until stopped."""
        await self._due.run(stop)
        for code in list(self._watches):
            self._drop(code)

    def _changed(self, code: RoomCode) -> None:
        """Observe who is away from a room that may have changed."""
        known = self._live.present(code)
        if known is None:
            self._drop(code)
            return
        room, online = known
        watch = self._watches.get(code)
        now = _now()
        absence = observe(watch.absence if watch is not None else None, room, online, now)
        if absence is None:
            self._drop(code)
            return
        if watch is None:
            watch = self._watches[code] = _Watch(absence)
        watch.absence = absence
        found = due(absence, room, now)
        self._set_timer(code, watch, now if found.host or found.seats else found.later)

    def _set_timer(self, code: RoomCode, watch: _Watch, time: int | None) -> None:
        """Decide on a room at a time, or not at all if it is `None`."""
        if watch.timer is not None:
            watch.timer.cancel()
        watch.timer = None
        if time is not None:
            loop = asyncio.get_running_loop()
            watch.timer = loop.call_at(time / 1000, self._due.add, code)

    def _drop(self, code: RoomCode) -> None:
        watch = self._watches.pop(code, None)
        if watch is not None and watch.timer is not None:
            watch.timer.cancel()

    async def _decide(self, code: RoomCode) -> None:
        """Carry out what is due in a room, and set the timer for what is due next."""
        try:
            # Messages may be late, above all to a node that was suspended: read who is there.
            stored = await self._live.read_online(code)
        except UnavailableError:
            stored = None
        known, watch = self._live.present(code), self._watches.get(code)
        if known is None or watch is None:
            self._drop(code)
            return
        (room, online), now = known, _now()
        if stored is None or not stored.isdisjoint(watch.absence.since):
            self._live.refresh_soon(code)
            self._set_timer(code, watch, now + RETRY_AFTER)
            return
        found = due(watch.absence, room, now)
        self._set_timer(code, watch, found.later)
        try:
            if found.host is not None:
                after = await self._rooms.replace_host(code, found.host, online)
                log.info("host_replaced", room=code, host=after.host)
            for player in found.seats:
                await self._rooms.free_seat(code, player)
                log.info("seat_freed", room=code, player=player)
        except (Refusal, UnreadableError) as error:
            # The room has expired, or a newer release has written to it.
            log.info("absence_not_decided", room=code, code=error.code)
            self._drop(code)
        except UnavailableError as error:
            log.debug("absence_deferred", room=code, error=str(error))
            if self._watches.get(code) is watch:
                self._set_timer(code, watch, _now() + RETRY_AFTER)


def _now() -> int:
    """Return the event loop's time, which jumps of the system clock do not change, in ms."""
    return round(asyncio.get_running_loop().time() * 1000)
