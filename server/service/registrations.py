"""What a node registers in the store for a short time, and renews while it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from server.service.work_queue import WorkQueue
from server.stop import Stop

CONCURRENT_WRITES = 32
"""Registrations of a batch that are written concurrently."""

PAUSE = 0.01
"""Seconds between two batches."""

Name = TypeVar("Name", bound=Hashable)
Value = TypeVar("Value")


class Registrations(Generic[Name, Value]):
    """Values by name, each written when it changes, and again at intervals.

    `write` is called with a name and its value, or `None` if there is none any more. What it could
    not write is written with the next renewal, or expires in the store.
    """

    def __init__(self, write: Callable[[Name, Value | None], Awaitable[None]]) -> None:
        self._write = write
        self._values: dict[Name, Value] = {}
        self._writes: WorkQueue[Name] = WorkQueue(self._write_current, CONCURRENT_WRITES, PAUSE)

    def __contains__(self, name: Name) -> bool:
        return name in self._values

    def set(self, name: Name, value: Value | None) -> None:
        """Register a value instead of any other, or none; nothing is written if that is so."""
        if value == self._values.get(name):
            return
        if value is None:
            del self._values[name]
        else:
            self._values[name] = value
        self._writes.add(name)

    def renew(self, holds: Callable[[Name], bool]) -> None:
        """Write all values again; forget those that no longer hold, which others may renew."""
        for name in list(self._values):
            if holds(name):
                self._writes.add(name)
            else:
                del self._values[name]

    async def run(self, stop: Stop, every: float, holds: Callable[[Name], bool]) -> None:
        """Write what changes, and renew every so many seconds, until stopped."""

        async def renew_forever() -> None:
            while not stop.is_set:
                await stop.or_wait(asyncio.sleep(every))
                self.renew(holds)

        await asyncio.gather(self._writes.run(stop), renew_forever())

    async def _write_current(self, name: Name) -> None:
        await self._write(name, self._values.get(name))
