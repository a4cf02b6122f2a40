"""The pipeline: batches, their order, and failures when the connection is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
import structlog
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, ResponseError

from server.base.journals import batch_store
from server.base.redis import pipeline as module
from server.base.redis.connection import connect
from server.base.redis.handshake import pack
from server.base.redis.pipeline import Done, LostError, Pipeline, TooFewReplicasError, is_reported
from server.base.work.metrics import Metrics
from tests.base.redis.servers import calls, in_flight, reads, until, writes_held_up
from tests.conftest import client_of
from tests.processes import PATIENCE, free_port
from tests.redis_servers import Server, running_server

LIST = "list"
"""A key that only the operator may use, so that no data of a node interfere."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Run a Redis that no other test uses."""
    with running_server() as server:
        yield server


@pytest.fixture
async def redis(server: Server) -> AsyncIterator[Redis]:
    """Return a client of an empty Redis."""
    client = connect(server.admin_url)
    assert isinstance(client, Redis)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture
async def pipeline(redis: Redis) -> AsyncIterator[Pipeline]:
    """Return a connected pipeline to an empty Redis."""
    pipeline = Pipeline(redis, 0, Metrics())
    await pipeline.connect()
    yield pipeline
    async with asyncio.timeout(PATIENCE):
        await pipeline.close()


class Replies:
    """Sends commands, and records the replies in order of arrival."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.all: list[tuple[Any, Any]] = []

    def send(self, *command: str | int) -> None:
        """Send a command, and record (its last argument, the reply)."""
        self.pipeline.send(pack(*command), self.note(command[-1]))

    def note(self, what: object) -> Done:
        """Return a callback that records (`what`, the reply)."""
        return lambda reply: self.all.append((what, reply))

    def then_push(self, value: int) -> Done:
        """Return a callback that pushes a value."""
        return lambda _: self.push(value)

    def push(self, *values: str | int) -> None:
        """Push values to a list, with one command each."""
        for value in values:
            self.send("RPUSH", LIST, value)

    async def wait_for(self, count: int) -> None:
        """Wait until `count` replies have arrived; fail if there are more."""
        await until(lambda: len(self.all) >= count)
        assert len(self.all) == count

    @property
    def kinds(self) -> set[type]:
        """The types of the replies."""
        return {type(reply) for _, reply in self.all}


@pytest.fixture
def replies(pipeline: Pipeline) -> Replies:
    return Replies(pipeline)


@asynccontextmanager
async def replies_from(url: str, acks: int = 0) -> AsyncIterator[Replies]:
    """Yield the replies of another pipeline, which connects when it is used."""
    client = connect(url)
    assert isinstance(client, Redis)
    replies = Replies(Pipeline(client, acks, Metrics(), "one"))
    yield replies
    async with asyncio.timeout(PATIENCE):
        await replies.pipeline.close()
    await client.aclose()


async def test_the_commands_of_one_loop_turn_are_sent_in_one_batch(
    redis: Redis, pipeline: Pipeline, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await reads(redis)
    replies.push(*range(200))
    await replies.wait_for(200)
    # One for the batch, and one for this statistic.
    assert await reads(redis) - before == 2
    assert replies.all == [(number, number + 1) for number in range(200)]
    assert pipeline.waiting == 0


async def test_an_idle_pipeline_can_send_a_command_at_once(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    idle = [pipeline.is_idle]
    before = await reads(redis)
    pipeline.send_at_once(pack("RPUSH", LIST, 0), replies.note(0))
    idle.append(pipeline.is_idle)
    replies.push(1, 2)
    await replies.wait_for(3)
    # Two batches, and one for this statistic.
    assert await reads(redis) - before == 3
    assert replies.all == [(0, 1), (1, 2), (2, 3)]
    replies.push(3)
    idle.append(pipeline.is_idle)
    await replies.wait_for(4)
    idle.append(pipeline.is_idle)
    assert idle == [True, False, False, True]


async def test_a_pipeline_without_a_usable_connection_is_not_idle(
    redis: Redis, pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle: list[bool] = []

    def eof_received(_: Pipeline) -> None:
        # Called after the transport has been closed, and before `connection_lost`.
        asyncio.get_running_loop().call_soon(lambda: idle.append(pipeline.is_idle))

    monkeypatch.setattr(Pipeline, "eof_received", eof_received)
    await redis.client_kill_filter(_type="normal", skipme=True)
    await until(lambda: bool(idle) and pipeline.generation == 0)
    assert idle == [False]
    assert not pipeline.is_idle


async def test_commands_during_a_batch_in_flight_are_sent_in_the_next(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    async with writes_held_up(redis):
        replies.push("first")
        await until(lambda: in_flight(redis, "rpush"))
        before = await reads(redis)
        for number in range(50):
            replies.push(number)
            await asyncio.sleep(0)
        assert await reads(redis) - before == 1
        assert pipeline.waiting == 51
        assert replies.all == []
    await replies.wait_for(51)
    # The batch, the end of the pause, and the two commands of this statistic.
    assert await reads(redis) - before == 4
    assert await redis.lrange(LIST, 0, -1) == ["first", *map(str, range(50))]
    assert [value for value, _ in replies.all] == ["first", *range(50)]


async def test_a_batch_has_no_more_commands_than_its_bound(
    redis: Redis, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BATCH", 10)
    before = await reads(redis)
    replies.push(*range(95))
    await replies.wait_for(95)
    assert await reads(redis) - before == 11
    assert await redis.lrange(LIST, 0, -1) == [str(number) for number in range(95)]


async def test_a_command_can_be_packed_when_its_batch_is_sent(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    words: list[str] = []
    pipeline.send(lambda: pack("RPUSH", LIST, *words), replies.note("list"))
    words += ["a", "b"]
    await replies.wait_for(1)
    assert replies.all == [("list", 2)]
    assert await redis.lrange(LIST, 0, -1) == ["a", "b"]


async def test_commands_from_callbacks_are_sent_in_one_batch(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    before = await reads(redis)
    for number in range(20):
        pipeline.send(pack("PING"), replies.then_push(number))
    await replies.wait_for(20)
    assert await reads(redis) - before == 3


async def test_an_error_concerns_only_one_command(replies: Replies) -> None:
    replies.push(1)
    replies.send("HGET", LIST, "field")
    replies.push(2)
    await replies.wait_for(3)
    assert [type(reply) for _, reply in replies.all] == [int, ResponseError, int]


async def test_a_raising_callback_does_not_affect_others(
    pipeline: Pipeline, replies: Replies, loop_faults: list[str]
) -> None:
    def broken(_: Any) -> None:
        raise RuntimeError("broken on purpose")

    replies.push(1)
    pipeline.send(pack("PING"), broken)
    replies.push(2)
    await replies.wait_for(2)
    replies.push(3)
    await replies.wait_for(3)
    pipeline.send(pack("PING"), broken)
    replies.push(4)
    pipeline.abort("lost by the test")
    await replies.wait_for(4)
    assert loop_faults == ["broken on purpose"] * 2
    assert [value for value, _ in replies.all] == [1, 2, 3, 4]
    assert isinstance(replies.all[-1][1], LostError)


async def test_a_pipeline_is_full_at_its_bound(
    redis: Redis, pipeline: Pipeline, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    async with writes_held_up(redis):
        replies.push(1)
        await until(lambda: in_flight(redis, "rpush"))
        full = []
        for number in (2, 3):
            replies.push(number)
            full.append(pipeline.is_full)
    await replies.wait_for(3)
    assert [*full, pipeline.is_full] == [False, True, False]


async def test_each_connection_has_its_own_generation(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    seen = [pipeline.generation]
    for _ in range(3):
        pipeline.abort("lost by the test")
        assert pipeline.generation == 0
        replies.push(1)
        await replies.wait_for(len(seen))
        seen.append(pipeline.generation)
    assert seen == sorted(set(seen))
    assert seen[0] > 0
    another = Pipeline(redis, 0, Metrics())
    assert another.generation == 0
    await another.connect()
    assert another.generation > seen[-1]
    await another.close()
    assert another.generation == 0


async def test_concurrent_callers_of_connect_share_one_connection(redis: Redis) -> None:
    pipeline = Pipeline(redis, 0, Metrics())
    before = (await redis.info("stats"))["total_connections_received"]
    given_up, *tasks = [asyncio.create_task(pipeline.connect()) for _ in range(5)]
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.gather(*tasks)
    await pipeline.connect()
    assert (await redis.info("stats"))["total_connections_received"] == before + 1
    await pipeline.close()


async def test_pending_commands_fail_as_lost_when_the_connection_breaks(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    async with writes_held_up(redis):
        replies.push("in flight")
        await until(lambda: in_flight(redis, "rpush"))
        replies.push("waiting")
        await redis.client_kill_filter(_type="normal", skipme=True)
        await replies.wait_for(2)
        assert replies.kinds == {LostError}
        assert pipeline.generation == 0
        assert pipeline.waiting == 0
    replies.push("after")
    await replies.wait_for(3)
    assert replies.all[-1][1] == len(await redis.lrange(LIST, 0, -1))
    assert "waiting" not in await redis.lrange(LIST, 0, -1)


@pytest.mark.usefixtures("quick_redis")
async def test_pending_commands_fail_as_lost_when_the_server_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with running_server() as server:
        async with replies_from(server.admin_url) as replies:
            replies.push(1)
            await replies.wait_for(1)
            first = replies.pipeline.generation
            server.signal(SIGSTOP)
            # Shorten it only now: on a busy machine, an answer may take as long.
            with monkeypatch.context() as shorter:
                shorter.setattr(module, "TIMEOUT", 0.2)
                replies.push(2, 3)
                await asyncio.sleep(0)
                replies.push(4)
                await replies.wait_for(4)
            assert [type(reply) for _, reply in replies.all[1:]] == [LostError] * 3
            assert replies.pipeline.generation == 0
            server.signal(SIGCONT)
            replies.push(5)
            await replies.wait_for(5)
            assert isinstance(replies.all[-1][1], int)
            assert replies.pipeline.generation > first


async def test_pending_commands_fail_when_the_server_cannot_be_reached() -> None:
    async with replies_from(f"redis://127.0.0.1:{free_port()}") as replies:
        replies.push(1, 2)
        await replies.wait_for(2)
        assert all(isinstance(reply, Exception) for _, reply in replies.all)
        with pytest.raises(RedisConnectionError, match="connecting"):
            await replies.pipeline.connect()
        assert replies.pipeline.generation == 0


def append(pipeline: Pipeline, replies: Replies, number: int) -> None:
    call = batch_store.APPEND.call(["journal"], 0, 0, 10**15, 1, number, "text", "")
    pipeline.send(lambda: pack(*call), replies.note(number))


async def test_pending_commands_fail_as_lost_when_the_handshake_is_cut() -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"HELLO")
        writer.close()

    async with await asyncio.start_server(cut, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        async with replies_from(f"redis://127.0.0.1:{port}") as replies:
            replies.send("PING")
            await replies.wait_for(1)
    ((_, error),) = replies.all
    assert isinstance(error, RedisConnectionError)


async def test_a_script_lost_by_redis_is_loaded_with_a_new_connection(
    redis: Redis, pipeline: Pipeline, replies: Replies
) -> None:
    append(pipeline, replies, 1)
    await replies.wait_for(1)
    first = pipeline.generation
    await redis.script_flush()
    replies.push("before")
    append(pipeline, replies, 2)
    append(pipeline, replies, 2)
    replies.push("after")
    await replies.wait_for(5)
    kinds = [int, NoScriptError, NoScriptError, int]
    assert [type(reply) for _, reply in replies.all[1:]] == kinds
    assert pipeline.generation == 0
    append(pipeline, replies, 2)
    await replies.wait_for(6)
    assert replies.all[-1] == (2, [1])
    assert pipeline.generation == first + 1
    assert await redis.lrange(LIST, 0, -1) == ["before", "after"]


@pytest.fixture(scope="module")
def replicated() -> Any:
    with running_server() as master, running_server() as replica:
        replica.ask("REPLICAOF", "127.0.0.1", master.port)
        replica.ask("CONFIG", "SET", "repl-timeout", 60)
        yield master, replica


async def test_an_acknowledged_command_is_on_the_required_number_of_replicas(
    replicated: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    master, replica = replicated
    url = master.admin_url
    await until(lambda: replica.ask("ROLE")[3] == "connected")
    async with client_of(url) as client, replies_from(url, 1) as replies:
        before = await calls(client, "wait")
        replies.push(*range(10))
        await replies.wait_for(10)
        assert await calls(client, "wait") - before == 1
        assert replica.ask("LLEN", LIST) == 10
        monkeypatch.setattr(module, "ACKNOWLEDGED_WITHIN", 0.1)
        replica.signal(SIGSTOP)
        try:
            with structlog.testing.capture_logs() as logs:
                replies.push(11)
                replies.send("HGET", LIST, "field")
                replies.push(12)
                await replies.wait_for(13)
        finally:
            replica.signal(SIGCONT)
        said = "0 replicas have it instead of 1"
        assert [(line["event"], line["error"]) for line in logs] == [("replicas_missing", said)]
        found = [reply for _, reply in replies.all[10:]]
        kinds = [TooFewReplicasError, ResponseError, TooFewReplicasError]
        assert [type(reply) for reply in found] == kinds
        assert str(found[0]) == said
        assert replies.pipeline.generation > 0


@pytest.mark.parametrize("connected", [True, False])
async def test_closing_waits_for_a_command_just_sent(redis: Redis, *, connected: bool) -> None:
    pipeline = Pipeline(redis, 0, Metrics())
    if connected:
        await pipeline.connect()
    replies = Replies(pipeline)
    replies.push(1)
    async with asyncio.timeout(PATIENCE):
        await pipeline.close()
    assert replies.all == [(1, 1)]
    assert pipeline.generation == 0
    assert await redis.lrange(LIST, 0, -1) == ["1"]


async def test_closing_waits_for_commands_in_flight_and_their_callbacks_commands(
    redis: Redis, replies: Replies, pipeline: Pipeline
) -> None:
    async with writes_held_up(redis):
        pipeline.send(pack("RPUSH", LIST, "first"), lambda _: replies.push("second"))
        await until(lambda: in_flight(redis, "rpush"))
        closing = asyncio.create_task(pipeline.close())
        await redis.ping()
        assert not closing.done()
    async with asyncio.timeout(PATIENCE):
        await closing
    assert replies.all == [("second", 2)]


async def test_an_unpackable_command_fails_without_affecting_others(replies: Replies) -> None:
    def pack_nothing() -> bytes:
        raise ValueError("there is nothing to pack")

    replies.send("ECHO", "before")
    replies.pipeline.send(pack_nothing, replies.note("broken"))
    replies.send("ECHO", "after")
    await replies.pipeline.close()
    found = dict(replies.all)
    assert (found["before"], found["after"]) == ("before", "after")
    assert isinstance(found["broken"], ValueError)


async def test_losing_and_regaining_a_server_is_logged_once() -> None:
    with running_server() as server, structlog.testing.capture_logs() as logs:
        async with replies_from(server.admin_url) as replies:
            replies.push(1)
            await replies.wait_for(1)
            server.kill()
            for count in (2, 3, 4):
                replies.push(count)
                await replies.wait_for(count)
            server.start()
            replies.push(5)
            await replies.wait_for(5)
    told = [(line["event"], line["server"]) for line in logs]
    assert told == [("store_lost", "one"), ("store_back", "one")]
    assert all(is_reported(reply) for _, reply in replies.all[1:4])


async def test_refusing_and_accepting_writes_is_logged_once(
    redis: Redis, replies: Replies, pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "return redis.call('SET', KEYS[1], 'x')"
    with structlog.testing.capture_logs() as logs:
        await redis.config_set("maxmemory", "1")
        replies.push(1, 2)
        await replies.wait_for(2)
        replies.send("EVAL", script, 1, LIST)
        replies.send("GET", LIST)
        await replies.wait_for(4)
        await redis.config_set("maxmemory", "0")
        replies.send("GET", "nothing")
        await replies.wait_for(5)
        assert [line["event"] for line in logs] == ["writes_refused"]
        monkeypatch.setattr(pipeline._refusing, "_quiet", 0.0)
        replies.push(3)
        await replies.wait_for(6)
    assert [line["event"] for line in logs] == ["writes_refused", "writes_accepted"]
    assert "maxmemory" in logs[0]["error"]
    assert all(is_reported(reply) for _, reply in replies.all[:3])
