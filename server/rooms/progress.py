"""Progress: how far the runners on this node have got, published to their rooms at intervals."""

from __future__ import annotations

import time

from server.base.core.ids import PlayerId, RoomCode
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt
from server.rooms.live_rooms import LiveRooms

EVERY = 0.2
"""Seconds for which the moves of a room are coalesced: only each runner's latest is published."""

STEP = 0.02
"""Least seconds between two batches. Publishing to all rooms at once, five times a second, would
delay moves: by 6 ms with a thousand racers."""

SLICE = 0.002
"""Seconds that a batch may take; the remaining rooms are left to the next one."""

BATCH = "batch"
"""The item of the work: all rooms that are due."""

SHARE = 0.15
"""The share of the event loop's time that publishing may take; beyond that it is delayed."""


class Progress:
    """Coalesces the progress of attempts in rooms, and publishes it.

    A move costs one entry in a dictionary. Each batch costs a room one message, encoded once,
    however many moves and subscribers there are.
    """

    def __init__(self, attempts: Attempts, live: LiveRooms, background: Background) -> None:
        self._live = live
        attempts.advanced.subscribe(self._advanced)
        self._pending: dict[RoomCode, tuple[float, dict[PlayerId, Attempt]]] = {}
        """By room, earliest first: when to publish (monotonic seconds), and what has advanced."""
        # One item: the batch.
        self._batches: WorkerPool[str] = WorkerPool(
            background, "progress", self._publish_due, size=1
        )

    def _advanced(self, attempt: Attempt) -> None:
        """Enqueue an attempt that has advanced, if it is in a room."""
        start = attempt.start
        if start.room is None or attempt.seq == 1:
            return
        if start.room in self._pending:
            self._pending[start.room][1][start.player] = attempt
            return
        self._pending[start.room] = time.monotonic() + EVERY, {start.player: attempt}
        if not self._batches.is_scheduled(BATCH):
            self._batches.schedule(BATCH, EVERY)

    async def _publish_due(self, _: str) -> None:
        """Publish to the rooms that are due, and schedule the next batch if others are left."""
        began = now = time.monotonic()
        while self._pending and now - began <= SLICE:
            code, (due, runners) = next(iter(self._pending.items()))
            if due > began:
                break
            del self._pending[code]
            self._live.publish_progress(code, runners)
            now = time.monotonic()
        if self._pending:
            self._batches.schedule(BATCH, max(STEP, (now - began) / SHARE))
