"""Wake-ups between nodes, over pub/sub. They carry no truth: a lost one costs a look, not data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.stop import Stop
from server.store.connection import answering

HEARTBEAT = 5.0
"""Seconds between two signs of life asked of Redis."""

SILENCE = 15.0
"""Seconds without any sign of life after which the connection is made anew."""

PAUSE = 0.5
"""Seconds before a lost connection is tried again."""

_HEARTBEAT_TOPIC = "heartbeat"
_AGAIN = 0.1

Listener = Callable[[str], Awaitable[None]]
"""Called with a topic, when it was woken and when wake-ups of it may have been lost."""

log = structlog.get_logger()


class Bus:
    """One node's subscriptions, on one connection."""

    def __init__(self, redis: Redis, listener: Listener) -> None:
        self._redis = redis
        self._listener = listener
        self._topics: dict[str, int] = {}
        self._pubsub = redis.pubsub()
        self._changed = asyncio.Event()

    async def publish(self, topic: str) -> None:
        """Wake whoever listens to a topic.

        Raises:
            UnavailableError: Redis does not answer.
        """
        with answering():
            await self._redis.publish(topic, "")

    def listen(self, topic: str) -> None:
        """Listen to a topic; as many `unlisten` end it."""
        self._topics[topic] = self._topics.get(topic, 0) + 1
        self._changed.set()

    def unlisten(self, topic: str) -> None:
        """Stop listening to a topic."""
        left = self._topics.get(topic, 0) - 1
        if left > 0:
            self._topics[topic] = left
        else:
            self._topics.pop(topic, None)
            self._changed.set()

    async def run(self, stop: Stop) -> None:
        """Hand wake-ups on until told to stop; a lost connection is made anew."""
        while not stop.told:
            try:
                await self._run_connected(stop)
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("bus_lost", error=type(error).__name__)
                await self.close()
                self._pubsub = self._redis.pubsub()
                await stop.or_wait(asyncio.sleep(PAUSE))

    async def _run_connected(self, stop: Stop) -> None:
        """Subscribe to everything, hand on what comes, and ask for signs of life."""
        subscribed: set[str] = set()
        await self._subscribe(subscribed)
        reader = asyncio.create_task(self._read())
        try:
            while not stop.told:
                changed = asyncio.create_task(stop.or_wait(self._changed.wait()))
                done, _ = await asyncio.wait(
                    {reader, changed}, timeout=HEARTBEAT, return_when=asyncio.FIRST_COMPLETED
                )
                changed.cancel()
                await asyncio.gather(changed, return_exceptions=True)
                if reader in done:
                    reader.result()
                if not done:
                    await self._redis.publish(_HEARTBEAT_TOPIC, "")
                await self._subscribe(subscribed)
        finally:
            # This connection is of no further use; but the first cancellation may be swallowed.
            while not reader.done():
                reader.cancel()
                await asyncio.wait({reader}, timeout=_AGAIN)

    async def _subscribe(self, subscribed: set[str]) -> None:
        """Bring Redis's idea of the subscriptions up to ours."""
        self._changed.clear()
        wanted = {*self._topics, _HEARTBEAT_TOPIC}
        if fresh := wanted - subscribed:
            await self._pubsub.subscribe(*fresh)
        if gone := subscribed - wanted:
            await self._pubsub.unsubscribe(*gone)
        subscribed.clear()
        subscribed.update(wanted)

    async def _read(self) -> None:
        while True:
            message = await self._pubsub.get_message(timeout=SILENCE)
            if message is None:
                raise TimeoutError
            topic = message["channel"]
            if topic == _HEARTBEAT_TOPIC:
                continue
            # A subscription is told of as well: only from there on can nothing be missed.
            if message["type"] in {"subscribe", "message"}:
                await self._listener(topic)

    async def close(self) -> None:
        """Close the connection."""
        await self._pubsub.aclose()  # type: ignore[no-untyped-call]
