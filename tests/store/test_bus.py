"""Wake-ups: none is lost unnoticed."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP

import pytest
from redis.asyncio import Redis
from redis.crc import key_slot
from structlog.testing import capture_logs
from structlog.typing import EventDict

from server.store import bus as module
from server.store import connection
from server.store.bus import Bus
from server.store.connection import Client, connect
from server.store.database import Database
from server.store.embedded import embedded_redis
from tests.store.ears import Ear, listening
from tests.store.servers import drop_lines, running, servers_of, signal_to, until


@pytest.fixture
async def ear(database: Database) -> AsyncIterator[Ear]:
    async with listening(database) as ear:
        yield ear


@pytest.fixture
async def publisher(other: Database) -> Bus:
    """Return the bus of another node, which only publishes."""
    return Bus(other)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a lost connection be noticed, and made anew, soon."""
    monkeypatch.setattr(connection, "TIMEOUT", 0.5)
    monkeypatch.setattr(module, "RECONNECT_DELAY", 0.01)
    monkeypatch.setattr(module, "HEARTBEAT_INTERVAL", 0.05)
    monkeypatch.setattr(module, "HEARTBEAT_TIMEOUT", 0.5)


async def listeners(redis: Client, topic: str) -> int:
    """Return how many nodes are subscribed to a topic."""
    async with servers_of(redis) as servers:
        command = "NUMSUB" if isinstance(redis, Redis) else "SHARDNUMSUB"
        counts = [
            await server.execute_command("PUBSUB", command, topic)  # type: ignore[no-untyped-call]
            for server in servers
        ]
    return sum(int(number) for _, number in counts)


async def test_a_topic_is_looked_at_from_the_subscription_on(ear: Ear, publisher: Bus) -> None:
    ear.subscribe("a")
    assert await ear.next() == "a"
    for _ in range(3):
        publisher.publish("a")
        assert await ear.next() == "a"
    ear.subscribe("b")
    assert await ear.next() == "b"
    publisher.publish("b")
    assert await ear.next() == "b"
    publisher.publish("a")
    assert await ear.next() == "a"


async def test_what_is_published_is_heard_as_it_is(ear: Ear, publisher: Bus) -> None:
    ear.subscribe("a")
    assert await ear.message() == ("a", None)
    for payload in (b"", b"\xff\x00 no text", bytes(10_000)):
        publisher.publish("a", payload)
        assert await ear.message() == ("a", payload)


@pytest.mark.usefixtures("quick")
async def test_listeners_are_told_that_something_could_not_be_sent(database: Database) -> None:
    """Their own lines were whole all the time, so they would not know."""
    async with listening(database) as ear:
        ear.subscribe("a")
        assert await ear.message() == ("a", None)
        await database.reply("a", "PUBLISH", "elsewhere", "")
        ear.bus.publish("a", b"1")
        pipeline = database.pipeline_of("a")
        assert pipeline is not None
        pipeline.abort("cut by the test")
        assert await ear.message() == ("a", b"")


async def test_a_topic_that_is_left_and_listened_to_again_is_read_only(
    ear: Ear, publisher: Bus
) -> None:
    ear.subscribe("a")
    assert await ear.message() == ("a", None)
    ear.bus.unsubscribe("a")
    ear.subscribe("a")
    assert await ear.message() == ("a", None)
    publisher.publish("a", b"1")
    assert await ear.message() == ("a", b"1")
    assert ear.silent()


async def test_a_message_that_cannot_be_heard_holds_up_no_other(database: Database) -> None:
    heard: list[bytes | None] = []

    def subscriber(payload: bytes | None) -> None:
        heard.append(payload)
        assert payload != b"broken"

    bus = Bus(database)
    bus.subscribe("a", subscriber)

    async def heard_of(count: int) -> bool:
        return len(heard) == count

    async with running(bus.run):
        await until(lambda: heard_of(1))
        bus.publish("a", b"broken")
        bus.publish("a", b"whole")
        await until(lambda: heard_of(3))
    assert heard == [None, b"broken", b"whole"]


async def test_what_was_listened_to_before_the_bus_runs_is_heard(database: Database) -> None:
    ear = Ear(database)
    ear.subscribe("a")
    async with running(ear.bus.run):
        assert await ear.next() == "a"


async def test_a_topic_is_listened_to_as_often_as_it_was_asked_for(
    redis: Client, ear: Ear, publisher: Bus
) -> None:
    ear.subscribe("a")
    ear.subscribe("a")
    ear.subscribe("b")
    await ear.next_of("a", "b")
    ear.bus.unsubscribe("a")
    publisher.publish("a")
    assert await ear.next() == "a"
    ear.bus.unsubscribe("a")

    async def nobody_listens() -> bool:
        return await listeners(redis, "a") == 0

    await until(nobody_listens)
    publisher.publish("a")
    publisher.publish("b")
    assert await ear.next() == "b"
    assert ear.silent()
    ear.bus.unsubscribe("never")


@pytest.mark.usefixtures("quick")
async def test_after_a_lost_connection_every_topic_is_read_only(
    redis: Client, ear: Ear, publisher: Bus
) -> None:
    topics = [f"topic {number}" for number in range(20)]
    for topic in topics:
        ear.subscribe(topic)
    await ear.next_of(*topics)
    for _ in range(3):
        assert ear.silent()
        await drop_lines(redis)
        await ear.next_of(*topics)
        publisher.publish("topic 7")
        assert await ear.next() == "topic 7"


@pytest.mark.usefixtures("quick")
async def test_after_a_restart_of_redis_every_topic_is_read_only(data: Path) -> None:
    async with AsyncExitStack() as first:
        redis = connect(await first.enter_async_context(embedded_redis(data)))
        async with listening(Database(redis)) as ear:
            ear.subscribe("a")
            await ear.next_of("a")
            await signal_to(redis, SIGKILL)
            ear.bus.publish("a")
            ear.subscribe("b")
            await first.aclose()
            async with embedded_redis(data):
                await ear.next_of("a", "b")
                ear.bus.publish("b")
                assert await ear.next() == "b"
        await redis.aclose()


@pytest.mark.usefixtures("quick")
async def test_a_connection_that_says_nothing_any_more_is_made_anew(data: Path) -> None:
    async with embedded_redis(data) as url:
        redis = connect(url)
        async with listening(Database(redis)) as ear:
            ear.subscribe("a")
            await ear.next_of("a")
            pid = await signal_to(redis, SIGSTOP)
            try:
                with capture_logs() as logs:
                    await until(lambda: _said(logs, "bus_lost"))
            finally:
                os.kill(pid, SIGCONT)
            await ear.next_of("a")
        await redis.aclose()


async def _said(logs: list[EventDict], event: str) -> bool:
    return any(entry["event"] == event for entry in logs)


@pytest.mark.usefixtures("quick")
async def test_a_quiet_connection_is_kept_while_much_else_is_going_on(
    ear: Ear, publisher: Bus
) -> None:
    ear.subscribe("quiet")
    await ear.next_of("quiet")
    # In a cluster, all the rest is a matter of another server.
    thirds = {tag: key_slot(tag.encode()) * 3 // 16_384 for tag in ("quiet", *"abcdefgh")}
    tag = next(tag for tag in "abcdefgh" if thirds[tag] != thirds["quiet"])
    with capture_logs() as logs:
        ends = time.monotonic() + 3 * module.HEARTBEAT_TIMEOUT
        for number in count():
            topic = f"{{{tag}}} busy {number}"
            ear.subscribe(topic)
            assert await ear.next() == topic
            ear.bus.unsubscribe(topic)
            if time.monotonic() > ends:
                break
    assert not await _said(logs, "bus_lost")
    publisher.publish("quiet")
    await ear.next_of("quiet")
