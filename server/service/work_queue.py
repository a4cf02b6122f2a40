"""Work on many things that must not hold up anything else: a few at a time, with pauses."""

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
    """Things that wait to be worked on, each once however often it was added meanwhile.

    A thing that is added while nothing waits is worked on at once.
    """

    def __init__(self, work: Callable[[Item], Awaitable[None]], at_once: int, pause: float) -> None:
        """Work on `at_once` things side by side, and then pause for some seconds."""
        self._work = work
        self._at_once = at_once
        self._pause = pause
        self._waiting: dict[Item, None] = {}
        self._any = asyncio.Event()

    def add(self, item: Item) -> None:
        """Let a thing be worked on soon."""
        self._waiting[item] = None
        self._any.set()

    async def run(self, stop: Stop) -> None:
        """Work on what is added, until told to stop."""
        while not stop.is_set:
            await stop.or_wait(self._any.wait())
            self._any.clear()
            while self._waiting and not stop.is_set:
                await self._work_on_some()
                if self._waiting:
                    await stop.or_wait(asyncio.sleep(self._pause))

    async def finish(self) -> None:
        """Work on what still waits."""
        while self._waiting:
            await self._work_on_some()

    async def _work_on_some(self) -> None:
        items = list(islice(self._waiting, self._at_once))
        for item in items:
            del self._waiting[item]
        for failure in await asyncio.gather(*map(self._work, items), return_exceptions=True):
            if failure is not None:
                log.error("slice_broken", exc_info=failure)
