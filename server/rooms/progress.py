"""Progress of this node's runners, published to their rooms at intervals."""

from __future__ import annotations

import time

from server.base.core.ids import PlayerId, RoomCode
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt
from server.rooms.live_rooms import LiveRooms

EVERY = 0.2
"""How long a room's moves are coalesced, in seconds: only each runner's latest is published."""

STEP = 0.02
"""Minimum seconds between two batches: publishing to all rooms together, five times a second, would
delay moves by 6 ms with a thousand racers."""

SLICE = 0.002
"""Maximum seconds of a batch; the remaining rooms go to the next one."""

BATCH = "batch"
"""The only item of the worker pool: all rooms that are due."""

SHARE = 0.15
"""The maximum share of the event loop's time for publishing; above it, batches are delayed."""


class Progress:
    """Coalesces the progress of attempts in rooms, and publishes it.

    A move costs one dictionary entry. Each batch costs one message per room, encoded once for any
    number of moves and subscribers.
    """

    def __init__(self, attempts: Attempts, live: LiveRooms, background: Background) -> None:
        self._live = live
        attempts.appended.subscribe(self._appended)
        self._pending: dict[RoomCode, tuple[float, dict[PlayerId, Attempt]]] = {}
        """By room, earliest first: the time to publish (monotonic seconds), and the latest
        attempts."""
        # One item: the batch.
        self._batches: WorkerPool[str] = WorkerPool(
            background, "progress", self._publish_due, size=1
        )

    def _appended(self, before: Attempt | None, attempt: Attempt, _: str) -> None:
        """Enqueue an attempt that has advanced, if it is in a room."""
        start = attempt.start
        if start.room is None or before is None:
            return
        if (pending := self._pending.get(start.room)) is not None:
            pending[1][start.player] = attempt
            return
        self._pending[start.room] = time.monotonic() + EVERY, {start.player: attempt}
        if not self._batches.is_scheduled(BATCH):
            self._batches.schedule(BATCH, EVERY)

    async def _publish_due(self, _: str) -> None:
        """Publish to the rooms that are due, and schedule the next batch if any rooms remain."""
        began = now = time.monotonic()
        while self._pending and now - began <= SLICE:
            # The dictionary is ordered by due time, since all items wait equally long.
            code, (due, runners) = next(iter(self._pending.items()))
            if due > began:
                break
            del self._pending[code]
            self._live.publish_progress(code, runners)
            now = time.monotonic()
        if self._pending:
            self._batches.schedule(BATCH, max(STEP, (now - began) / SHARE))
