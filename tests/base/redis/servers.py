"""Helpers of tests that pause and kill a Redis, and read its statistics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.base.redis.connection import Client, server_client
from server.base.work.background import Background
from server.base.work.stop import Stop
from tests.processes import PATIENCE


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Poll until a condition holds; raise `TimeoutError` after `PATIENCE` seconds."""
    async with asyncio.timeout(PATIENCE):
        while not await condition():
            await asyncio.sleep(0.002)


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


async def pid_of(redis: Client) -> int:
    """Return the process id of a single Redis."""
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
    """Break every pub/sub connection."""
    async with servers_of(redis) as servers:
        for server in servers:
            await server.client_kill_filter(_type="pubsub")


async def in_flight(redis: Client, *commands: str) -> bool:
    """Return whether a client's last command is one of these; a paused command is the last."""
    async with servers_of(redis) as servers:
        clients = [client for server in servers for client in await server.client_list()]
    return any(client["cmd"].split("|")[0] in commands for client in clients)


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
