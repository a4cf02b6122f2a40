"""A work queue: distinct items that are processed in concurrent batches, with pauses between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from itertools import islice
from typing import Generic, TypeVar

import structlog

from server.stop import Stop

Item = TypeVar("Item", bound=Hashable)

log = structlog.get_logger()


class WorkQueue(Generic[Item]):
    """Processes items by a function, so that a burst of them delays nothing else.

    An item that is added again while it is pending is processed once. An item that is added to an
    idle queue is processed at once. Exceptions of the function are logged.

    Args:
        work: called with each item.
        batch: number of items that are processed concurrently.
        pause: seconds between two batches.
    """

    def __init__(self, work: Callable[[Item], Awaitable[None]], batch: int, pause: float) -> None:
        self._work = work
        self._batch = batch
        self._pause = pause
        self._pending: dict[Item, None] = {}
        self._added = asyncio.Event()

    def add(self, item: Item) -> None:
        """Enqueue an item, unless it is pending already."""
        self._pending[item] = None
        self._added.set()

    async def run(self, stop: Stop) -> None:
        """Process items as they are added, until stopped; some may be left then."""
        while not stop.is_set:
            await stop.or_wait(self._added.wait())
            self._added.clear()
            while self._pending and not stop.is_set:
                await self._process_batch()
                if self._pending:
                    await stop.or_wait(asyncio.sleep(self._pause))

    async def finish(self) -> None:
        """Process the items that are left."""
        while self._pending:
            await self._process_batch()

    async def _process_batch(self) -> None:
        items = list(islice(self._pending, self._batch))
        for item in items:
            del self._pending[item]
        for failure in await asyncio.gather(*map(self._work, items), return_exceptions=True):
            if failure is not None:
                log.error("item_failed", exc_info=failure)
