"""Ears: a node's bus, and what it heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.store.bus import Bus
from server.store.database import Database
from tests.store.servers import PATIENCE, running


class Ear:
    """A node's bus, and what it heard, in its order."""

    def __init__(self, database: Database) -> None:
        self._heard: asyncio.Queue[tuple[str, bytes | None]] = asyncio.Queue()
        self.bus = Bus(database)

    def subscribe(self, topic: str) -> None:
        """Subscribe to a topic."""
        self.bus.subscribe(topic, lambda payload: self._heard.put_nowait((topic, payload)))

    async def message(self) -> tuple[str, bytes | None]:
        """Return the next message: its topic and what was published, `None` for a subscription."""
        async with asyncio.timeout(PATIENCE):
            return await self._heard.get()

    async def next(self) -> str:
        """Return the topic of the next message."""
        return (await self.message())[0]

    async def next_of(self, *topics: str) -> None:
        """Wait until each of the topics has been heard of."""
        left = set(topics)
        while left:
            left.discard(await self.next())

    def silent(self) -> bool:
        """Return whether there is no message that nobody asked for."""
        return self._heard.empty()


@asynccontextmanager
async def listening(database: Database) -> AsyncIterator[Ear]:
    """Run a node's bus."""
    ear = Ear(database)
    async with running(ear.bus.run):
        yield ear
