"""Messages between nodes, over pub/sub. They carry no truth: a lost one costs a look, not data.

In a cluster they go by sharded pub/sub: a topic's messages are a matter of the server that owns its
slot alone. Whatever happens to a connection or a slot, all lines are laid anew, and the listener is
told of every topic that it may have missed something.

What is sent to a server when the topics change is what was added and what was taken away, gathered
for one turn of the event loop: a change costs the same however many topics there are.
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

from server.stop import Stop
from server.store.connection import FAILURES, alone, owner_of
from server.store.database import Database

HEARTBEAT = 5.0
"""Seconds between two signs of life asked of Redis."""

SILENCE = 15.0
"""Seconds without any sign of life after which the connections are made anew."""

PAUSE = 0.5
"""Seconds before lost connections are tried again."""

MOST_AT_ONCE = 500
"""Topics that are subscribed to or left by one command, and messages that are handed on in a row:
when ten thousand sessions come or go at once, others have a turn now and then."""

_AGAIN = 0.1

Subscriber = Callable[[bytes | None], None]
"""Called with each message of a topic, or with `None` when the subscription has just begun, for the
first time or after a reconnect: messages may have been missed, and none is from here on."""

_Deliver = Callable[[str, bytes | None], None]
"""Called with a topic and its message, or `None` as above."""


@dataclass(slots=True)
class _Subscription:
    """Who is called with a topic's messages, and how many `unsubscribe` end it."""

    subscriber: Subscriber
    count: int = 0


log = structlog.get_logger()


class _MovedAwayError(Exception):
    """A server does not own a topic's slot any more."""


class _Line:
    """The subscriptions at one server, on one connection."""

    def __init__(self, redis: Redis, deliver: _Deliver, *, sharded: bool) -> None:
        self.redis = redis
        self.topics: set[str] = set()
        self.reader: asyncio.Task[None] | None = None
        self._pool: Any = redis.connection_pool
        self._deliver = deliver
        self._sharded = sharded
        self._connection: Any = None
        self._heard = time.monotonic()

    async def open(self) -> None:
        """Connect, and begin to read."""
        self._connection = await self._pool.get_connection()
        self._heard = time.monotonic()
        self.reader = asyncio.create_task(self._read())

    async def change(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Subscribe to some topics, and unsubscribe from others."""
        fresh, gone = list(added), [topic for topic in removed if topic in self.topics]
        self.topics.update(fresh)
        self.topics.difference_update(gone)
        commands: list[tuple[str, ...]] = []
        if self._sharded:
            # Topics of one server are of many slots, and one command is of one slot.
            commands += [("SSUBSCRIBE", topic) for topic in fresh]
            commands += [("SUNSUBSCRIBE", topic) for topic in gone]
        else:
            commands += [("SUBSCRIBE", *fresh)] if fresh else []
            commands += [("UNSUBSCRIBE", *gone)] if gone else []
        await self._send(commands)

    async def beat(self) -> None:
        """Ask for a sign of life.

        Raises:
            TimeoutError: there has been none for too long.
        """
        if time.monotonic() - self._heard > SILENCE:
            raise TimeoutError
        await self._send([("PING",)])

    async def _send(self, commands: list[tuple[str, ...]]) -> None:
        if not commands:
            return
        if not self._connection.is_connected:
            # redis-py would connect anew, with none of the other subscriptions.
            raise ConnectionLostError("The connection is lost.")
        packed = self._connection.pack_commands(commands)
        await self._connection.send_packed_command(packed, check_health=False)

    async def _read(self) -> None:
        for number in itertools.count():
            if not number % MOST_AT_ONCE:
                # What has come already is read without waiting for anything.
                await asyncio.sleep(0)
            message = await self._connection.read_response(
                disable_decoding=True,
                timeout=math.inf,
                disconnect_on_error=False,
                push_request=True,
            )
            self._heard = time.monotonic()
            if isinstance(message, Exception):
                raise message
            if type(message) is bytes:
                continue
            kind, topic = message[0], message[1].decode()
            if kind in _MESSAGES:
                self._deliver(topic, message[2])
            elif kind in _SUBSCRIBED:
                # Only from there on can nothing be missed.
                self._deliver(topic, None)
            elif kind == b"sunsubscribe" and topic in self.topics:
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
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)
            await self._pool.release(self._connection)


_MESSAGES = {b"message", b"smessage"}
_SUBSCRIBED = {b"subscribe", b"ssubscribe"}


def _some_of(topics: set[str]) -> list[str]:
    """Take some topics out of a set."""
    return [topics.pop() for _ in range(min(len(topics), MOST_AT_ONCE))]


class Bus:
    """One node's subscriptions, on one connection to each server."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._client = database.client
        self._publish = "SPUBLISH" if isinstance(self._client, RedisCluster) else "PUBLISH"
        self._topics: dict[str, _Subscription] = {}
        self._added: set[str] = set()
        self._removed: set[str] = set()
        self._lost: set[str] = set()
        self._changed = asyncio.Event()

    def publish(self, topic: str, payload: bytes = b"") -> None:
        """Send something to all nodes that listen to a topic, this one included.

        It goes out with the next batch of writes, after those that were sent before. If it cannot
        be sent, listeners are told later that they may have missed something, by an empty payload.
        """
        failed = partial(self._lost.add, topic)
        self._database.send(topic, self._publish, topic, payload, failed=failed)

    def _make_up(self) -> None:
        """Tell the listeners of topics whose messages were lost here that there were some."""
        lost, self._lost = self._lost, set()
        for topic in lost:
            self.publish(topic)

    def subscribe(self, topic: str, subscriber: Subscriber) -> None:
        """Subscribe to a topic; as many `unsubscribe` end it.

        A topic has one subscriber, the first one: a second call with it only counts.
        """
        subscription = self._topics.get(topic)
        if subscription is None:
            subscription = self._topics[topic] = _Subscription(subscriber)
            self._removed.discard(topic)
            self._added.add(topic)
            self._changed.set()
        subscription.count += 1

    def unsubscribe(self, topic: str) -> None:
        """End a subscription; nothing happens if there is none."""
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
        """Hand a message on, unless nobody is subscribed any more."""
        subscription = self._topics.get(topic)
        if subscription is None:
            return
        try:
            subscription.subscriber(payload)
        except Exception:
            # One message of many: the others are delivered all the same.
            log.exception("message_failed", topic=topic)

    async def run(self, stop: Stop) -> None:
        """Hand messages on until told to stop; lost connections are made anew."""
        while not stop.is_set:
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
            if not stop.is_set:
                await stop.or_wait(asyncio.sleep(PAUSE))
                await self._database.look_around()

    async def _run_connected(self, lines: dict[str, _Line], stop: Stop) -> None:
        """Subscribe to everything, hand on what comes, and ask for signs of life."""
        self._added, self._removed = set(self._topics), set()
        await self._subscribe(lines)
        next_beat = time.monotonic() + HEARTBEAT
        while not stop.is_set:
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
                await asyncio.gather(*(line.beat() for line in lines.values()))
                self._make_up()
            await self._subscribe(lines)

    async def _subscribe(self, lines: dict[str, _Line]) -> None:
        """Send the changes that have gathered to the servers that they concern."""
        self._changed.clear()
        added, removed = _some_of(self._added), _some_of(self._removed)
        if self._added or self._removed:
            self._changed.set()
        if isinstance(self._client, Redis):
            line = await self._line(lines, "", self._client)
            await line.change(added, removed)
            return
        await self._client.initialize()
        by_server: dict[str, list[str]] = {}
        for topic in added:
            server = owner_of(self._client, topic)
            if server.name not in lines:
                await self._line(lines, server.name, alone(server))
            by_server.setdefault(server.name, []).append(topic)
        for name, line in lines.items():
            await line.change(by_server.get(name, ()), removed)

    async def _line(self, lines: dict[str, _Line], name: str, redis: Redis) -> _Line:
        """Return the line to a server, opened if there is none yet."""
        line = lines.get(name)
        if line is None:
            line = _Line(redis, self._deliver, sharded=isinstance(self._client, RedisCluster))
            lines[name] = line
            await line.open()
        return line
