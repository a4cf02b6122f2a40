"""Messages between nodes over Redis pub/sub.

Delivery is at most once. All content of messages can also be read from the store, so a lost message
costs a read, never data.

A cluster uses sharded pub/sub: a topic is published and subscribed to on the server that owns its
slot. When a connection breaks or a slot moves, the connections to all servers are replaced, and
each subscriber is called with `None`, since it may have missed messages.

Only differences are sent when topics are added or removed, once per turn of the event loop. The
cost of a change therefore does not depend on the number of topics.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from redis.asyncio import Redis, RedisCluster
from redis.exceptions import ConnectionError as ConnectionLostError

from server.base.redis.connection import FAILURES, owner_of, raising_lost, server_client
from server.base.redis.database import Database
from server.base.work.background import Background
from server.base.work.outages import Outage
from server.base.work.stop import Stop

HEARTBEAT_INTERVAL = 5.0
"""Seconds between PINGs on each connection."""

HEARTBEAT_TIMEOUT = 15.0
"""Seconds without receiving anything on a connection after which all connections are replaced."""

RECONNECT_DELAY = 0.5
"""Seconds before a reconnect."""

MAX_BATCH = 500
"""Maximum topics in one SUBSCRIBE or UNSUBSCRIBE, and maximum messages delivered before other tasks
get a turn of the event loop: ten thousand sessions may come or go at the same time."""

_RECANCEL_INTERVAL = 0.1
"""Seconds until a reader that is still running is cancelled again."""

Subscriber = Callable[[bytes | None], None]
"""Called with the payload of each message, and with `None` whenever the subscription starts or
restarts after a reconnect, since earlier messages may have been missed."""

_Deliver = Callable[[str, bytes | None], None]
"""Called with a topic and the argument for its `Subscriber`."""


@dataclass(slots=True)
class _Subscription:
    """A topic's subscriber.

    Attributes:
        count: the number of `subscribe` calls without a matching `unsubscribe`.
    """

    subscriber: Subscriber
    count: int = 0


log = structlog.get_logger()


class _SlotMovedError(Exception):
    """The server no longer owns a topic's slot, and has ended the subscription."""


class _PubSubConnection:
    """A connection to one server, with its subscriptions.

    Attributes:
        redis: the client of that server.
        topics: the subscribed topics.
        reader: the task that reads messages; it fails when the connection breaks.
    """

    def __init__(self, redis: Redis, deliver: _Deliver, *, sharded: bool) -> None:
        self.redis = redis
        self.topics: set[str] = set()
        self.reader: asyncio.Task[None] | None = None
        self._pool: Any = redis.connection_pool
        self._deliver = deliver
        self._sharded = sharded
        self._connection: Any = None
        self._last_received = time.monotonic()

    async def open(self) -> None:
        """Connect and start reading.

        Raises:
            OSError, RedisError: the server cannot be reached.
        """
        self._connection = await self._pool.get_connection()
        self._last_received = time.monotonic()
        self.reader = asyncio.create_task(self._read())

    async def change(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Subscribe to the topics `added`, and unsubscribe from subscribed ones of `removed`.

        Raises:
            OSError, RedisError: the connection is lost.
        """
        new, ended = list(added), [topic for topic in removed if topic in self.topics]
        self.topics.update(new)
        self.topics.difference_update(ended)
        commands: list[tuple[str, ...]] = []
        if self._sharded:
            # All topics of one SSUBSCRIBE must be in one slot, but a server's topics are in many.
            commands += [("SSUBSCRIBE", topic) for topic in new]
            commands += [("SUNSUBSCRIBE", topic) for topic in ended]
        else:
            commands += [("SUBSCRIBE", *new)] if new else []
            commands += [("UNSUBSCRIBE", *ended)] if ended else []
        await self._send(commands)

    async def ping(self) -> None:
        """Send a PING.

        Raises:
            TimeoutError: nothing has been received for `HEARTBEAT_TIMEOUT` seconds.
            OSError, RedisError: the connection is lost.
        """
        if time.monotonic() - self._last_received > HEARTBEAT_TIMEOUT:
            raise TimeoutError
        await self._send([("PING",)])

    async def _send(self, commands: list[tuple[str, ...]]) -> None:
        if not commands:
            return
        if not self._connection.is_connected:
            # redis-py would reconnect, but without the previous subscriptions.
            raise ConnectionLostError("The connection is lost.")
        packed = self._connection.pack_commands(commands)
        with raising_lost():
            await self._connection.send_packed_command(packed, check_health=False)

    async def _read(self) -> None:
        for number in itertools.count():
            if not number % MAX_BATCH:
                # Reading buffered messages does not yield to other tasks.
                await asyncio.sleep(0)
            message = await self._connection.read_response(
                disable_decoding=True,
                timeout=math.inf,
                disconnect_on_error=False,
                push_request=True,
            )
            self._last_received = time.monotonic()
            if isinstance(message, Exception):
                raise message
            # The reply to a PING.
            if type(message) is bytes:
                continue
            kind, topic = message[0], message[1].decode()
            if kind in _MESSAGE_KINDS:
                self._deliver(topic, message[2])
            elif kind in _SUBSCRIBED_KINDS:
                # Messages are received from now on. Earlier ones may have been missed.
                self._deliver(topic, None)
            # This node has not requested it, so the slot has moved.
            elif kind == b"sunsubscribe" and topic in self.topics:
                raise _SlotMovedError(topic)

    async def close(self) -> None:
        """Stop reading and close the connection."""
        # redis-py may swallow a cancellation.
        while self.reader is not None and not self.reader.done():
            self.reader.cancel()
            await asyncio.wait({self.reader}, timeout=_RECANCEL_INTERVAL)
        if self.reader is not None and not self.reader.cancelled():
            # Mark the exception as retrieved: one lost connection closes all, and is logged once.
            self.reader.exception()
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)
            await self._pool.release(self._connection)


_MESSAGE_KINDS = {b"message", b"smessage"}
_SUBSCRIBED_KINDS = {b"subscribe", b"ssubscribe"}


def _take_some(topics: set[str]) -> list[str]:
    """Remove up to `MAX_BATCH` topics from a set, and return them sorted."""
    # Sorted, since the iteration order of sets would make simulated races irreproducible.
    return sorted(topics.pop() for _ in range(min(len(topics), MAX_BATCH)))


class Bus:
    """A node's subscriptions, over one connection to each server, and its published messages."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._client = database.client
        self._publish = "SPUBLISH" if isinstance(self._client, RedisCluster) else "PUBLISH"
        self._topics: dict[str, _Subscription] = {}
        self._added: set[str] = set()
        self._removed: set[str] = set()
        self._unsent: set[str] = set()
        self._changed = asyncio.Event()
        self._outage = Outage("bus_lost", "bus_back")

    def publish(self, topic: str, payload: bytes = b"") -> None:
        """Send a message to all nodes subscribed to a topic, including this one.

        The message goes out with the next batch of writes, after earlier writes. If it cannot be
        sent, an empty payload is published later to report a possible loss to subscribers.
        """
        failed = partial(self._unsent.add, topic)
        self._database.send(topic, self._publish, topic, payload, failed=failed)

    def _republish_lost(self) -> None:
        """Publish an empty payload to each topic with an unsent message."""
        unsent, self._unsent = self._unsent, set()
        # Sorted to make simulated races reproducible.
        for topic in sorted(unsent):
            self.publish(topic)

    def subscribe(self, topic: str, subscriber: Subscriber) -> None:
        """Subscribe to a topic until `unsubscribe` has been called as often as this.

        A topic has one subscriber, set by the first call; later calls are only counted.
        """
        subscription = self._topics.get(topic)
        if subscription is None:
            subscription = self._topics[topic] = _Subscription(subscriber)
            self._removed.discard(topic)
            self._added.add(topic)
            self._changed.set()
        subscription.count += 1

    def unsubscribe(self, topic: str) -> None:
        """Undo one `subscribe`. The last one ends the subscription. No-op if not subscribed."""
        subscription = self._topics.get(topic)
        if subscription is None:
            return
        subscription.count -= 1
        if subscription.count == 0:
            del self._topics[topic]
            self._added.discard(topic)
            self._removed.add(topic)
            self._changed.set()

    def _deliver(self, topic: str, payload: bytes | None) -> None:
        """Call a topic's subscriber, if it still has one."""
        subscription = self._topics.get(topic)
        if subscription is None:
            return
        try:
            subscription.subscriber(payload)
        except Exception:
            # An error in one subscriber must not stop delivery to the others.
            log.exception("subscriber_failed", topic=topic)

    def run_in(self, background: Background) -> None:
        """Deliver messages and replace lost connections as background work of the node."""
        background.forever("bus", lambda: self._deliver_all(background.stop), every=0.0)

    async def _deliver_all(self, stop: Stop) -> None:
        """Deliver messages until a connection is lost or `stop` is set."""
        connections: dict[str, _PubSubConnection] = {}
        reason = ""
        try:
            await self._run_connected(connections, stop)
        except (*FAILURES, TimeoutError, _SlotMovedError) as error:
            reason = type(error).__name__
        finally:
            for connection in connections.values():
                await connection.close()
                # The client of a single Redis belongs to the database.
                if isinstance(self._client, RedisCluster):
                    await connection.redis.aclose()
        if not stop.is_set:
            await stop.or_wait(asyncio.sleep(RECONNECT_DELAY))
            if time.monotonic() - self._database.lost_at > HEARTBEAT_TIMEOUT:
                # Otherwise the server is lost, which has been logged already.
                self._outage.fail(error=reason)
            await self._database.refresh_topology()

    async def _run_connected(self, connections: dict[str, _PubSubConnection], stop: Stop) -> None:
        """Subscribe to all topics, follow changes and send PINGs until `stop` is set.

        Args:
            connections: filled with the opened connections, by server name.
            stop: ends the loop.

        Raises:
            OSError, RedisError, TimeoutError, _SlotMovedError: the connections must be replaced.
        """
        # New connections have no subscriptions yet.
        self._added, self._removed = set(self._topics), set()
        await self._subscribe(connections)
        self._outage.succeed()
        next_ping = time.monotonic() + HEARTBEAT_INTERVAL
        stopped = asyncio.ensure_future(stop.wait())
        changed = asyncio.ensure_future(self._changed.wait())
        try:
            while not stop.is_set:
                readers = {each.reader for each in connections.values() if each.reader is not None}
                done, _ = await asyncio.wait(
                    {changed, stopped, *readers},
                    timeout=max(0.0, next_ping - time.monotonic()),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                for reader in done & readers:
                    reader.result()
                if time.monotonic() >= next_ping:
                    # Ping even while topics keep changing, since one of several connections may be
                    # dead.
                    next_ping = time.monotonic() + HEARTBEAT_INTERVAL
                    await asyncio.gather(*(each.ping() for each in connections.values()))
                    self._republish_lost()
                await self._subscribe(connections)
                if changed.done():
                    changed = asyncio.ensure_future(self._changed.wait())
        finally:
            stopped.cancel()
            changed.cancel()
            await asyncio.gather(stopped, changed, return_exceptions=True)

    async def _subscribe(self, connections: dict[str, _PubSubConnection]) -> None:
        """Send up to `MAX_BATCH` added and removed topics to the servers that own them."""
        self._changed.clear()
        added, removed = _take_some(self._added), _take_some(self._removed)
        # The remaining topics follow in the next batch.
        if self._added or self._removed:
            self._changed.set()
        if isinstance(self._client, Redis):
            connection = await self._connection_to(connections, "", self._client)
            await connection.change(added, removed)
            return
        await self._client.initialize()
        by_server: dict[str, list[str]] = {}
        for topic in added:
            server = owner_of(self._client, topic)
            if server.name not in connections:
                await self._connection_to(connections, server.name, server_client(server))
            by_server.setdefault(server.name, []).append(topic)
        # Each connection ignores removed topics of other servers.
        for name, connection in connections.items():
            await connection.change(by_server.get(name, ()), removed)

    async def _connection_to(
        self, connections: dict[str, _PubSubConnection], name: str, redis: Redis
    ) -> _PubSubConnection:
        """Return the connection to a server, opening it if needed."""
        connection = connections.get(name)
        if connection is None:
            connection = _PubSubConnection(
                redis, self._deliver, sharded=isinstance(self._client, RedisCluster)
            )
            connections[name] = connection
            await connection.open()
        return connection
