"""Redis in the hands of a test: held up, killed, and watched."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from server.stop import Stop
from server.store.connection import Client, server_client

PATIENCE = 20.0
"""Seconds after which what has not happened will not."""


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Return as soon as a condition holds."""
    async with asyncio.timeout(PATIENCE):
        while not await condition():
            await asyncio.sleep(0.002)


@asynccontextmanager
async def running(work: Callable[[Stop], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Let work go on until the context is left."""
    stop = Stop()
    task = asyncio.create_task(work(stop))
    try:
        yield
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE):
            await task


@contextmanager
def short_directory() -> Iterator[Path]:
    """Make a directory whose path is short enough for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="samedeal") as made:
        yield Path(made)


async def pid_of(redis: Client) -> int:
    """Return the process of a Redis that is alone."""
    return int((await redis.info("server"))["process_id"])


async def signal_to(redis: Client, number: signal.Signals) -> int:
    """Send a signal to a Redis, and return its process."""
    pid = await pid_of(redis)
    os.kill(pid, number)
    return pid


@asynccontextmanager
async def servers_of(redis: Client) -> AsyncIterator[list[Redis]]:
    """Have a client of each server that takes writes."""
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
    """Let no write come through until the context is left."""
    async with servers_of(redis) as servers:
        for server in servers:
            await server.client_pause(60_000, all=False)
        try:
            yield
        finally:
            # One that has been killed holds nothing up any more.
            with suppress(RedisError):
                for server in servers:
                    await server.client_unpause()


async def drop_lines(redis: Client) -> None:
    """Break every connection that listens."""
    async with servers_of(redis) as servers:
        for server in servers:
            await server.client_kill_filter(_type="pubsub")


async def in_flight(redis: Client, *commands: str) -> bool:
    """Return whether a client's last command is one of these; one held up is the last."""
    async with servers_of(redis) as servers:
        clients = [client for server in servers for client in await server.client_list()]
    return any(client["cmd"].split("|")[0] in commands for client in clients)


async def reads(redis: Client) -> int:
    """Return how often Redis has read from a client: once for each small pipeline."""
    async with servers_of(redis) as servers:
        stats = [await server.info("stats") for server in servers]
    return sum(int(each["total_reads_processed"]) for each in stats)


async def calls(redis: Client, command: str) -> int:
    """Return how often Redis has run a command, called from a script or not."""
    async with servers_of(redis) as servers:
        stats = [await server.info("commandstats") for server in servers]
    return sum(int(each.get(f"cmdstat_{command}", {}).get("calls", 0)) for each in stats)
