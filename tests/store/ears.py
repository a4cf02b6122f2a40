"""Ears: a node's bus, and what it was woken for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.store.bus import Bus
from server.store.database import Database
from tests.store.servers import PATIENCE, running


class Ear:
    """A node's bus, and the topics that it was woken for, in their order."""

    def __init__(self, database: Database) -> None:
        self._woken: asyncio.Queue[str] = asyncio.Queue()
        self.bus = Bus(database, self._woken.put)

    async def next(self) -> str:
        """Return the topic of the next wake-up."""
        async with asyncio.timeout(PATIENCE):
            return await self._woken.get()

    async def next_of(self, *topics: str) -> None:
        """Wait until each of the topics has been woken."""
        left = set(topics)
        while left:
            left.discard(await self.next())

    def silent(self) -> bool:
        """Return whether there is no wake-up that nobody asked for."""
        return self._woken.empty()


@asynccontextmanager
async def listening(database: Database) -> AsyncIterator[Ear]:
    """Run a node's bus."""
    ear = Ear(database)
    async with running(ear.bus.run):
        yield ear
