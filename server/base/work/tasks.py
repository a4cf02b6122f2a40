"""Tasks that are not awaited, concurrent writes, and long work in slices."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from server.base.work.background import check_outcome

T = TypeVar("T")
_RELEASED = 500  # results released without a pause: they take the event loop 0.1 ms


class Tasks:
    """Running tasks."""

    def __init__(self) -> None:
        # The event loop has only weak references, so that other tasks may be garbage-collected.
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine in a task, and return the task, whose result must be awaited."""
        # `asyncio.create_task` takes twice as long, since it names the task again.
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def run_soon(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in a task, and return the task. An unexpected exception ends the node.

        `UnavailableError` and `UnreadableError` are expected: see `server.base.work.background`.
        """
        task = self.start(work)
        task.add_done_callback(check_outcome)
        return task

    async def wait(self) -> None:
        """Wait until all tasks started before have ended."""
        if self._running:
            await asyncio.wait(self._running)


_unowned = Tasks()


def run_soon(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a task that is not awaited; see `Tasks.run_soon`."""
    _unowned.run_soon(work)


async def finish_all(writes: Iterable[Awaitable[None]]) -> None:
    """Run writes concurrently, and wait until each of them has succeeded or failed.

    Raises:
        Exception: the first failure, in the order of the writes.
    """
    # Without `return_exceptions`, the remaining writes would continue after a failure, and could
    # overwrite later ones.
    for failure in await asyncio.gather(*writes, return_exceptions=True):
        if failure is not None:
            raise failure


async def all_outcomes(work: Sequence[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    """Run coroutines concurrently, and return the result or the exception of each."""
    if len(work) != 1:
        return await asyncio.gather(*work, return_exceptions=True)
    # A single one needs no task.
    try:
        return [await work[0]]
    except Exception as error:
        return [error]


async def release(*held: dict[Any, Any]) -> None:
    """Empty unused dictionaries in slices, giving other tasks turns of the event loop."""
    for each in held:
        while each:
            # Freeing some thousand results at a time would take milliseconds.
            for _ in range(min(_RELEASED, len(each))):
                each.popitem()
            await asyncio.sleep(0)


async def in_slices(items: Iterable[T], size: int) -> AsyncIterator[T]:
    """Yield items, giving other tasks turns of the event loop after each `size` items.

    The items must not change meanwhile.
    """
    for number, item in enumerate(items, 1):
        yield item
        if number % size == 0:
            await asyncio.sleep(0)


async def in_timed_slices(items: Iterable[T], seconds: float) -> AsyncIterator[T]:
    """Yield items, giving other tasks a turn of the event loop after each `seconds` of work.

    The current items are copied: some may be gone when their turn comes.
    """
    until = time.monotonic() + seconds
    for item in list(items):
        yield item
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + seconds
