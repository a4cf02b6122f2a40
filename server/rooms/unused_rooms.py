"""Extension of unused rooms: without a round they expire in minutes, unless a member is present.

Each node extends the rooms in which it has members, by a small write per room every ten minutes.
Rooms with a round cost nothing.
"""

from __future__ import annotations

from typing import Final

from server.base.core.ids import RoomCode
from server.base.core.quota import Item
from server.base.quotas.quotas import Quotas
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.rooms.core import keys
from server.rooms.core.charges import ROOM
from server.rooms.live_rooms import LiveRooms
from server.rooms.store import RoomStore

EXTEND_EVERY: Final = 600.0
"""Seconds between two extensions: a third of an unused room's lifetime."""

CONCURRENCY, PAUSE = 8, 0.01
"""Rooms extended concurrently, and the seconds that each worker pauses between two."""


class UnusedRooms:
    """Extends the rooms without a round that have members present on this node."""

    def __init__(
        self, store: RoomStore, live: LiveRooms, quotas: Quotas, background: Background
    ) -> None:
        self._store = store
        self._live = live
        self._quotas = quotas
        self._work: WorkerPool[RoomCode] = WorkerPool(
            background, "unused_rooms", self._extend, size=CONCURRENCY, pause=PAUSE
        )
        background.forever("unused_rooms_due", self.extend, every=EXTEND_EVERY)

    async def extend(self) -> None:
        """Enqueue the extension of all unused rooms."""
        for code in self._live.unused():
            self._work.add(code)

    async def _extend(self, code: RoomCode) -> None:
        member = self._live.local_member(code)
        if member is not None:
            await self._store.extend(code, keys.UNUSED_ROOM_LIFE_MS)
            # The extension stores only the room itself, not the address hashes.
            self._quotas.note(member, Item(ROOM[0].size, round(EXTEND_EVERY * 1000)))
