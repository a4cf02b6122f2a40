"""Helpers of tests on a Redis: polling, connections, faults and statistics."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from inspect import isawaitable
from operator import methodcaller
from signal import SIGCONT, SIGSTOP
from typing import Any, Protocol

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.base.redis.connection import Client, connect, server_client
from server.base.redis.database import Database
from server.base.redis.pipeline import Pipeline
from server.base.work.background import Background
from server.base.work.stop import Stop
from tests.processes import PATIENCE
from tests.redis_servers import Server, running_server


async def until(condition: Callable[[], object]) -> None:
    """Poll until a condition, or its awaited result, is true.

    Raises:
        TimeoutError: it has not become true within `PATIENCE` seconds.
    """
    async with asyncio.timeout(PATIENCE):
        while not await _now(condition):
            await asyncio.sleep(0.002)


async def until_equal(read: Callable[[], object], expected: object) -> None:
    """Poll until a value, or the awaited one, equals the expected one; otherwise like `until`."""
    async with asyncio.timeout(PATIENCE):
        while await _now(read) != expected:
            await asyncio.sleep(0.002)


async def most_resumed(waits: Iterable[Awaitable[object]]) -> int:
    """Await each in its own task; return the maximum that ended in one pass of the event loop."""
    resumed = Counter[int]()
    passes = 0

    async def wait(for_: Awaitable[object]) -> None:
        await for_
        resumed[passes] += 1

    async with asyncio.timeout(PATIENCE):
        tasks = [asyncio.create_task(wait(each)) for each in waits]
        while not all(task.done() for task in tasks):
            passes += 1
            await asyncio.sleep(0)
    for task in tasks:
        task.result()
    return max(resumed.values())


async def _now(read: Callable[[], object]) -> object:
    found = read()
    return await found if isawaitable(found) else found


@asynccontextmanager
async def running(work: Callable[[Stop], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Run background work within the context."""
    stop = Stop()
    task = asyncio.create_task(work(stop))
    try:
        yield
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE):
            await task


class Part(Protocol):
    """A part of a node that has background work."""

    def run_in(self, background: Background, /) -> None:
        """Register it."""


def work_of(*parts: Part) -> Callable[[Stop], Coroutine[Any, Any, None]]:
    """Return the background work of some parts of a node, for `running`."""

    async def work(stop: Stop) -> None:
        background = Background(stop.set)
        for part in parts:
            part.run_in(background)
        background.start()
        await stop.wait()
        await background.close()
        background.raise_failure()

    return work


@asynccontextmanager
async def database_at(url: str, acks: int = 0) -> AsyncIterator[Database]:
    """Yield a database at an address, and close it at the end."""
    database = Database(connect(url), acks)
    try:
        yield database
    finally:
        async with asyncio.timeout(PATIENCE):
            await database.close()


@asynccontextmanager
async def database_alone(**options: str) -> AsyncIterator[tuple[Server, Database]]:
    """Run a redis-server of the test's own, and yield it and a database on it."""
    with running_server(**options) as server:
        async with database_at(server.url) as database:
            yield server, database


def lose_connection(database: Database, key: str) -> Pipeline:
    """Break the connection to a key's server, which precedes every loss of data."""
    pipeline = database.pipeline_of(key)
    assert pipeline is not None
    pipeline.abort("lost by the test")
    return pipeline


async def pid_of(redis: Client) -> int:
    return int((await redis.info("server"))["process_id"])


@asynccontextmanager
async def servers_of(redis: Client) -> AsyncIterator[list[Redis]]:
    """Yield a client of each server that takes writes."""
    if isinstance(redis, Redis):
        yield [redis]
        return
    await redis.initialize()
    servers = [server_client(server) for server in redis.get_primaries()]
    try:
        yield servers
    finally:
        for server in servers:
            await server.aclose()


@asynccontextmanager
async def writes_held_up(redis: Client) -> AsyncIterator[None]:
    """Pause all writes within the context."""
    async with servers_of(redis) as servers:
        for server in servers:
            await server.client_pause(60_000, all=False)
        try:
            yield
        finally:
            # A test may have killed the server meanwhile.
            with suppress(RedisError):
                for server in servers:
                    await server.client_unpause()


async def drop_pubsub_connections(redis: Client) -> None:
    async with servers_of(redis) as servers:
        for server in servers:
            await server.client_kill_filter(_type="pubsub")


async def in_flight(redis: Client, *commands: str) -> bool:
    """Return whether a client's last command is one of these; a paused command is the last."""
    async with servers_of(redis) as servers:
        clients = [client for server in servers for client in await server.client_list()]
    return any(client["cmd"].split("|")[0] in commands for client in clients)


async def is_rewritten(redis: Client) -> bool:
    """Return whether the append-only file has been rewritten."""
    found = await redis.info("persistence")
    return not (found["aof_rewrite_in_progress"] or found["aof_rewrite_scheduled"])


async def reads(redis: Client) -> int:
    """Return the number of Redis's reads from its clients: one for each small batch."""
    async with servers_of(redis) as servers:
        stats = [await server.info("stats") for server in servers]
    return sum(int(each["total_reads_processed"]) for each in stats)


async def calls(redis: Client, command: str) -> int:
    """Return the number of calls of a command, including calls from scripts."""
    async with servers_of(redis) as servers:
        stats = [await server.info("commandstats") for server in servers]
    return sum(int(each.get(f"cmdstat_{command}", {}).get("calls", 0)) for each in stats)


Act = Callable[[Server], object]


def asks(command: str) -> Act:
    return lambda server: server.ask(*command.split())


FAULTS = [
    pytest.param(Server.kill, Server.start, id="killed"),
    pytest.param(methodcaller("signal", SIGSTOP), methodcaller("signal", SIGCONT), id="hangs"),
    *(
        pytest.param(asks(breaks), asks(mends), id=breaks)
        for breaks, mends in (
            ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
            ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
        )
    ),
]
"""Ways to make a Redis unavailable, and to make it available again."""
