"""The bus: subscribers get every message, or are notified that some may be lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from itertools import count
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.crc import key_slot
from structlog.testing import capture_logs
from structlog.typing import EventDict

from server.base.core import topics
from server.base.redis import bus as module
from server.base.redis.bus import Bus, _PubSubConnection
from server.base.redis.connection import FAILURES, Client, connect
from server.base.redis.database import Database
from tests.base.redis.listeners import Listener, listening
from tests.base.redis.servers import (
    database_alone,
    drop_pubsub_connections,
    lose_connection,
    running,
    servers_of,
    until,
    until_equal,
    work_of,
)
from tests.conftest import ALONE
from tests.processes import PATIENCE


@pytest.fixture
async def listener(database: Database) -> AsyncIterator[Listener]:
    async with listening(database) as listener:
        yield listener


@pytest.fixture
async def publisher(other_database: Database) -> Bus:
    return Bus(other_database)


@pytest.fixture
def quick(quick_redis: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts, so that a lost connection is detected and replaced soon."""
    monkeypatch.setattr(module, "RECONNECT_DELAY", 0.01)
    monkeypatch.setattr(module, "HEARTBEAT_INTERVAL", 0.05)
    monkeypatch.setattr(module, "HEARTBEAT_TIMEOUT", 0.5)


async def subscriber_count(redis: Client, topic: str) -> int:
    async with servers_of(redis) as servers:
        command = "NUMSUB" if isinstance(redis, Redis) else "SHARDNUMSUB"
        counts = [
            await server.execute_command("PUBSUB", command, topic)  # type: ignore[no-untyped-call]
            for server in servers
        ]
    return sum(int(number) for _, number in counts)


async def test_a_subscriber_is_notified_of_its_subscription_and_gets_each_payload_unchanged(
    listener: Listener, publisher: Bus
) -> None:
    for topic in ("a", "b"):
        listener.subscribe(topic)
        assert await listener.message() == (topic, None)
        for payload in (b"", b"\xff\x00 no text", bytes(10_000)):
            publisher.publish(topic, payload)
            assert await listener.message() == (topic, payload)
    publisher.publish("a")
    assert await listener.message() == ("a", b"")


@pytest.mark.usefixtures("quick")
async def test_subscribers_are_notified_of_an_unsent_message(database: Database) -> None:
    """Their own connections did not break, so they would not notice."""
    async with listening(database) as listener:
        listener.subscribe("a")
        assert await listener.message() == ("a", None)
        await database.reply("a", "PUBLISH", "elsewhere", "")
        listener.bus.publish("a", b"1")
        lose_connection(database, "a")
        assert await listener.message() == ("a", b"")


async def test_resubscribing_immediately_notifies_of_one_subscription(
    listener: Listener, publisher: Bus
) -> None:
    listener.subscribe("a")
    assert await listener.message() == ("a", None)
    listener.bus.unsubscribe("a")
    listener.subscribe("a")
    assert await listener.message() == ("a", None)
    publisher.publish("a", b"1")
    assert await listener.message() == ("a", b"1")
    assert listener.is_empty()


async def test_a_raising_subscriber_does_not_affect_other_messages(database: Database) -> None:
    received: list[bytes | None] = []

    def subscriber(payload: bytes | None) -> None:
        received.append(payload)
        assert payload != b"broken"

    bus = Bus(database)
    bus.subscribe("a", subscriber)
    async with running(work_of(bus)):
        await until(lambda: len(received) == 1)
        bus.publish("a", b"broken")
        bus.publish("a", b"whole")
        await until(lambda: len(received) == 3)
    assert received == [None, b"broken", b"whole"]


async def test_a_subscription_made_before_the_bus_runs_takes_effect(database: Database) -> None:
    listener = Listener(database)
    listener.subscribe("a")
    async with running(work_of(listener.bus)):
        assert await listener.next_topic() == "a"


async def test_a_topic_is_received_until_each_of_its_subscriptions_has_ended(
    redis: Client, listener: Listener, publisher: Bus
) -> None:
    listener.subscribe("a")
    listener.subscribe("a")
    listener.subscribe("b")
    await listener.wait_for("a", "b")
    listener.bus.unsubscribe("a")
    publisher.publish("a")
    assert await listener.next_topic() == "a"
    listener.bus.unsubscribe("a")
    await until_equal(lambda: subscriber_count(redis, "a"), 0)
    publisher.publish("a")
    publisher.publish("b")
    assert await listener.next_topic() == "b"
    assert listener.is_empty()
    listener.bus.unsubscribe("never")


@pytest.mark.usefixtures("quick")
async def test_every_subscriber_is_notified_after_a_lost_connection(
    redis: Client, listener: Listener, publisher: Bus
) -> None:
    topics = [f"topic {number}" for number in range(20)]
    for topic in topics:
        listener.subscribe(topic)
    await listener.wait_for(*topics)
    with capture_logs() as logs:
        for _ in range(3):
            assert listener.is_empty()
            await drop_pubsub_connections(redis)
            await listener.wait_for(*topics)
            publisher.publish("topic 7")
            assert await listener.next_topic() == "topic 7"
    told = [line["event"] for line in logs]
    assert told[:2] == ["bus_lost", "bus_back"]
    assert set(told) == {"bus_lost", "bus_back"}


@pytest.mark.usefixtures("quick")
async def test_every_subscriber_is_notified_after_a_restart_of_redis() -> None:
    one, other = topics.node("a"), topics.node("b")
    async with database_alone() as (server, database), listening(database) as listener:
        listener.subscribe(one)
        await listener.wait_for(one)
        with capture_logs() as logs:
            server.kill()
            listener.bus.publish(one)
            listener.subscribe(other)
            await until(lambda: _has_logged(logs, "store_lost"))
            await asyncio.to_thread(server.start)
            await listener.wait_for(one, other)
            listener.bus.publish(other)
            await listener.wait_for(other)
            await until(lambda: _has_logged(logs, "store_back"))
        # One log entry about the outage covers it.
        assert [line["event"] for line in logs] == ["store_lost", "store_back"]


@pytest.mark.usefixtures("quick")
async def test_a_hung_connection_is_replaced() -> None:
    topic = topics.node("a")
    async with database_alone() as (server, database), listening(database) as listener:
        listener.subscribe(topic)
        await listener.wait_for(topic)
        server.signal(SIGSTOP)
        try:
            with capture_logs() as logs:
                await until(lambda: _has_logged(logs, "bus_lost"))
        finally:
            server.signal(SIGCONT)
        await listener.wait_for(topic)


@ALONE
async def test_a_connection_breaking_while_a_topic_is_added_raises_a_failure(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers: list[asyncio.StreamWriter] = []
    open_connection = asyncio.open_connection

    async def noting(*address: Any, **options: Any) -> Any:
        streams = await open_connection(*address, **options)
        writers.append(streams[1])
        return streams

    async def use() -> None:
        await connection.change(["other"], [])
        assert connection.reader is not None
        async with asyncio.timeout(PATIENCE):
            await connection.reader

    monkeypatch.setattr(asyncio, "open_connection", noting)
    for _ in range(10):
        redis: Any = connect(redis_url)
        received = asyncio.Queue[str]()
        connection = _PubSubConnection(redis, _receive_in(received), sharded=False)
        await connection.open()
        await connection.change(["one"], [])
        assert await received.get() == "one"
        writers[-1].transport.abort()
        # The transport closes in the next turn of the loop, before the reader notices. Adding a
        # topic or awaiting the reader fails.
        await asyncio.sleep(0)
        with pytest.raises(FAILURES):
            await use()
        await connection.close()
        await redis.aclose()


def _receive_in(topics: asyncio.Queue[str]) -> Callable[[str, bytes | None], None]:
    return lambda topic, _: topics.put_nowait(topic)


def _has_logged(logs: list[EventDict], event: str) -> bool:
    return any(entry["event"] == event for entry in logs)


@pytest.mark.usefixtures("quick")
async def test_an_idle_connection_is_kept_while_others_are_busy(
    listener: Listener, publisher: Bus
) -> None:
    listener.subscribe("quiet")
    await listener.wait_for("quiet")
    # In a cluster, the busy topics are on another server.
    thirds = {tag: key_slot(tag.encode()) * 3 // 16_384 for tag in ("quiet", *"abcdefgh")}
    tag = next(tag for tag in "abcdefgh" if thirds[tag] != thirds["quiet"])
    with capture_logs() as logs:
        ends = time.monotonic() + 3 * module.HEARTBEAT_TIMEOUT
        for number in count():
            topic = f"{{{tag}}} busy {number}"
            listener.subscribe(topic)
            assert await listener.next_topic() == topic
            listener.bus.unsubscribe(topic)
            if time.monotonic() > ends:
                break
    assert not _has_logged(logs, "bus_lost")
    publisher.publish("quiet")
    await listener.wait_for("quiet")
