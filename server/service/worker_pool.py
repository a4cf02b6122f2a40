"""A worker pool: work that is done concurrently, up to a limit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_WAITING = 10_000
"""Pieces of work that may wait in a pool; more are rejected."""


class WorkerPool(Generic[T]):
    """Does pieces of work in their order, up to `most` at a time, by a function that never raises.

    Each of those waits `pause` seconds before its next one, so that others get on meanwhile. A
    pool in which nothing is done has no task.
    """

    def __init__(
        self, do: Callable[[T], Awaitable[None]], most: int, *, pause: float = 0.0
    ) -> None:
        self._do = do
        self._most = most
        self._pause = pause
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.waiting: deque[T] = deque()

    def put(self, work: T) -> bool:
        """Let work be done, and return whether it will be: if the pool is full it will not."""
        if self._closed or len(self.waiting) >= MOST_WAITING:
            return False
        self.waiting.append(work)
        if len(self._tasks) < self._most:
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
        """Forget what waits, and wait for what is being done."""
        self._closed = True
        self.waiting.clear()
        await asyncio.gather(*self._tasks)
