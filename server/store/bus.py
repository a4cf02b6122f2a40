"""Wake-ups between nodes, over pub/sub. They carry no truth: a lost one costs a look, not data.

In a cluster they go by sharded pub/sub: a topic's wake-ups are a matter of the server that owns its
slot alone. Whatever happens to a connection or a slot, all lines are laid anew, and everything that
is listened to is looked at.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import structlog
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.client import PubSub

from server.stop import Stop
from server.store.connection import FAILURES, alone, owner_of
from server.store.database import Database

HEARTBEAT = 5.0
"""Seconds between two signs of life asked of Redis."""

SILENCE = 15.0
"""Seconds without any sign of life after which the connections are made anew."""

PAUSE = 0.5
"""Seconds before lost connections are tried again."""

_HEARTBEAT_TOPIC = "heartbeat"
_AGAIN = 0.1

Listener = Callable[[str], Awaitable[None]]
"""Called with a topic, when it was woken and when wake-ups of it may have been lost."""

log = structlog.get_logger()


class _MovedAwayError(Exception):
    """A server does not own a topic's slot any more."""


class _Subscriber(PubSub):
    """A subscriber that ends with its connection.

    One task reads and another subscribes; redis-py would let each of them make the connection anew
    when it breaks, and they would fall over one another.
    """

    async def _reconnect(
        self, conn: object, error: BaseException | None = None, *_: object, **__: object
    ) -> None:
        raise error or ConnectionError


class _Line:
    """The subscriptions at one server, on one connection."""

    def __init__(self, redis: Redis, listener: Listener, *, sharded: bool) -> None:
        self.redis = redis
        self._listener = listener
        self._sharded = sharded
        self._topics: set[str] = set()
        self._pubsub = _Subscriber(redis.connection_pool)
        self.reader: asyncio.Task[None] | None = None

    async def subscribe(self, wanted: set[str]) -> None:
        """Bring the server's idea of the subscriptions up to ours."""
        fresh, gone = wanted - self._topics, self._topics - wanted
        self._topics = wanted
        if self.reader is None:
            await self._pubsub.subscribe(_HEARTBEAT_TOPIC)
            self.reader = asyncio.create_task(self._read())
        if self._sharded:
            # Topics of one server are of many slots, and one command is of one slot.
            for topic in fresh:
                await self._pubsub.ssubscribe(topic)
            for topic in gone:
                await self._pubsub.sunsubscribe(topic)
            return
        if fresh:
            await self._pubsub.subscribe(*fresh)
        if gone:
            await self._pubsub.unsubscribe(*gone)

    async def _read(self) -> None:
        while True:
            message = await self._pubsub.get_message(timeout=SILENCE)
            if message is None:
                raise TimeoutError
            topic = message["channel"]
            if topic == _HEARTBEAT_TOPIC:
                continue
            # A subscription is told of as well: only from there on can nothing be missed.
            if message["type"] in {"subscribe", "ssubscribe", "message", "smessage"}:
                await self._listener(topic)
            elif message["type"] == "sunsubscribe" and topic in self._topics:
                raise _MovedAwayError(topic)

    async def close(self) -> None:
        """Close the connection. What it brought is of no further use."""
        # The first cancellation may be swallowed.
        while self.reader is not None and not self.reader.done():
            self.reader.cancel()
            await asyncio.wait({self.reader}, timeout=_AGAIN)
        if self.reader is not None and not self.reader.cancelled():
            # Lines are all closed when one is lost: of the others' losses this is the end.
            self.reader.exception()
        await self._pubsub.aclose()  # type: ignore[no-untyped-call]


class Bus:
    """One node's subscriptions, on one connection to each server."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self._database = database
        self._client = database.client
        self._listener = listener
        self._topics: dict[str, int] = {}
        self._changed = asyncio.Event()

    async def publish(self, topic: str) -> None:
        """Wake whoever listens to a topic.

        Raises:
            UnavailableError: Redis does not answer.
        """
        command = "SPUBLISH" if isinstance(self._client, RedisCluster) else "PUBLISH"
        await self._database.ask(
            lambda redis, name: redis.execute_command(command, name, ""), topic
        )

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
        """Hand wake-ups on until told to stop; lost connections are made anew."""
        while not stop.told:
            lines: dict[str, _Line] = {}
            try:
                await self._run_connected(lines, stop)
            except (*FAILURES, TimeoutError, _MovedAwayError) as error:
                log.warning("bus_lost", error=type(error).__name__)
            finally:
                for line in lines.values():
                    await line.close()
                    if isinstance(self._client, RedisCluster):
                        await line.redis.aclose()
            if not stop.told:
                await stop.or_wait(asyncio.sleep(PAUSE))
                await self._database.look_around()

    async def _run_connected(self, lines: dict[str, _Line], stop: Stop) -> None:
        """Subscribe to everything, hand on what comes, and ask for signs of life."""
        await self._subscribe(lines)
        next_beat = time.monotonic() + HEARTBEAT
        while not stop.told:
            changed = asyncio.create_task(stop.or_wait(self._changed.wait()))
            readers = {line.reader for line in lines.values() if line.reader is not None}
            done, _ = await asyncio.wait(
                {changed, *readers},
                timeout=max(0.0, next_beat - time.monotonic()),
                return_when=asyncio.FIRST_COMPLETED,
            )
            changed.cancel()
            await asyncio.gather(changed, return_exceptions=True)
            for reader in done & readers:
                reader.result()
            if time.monotonic() >= next_beat:
                # However much else there is to do: a line may be silent while others are not.
                next_beat = time.monotonic() + HEARTBEAT
                await asyncio.gather(
                    *(line.redis.publish(_HEARTBEAT_TOPIC, "") for line in lines.values())
                )
            await self._subscribe(lines)

    async def _subscribe(self, lines: dict[str, _Line]) -> None:
        """Bring each server's idea of the subscriptions up to ours."""
        self._changed.clear()
        if isinstance(self._client, Redis):
            if not lines:
                lines[""] = _Line(self._client, self._listener, sharded=False)
            await lines[""].subscribe(set(self._topics))
            return
        await self._client.initialize()
        wanted: dict[str, set[str]] = {name: set() for name in lines}
        for topic in self._topics:
            server = owner_of(self._client, topic)
            if server.name not in lines:
                lines[server.name] = _Line(alone(server), self._listener, sharded=True)
            wanted.setdefault(server.name, set()).add(topic)
        for name, topics in wanted.items():
            await lines[name].subscribe(topics)
