"""A worker pool: distinct items that are processed concurrently, immediately or at a set time.

It is part of a node's background work, and follows its policy for exceptions. An item is retried
soon if the store did not answer.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar, cast

import structlog

from server.base.core.refusal import UnavailableError
from server.base.work.background import Background

RETRY_AFTER = 1.0  # seconds before an item is retried if the store did not answer

# Seconds until an item no longer counts against the size of a pool with several workers.
# Otherwise, items that wait for an unresponsive server could occupy all workers.
SLOW = 1.0

# Minimum delay in seconds of a scheduled item, since a clock may be a little behind.
SHORTEST = 0.01

Item = TypeVar("Item", bound=Hashable)

log = structlog.get_logger()


class WorkerPool(Generic[Item]):
    """Processes items in the order of their addition, several at the same time.

    An item added again while it waits is processed once. If added while it is being processed, it
    is processed once more afterwards: there is never more than one run for an item. An item that
    takes longer than `SLOW` delays no other, unless `size` is 1. Tasks exist only while there are
    items. Nothing is processed before the background work is started, except by `finish`.

    Args:
        size: maximum items processed at the same time, not counting slow ones.
        pause: seconds that each worker waits between items, so that at most `size / pause` items
            are started per second.
        turn: how long a worker processes further items without yielding to the event loop, in
            seconds, for short work that awaits nothing.
        most: maximum waiting items; more are refused, and `pool_full` is logged. `None` if the
            callers limit their number.
        completes: whether waiting items are still processed at the end. Otherwise they are dropped,
            and found again in the store.
    """

    def __init__(
        self,
        background: Background,
        name: str,
        work: Callable[[Item], Awaitable[object]],
        *,
        size: int,
        pause: float = 0.0,
        turn: float = 0.0,
        most: int | None = None,
        completes: bool = False,
    ) -> None:
        self.name = name
        self.work = work
        self._background = background
        self._size = size
        self._pause = pause
        self._turn = turn
        self._most = most
        self._completes = completes
        self._closing = False
        self._full = False
        self._pending: OrderedDict[Item, None] = OrderedDict()
        self._running: set[Item] = set()
        self._slow: set[Item] = set()
        self._again: set[Item] = set()
        self._timers: dict[Item, asyncio.TimerHandle] = {}
        self._workers: set[asyncio.Task[None]] = set()
        background.add_pool(self)

    def __contains__(self, item: Item) -> bool:
        return item in self._pending or item in self._running

    def __len__(self) -> int:
        return len(self._pending) + len(self._running)

    def add(self, item: Item) -> bool:
        """Process an item; return whether it was accepted."""
        if self._closing and not self._completes:
            return False
        if item in self._running:
            self._again.add(item)
            return True
        if self._most is not None and len(self._pending) >= self._most and item not in self:
            if not self._full:
                log.warning("pool_full", work=self.name, items=self._most)
            self._full = True
            return False
        self._full = False
        self._pending[item] = None
        if self._background.is_running:
            self._start_workers(1)
        return True

    def discard(self, item: Item) -> None:
        """Drop a waiting item; a run in progress continues."""
        self._pending.pop(item, None)
        self._again.discard(item)

    def take(self) -> list[Item]:
        """Remove and return all waiting items, for a caller that processes them itself."""
        found = list(self._pending)
        self._pending.clear()
        return found

    def is_scheduled(self, item: Item) -> bool:
        """Return whether an item is scheduled."""
        return item in self._timers

    def schedule(self, item: Item, seconds: float | None) -> None:
        """Schedule an item, replacing an earlier schedule; `None` only cancels that."""
        timer = self._timers.pop(item, None)
        if timer is not None:
            timer.cancel()
        if seconds is not None and not self._closing:
            loop = asyncio.get_running_loop()
            # Not the caller's context, whose log fields may name an unrelated player.
            context = self._background.context
            self._timers[item] = loop.call_later(
                max(seconds, SHORTEST), self._due, item, context=context
            )

    def _due(self, item: Item) -> None:
        del self._timers[item]
        self.add(item)

    def start(self) -> None:
        """Start processing the waiting items."""
        self._start_workers(len(self._pending))

    async def finish(self) -> None:
        """Process the waiting items until none is left, even if the pool is not started."""
        while self._pending or self._workers:
            self._start_workers(len(self._pending))
            await asyncio.wait(self._workers)

    async def close(self) -> None:
        """End the work: process waiting and scheduled items if it completes them, or drop them."""
        self._closing = True
        later = list(self._timers)
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        if self._completes:
            self._pending.update(dict.fromkeys(later))
        else:
            self._pending.clear()
            self._again.clear()
        await self.finish()

    @property
    def _most_workers(self) -> int:
        return self._size + len(self._slow)

    def _make_room(self, item: Item) -> None:
        self._slow.add(item)
        self._start_workers(len(self._pending))

    def _start_workers(self, wanted: int) -> None:
        for _ in range(min(wanted, self._most_workers - len(self._workers))):
            self._background.start_task(self.name, self._drain(), self._workers)

    async def _drain(self) -> None:
        try:
            await self._work_on_all()
        finally:
            # Immediately: an item added before the task's callbacks run needs another worker.
            self._workers.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def _work_on_all(self) -> None:
        until = time.monotonic() + self._turn
        while self._pending and len(self._workers) <= self._most_workers:
            item, _ = self._pending.popitem(last=False)
            self._running.add(item)
            try:
                await self._work_on(item)
            finally:
                self._running.discard(item)
                # Added again during the run.
                if item in self._again:
                    self._again.discard(item)
                    self._pending[item] = None
            if not self._pending and not self._pause:
                # Nothing is left to do, so there is no need to yield.
                return
            if not self._turn or time.monotonic() > until:
                await asyncio.sleep(0 if self._closing else self._pause)
                until = time.monotonic() + self._turn

    def _retry(self, item: Item) -> None:
        timer = self._timers.get(item)
        soon = asyncio.get_running_loop().time() + RETRY_AFTER
        if item not in self._again and (timer is None or timer.when() > soon):
            self.schedule(item, RETRY_AFTER)

    async def _work_on(self, item: Item) -> None:
        slow = None
        if self._size > 1:
            slow = asyncio.get_running_loop().call_later(SLOW, self._make_room, item)
        try:
            await self.work(item)
        except UnavailableError as error:
            self._background.judge(self.name, error, item)
            self._retry(item)
        except Exception as error:
            self._background.judge(self.name, error, item)
        finally:
            if slow is not None:
                slow.cancel()
                self._slow.discard(item)
