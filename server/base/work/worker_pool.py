"""A worker pool: distinct items that are worked on concurrently, now or at a set time.

It is part of a node's background work, and has its policy for what the work raises; an item for
which the store did not answer is worked on again soon.
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

RETRY_AFTER = 1.0
"""Seconds before an item is worked on again for which the store did not answer."""

SLOW = 1.0
"""Seconds after which an item makes room for another one, in a pool for several at the same time.

Of a server that does not answer, there may be more items than workers.
"""

SHORTEST = 0.01
"""Fewest seconds until an item is worked on at a set time, since a clock may be a little behind."""

Item = TypeVar("Item", bound=Hashable)

log = structlog.get_logger()


class WorkerPool(Generic[Item]):
    """Works on items in the order in which they were added, some at the same time.

    An item that is added again while it waits is worked on once, and one that is added while it is
    worked on, once more afterwards: there is never more than one run for an item. An item that
    takes longer than `SLOW` delays no other, unless `size` is 1. Tasks exist only while there are
    items. Nothing is done before the background work is started, except by `finish`.

    Args:
        background: the node's background work, which the pool is registered with.
        name: of the work, in logs.
        work: called with each item.
        size: most items that are worked on at the same time, beside those that take long.
        pause: seconds that each worker waits between two items: so at most `size / pause` items are
            begun a second.
        turn: seconds for which a worker goes on with further items before others have their turn of
            the event loop: for short work that awaits nothing.
        most: items that may wait; more are refused, and `pool_full` is logged. `None` if whoever
            adds items limits their number.
        completes: whether what waits at the end is still done. Otherwise it is dropped, since what
            is stored says what is to be done.

    Attributes:
        name: the name of the work.
        work: what is called with each item.
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
        """Return whether an item waits or is worked on; one whose time has not come does not."""
        return item in self._pending or item in self._running

    def __len__(self) -> int:
        return len(self._pending) + len(self._running)

    def add(self, item: Item) -> bool:
        """Work on an item; return whether it was accepted."""
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
        """Do not work on an item that waits; a run in progress goes on."""
        self._pending.pop(item, None)
        self._again.discard(item)

    def take(self) -> list[Item]:
        """Remove all items that wait, and return them, for whoever does the work at once."""
        found = list(self._pending)
        self._pending.clear()
        return found

    def is_scheduled(self, item: Item) -> bool:
        """Return whether a time is set for an item."""
        return item in self._timers

    def schedule(self, item: Item, seconds: float | None) -> None:
        """Work on an item in so many seconds instead of any other set time; `None` for never."""
        timer = self._timers.pop(item, None)
        if timer is not None:
            timer.cancel()
        if seconds is not None and not self._closing:
            loop = asyncio.get_running_loop()
            context = self._background.context
            self._timers[item] = loop.call_later(
                max(seconds, SHORTEST), self._due, item, context=context
            )

    def _due(self, item: Item) -> None:
        del self._timers[item]
        self.add(item)

    def start(self) -> None:
        """Work on what waits."""
        self._start_workers(len(self._pending))

    async def finish(self) -> None:
        """Work on what waits, and return when there is nothing left, also if it is not started."""
        while self._pending or self._workers:
            self._start_workers(len(self._pending))
            await asyncio.wait(self._workers)

    async def close(self) -> None:
        """End the work, and refuse new items.

        Items that wait, or whose time has not come, are worked on now if the pool completes its
        work, and dropped if not.
        """
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
        """Let another item begin beside one that takes long."""
        self._slow.add(item)
        self._start_workers(len(self._pending))

    def _start_workers(self, wanted: int) -> None:
        for _ in range(min(wanted, self._most_workers - len(self._workers))):
            self._background.start_task(self.name, self._drain(), self._workers)

    async def _drain(self) -> None:
        try:
            await self._work_on_all()
        finally:
            # At once: what is added before callbacks of the task are called needs another worker.
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
                if item in self._again:
                    self._again.discard(item)
                    self._pending[item] = None
            if not self._pending and not self._pause:
                # Others need not be waited for: nothing is left to do.
                return
            if not self._turn or time.monotonic() > until:
                await asyncio.sleep(0 if self._closing else self._pause)
                until = time.monotonic() + self._turn

    def _retry(self, item: Item) -> None:
        """Work on an item again soon, instead of at a later time that is set."""
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
