"""Tasks that nobody awaits, writes that are made at the same time, and long work in slices."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterable
from typing import Any, TypeVar

from server.base.work.background import hear

T = TypeVar("T")

_RELEASED = 500
"""Results that are released at once: they take an event loop 0.1 ms."""


class Tasks:
    """Tasks that were started here and have not ended.

    The event loop has only weak references: a task without another one may be collected.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine in a task, and return the task, whose result somebody awaits."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def run_soon(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in a task, and return the task; what it raises ends the node.

        The store's not answering does not, nor something that cannot be read: see
        `server.base.work.background`.
        """
        task = self.start(work)
        task.add_done_callback(hear)
        return task

    async def wait(self) -> None:
        """Wait until all tasks that were started before have ended."""
        if self._running:
            await asyncio.wait(self._running)


_unowned = Tasks()


def run_soon(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a task that nobody waits for; see `Tasks.run_soon`."""
    _unowned.run_soon(work)


async def finish_all(writes: Iterable[Awaitable[None]]) -> None:
    """Make writes at the same time, and wait until each of them has been made or has failed.

    With `asyncio.gather`, those that remain go on after a failure. They could then overwrite what
    is written after it.

    Raises:
        Exception: the first failure, in the order of the writes.
    """
    for failure in await asyncio.gather(*writes, return_exceptions=True):
        if failure is not None:
            raise failure


async def release(*held: dict[Any, Any]) -> None:
    """Empty dictionaries that nobody needs any more, and let the event loop serve others meanwhile.

    To free the memory of some thousand results takes it milliseconds.
    """
    for each in held:
        while each:
            for _ in range(min(_RELEASED, len(each))):
                each.popitem()
            await asyncio.sleep(0)


async def in_slices(items: Iterable[T], size: int) -> AsyncIterator[T]:
    """Yield items for work that would be long, and let the event loop serve others in between.

    Args:
        items: what the work is about; they must not change meanwhile.
        size: how many are worked on without a break.
    """
    for number, item in enumerate(items, 1):
        yield item
        if number % size == 0:
            await asyncio.sleep(0)


async def in_timed_slices(items: Iterable[T], seconds: float) -> AsyncIterator[T]:
    """Yield items, and let the event loop serve others whenever work on them has taken so long.

    Args:
        items: what the work is about, as they are now: some may be gone when their turn comes.
        seconds: for how long items are worked on without a break.
    """
    until = time.monotonic() + seconds
    for item in list(items):
        yield item
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + seconds
