"""A worker pool: items of work that are processed concurrently, up to a limit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_WAITING = 10_000
"""Items that may be queued in a pool; more are rejected."""


class WorkerPool(Generic[T]):
    """Processes items in the order in which they were put, by up to `size` concurrent tasks.

    Tasks exist only while there are items.

    Args:
        do: called with each item; it must not raise.
        size: most items that are processed at the same time.
        pause: seconds that each task waits between two items, to limit the rate.
    """

    def __init__(
        self, do: Callable[[T], Awaitable[None]], size: int, *, pause: float = 0.0
    ) -> None:
        self._do = do
        self._size = size
        self._pause = pause
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.waiting: deque[T] = deque()

    def put(self, item: T) -> bool:
        """Enqueue an item; return whether it was accepted: not if the pool is full or closed."""
        if self._closed or len(self.waiting) >= MAX_WAITING:
            return False
        self.waiting.append(item)
        if len(self._tasks) < self._size:
            task = asyncio.create_task(self._drain())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return True

    async def _drain(self) -> None:
        while self.waiting:
            await self._do(self.waiting.popleft())
            if self._pause and not self._closed:
                await asyncio.sleep(self._pause)

    async def close(self) -> None:
        """Discard the queued items, and wait for those in progress."""
        self._closed = True
        self.waiting.clear()
        await asyncio.gather(*self._tasks)
