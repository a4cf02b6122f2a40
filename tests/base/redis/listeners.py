"""Listeners: a node's bus, with its received messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.base.redis.bus import Bus
from server.base.redis.database import Database
from tests.base.redis.servers import running, work_of
from tests.processes import PATIENCE


class Listener:
    """A node's bus, and a queue of the messages received by its subscriptions."""

    def __init__(self, database: Database) -> None:
        self._received: asyncio.Queue[tuple[str, bytes | None]] = asyncio.Queue()
        self.bus = Bus(database)

    def subscribe(self, topic: str) -> None:
        """Subscribe to a topic."""
        self.bus.subscribe(topic, lambda payload: self._received.put_nowait((topic, payload)))

    async def message(self) -> tuple[str, bytes | None]:
        """Return the next message: its topic and payload, or `None` for a new subscription."""
        async with asyncio.timeout(PATIENCE):
            return await self._received.get()

    async def next_topic(self) -> str:
        """Return the topic of the next message."""
        return (await self.message())[0]

    async def wait_for(self, *topics: str) -> None:
        """Wait until each of the topics has received a further message."""
        left = set(topics)
        while left:
            left.discard(await self.next_topic())

    def is_empty(self) -> bool:
        """Return whether all messages have been taken."""
        return self._received.empty()


@asynccontextmanager
async def listening(database: Database) -> AsyncIterator[Listener]:
    listener = Listener(database)
    async with running(work_of(listener.bus)):
        yield listener
