"""Fixtures that more than one kind of test uses: a real Redis, and nodes on it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from redis.asyncio import Redis

from server.app import running_node
from server.settings import Settings
from server.store.connection import connect
from server.store.embedded import embedded_redis


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """Run one real redis-server for all tests, and return its address."""
    addresses: list[str] = []
    ready, stop = Event(), Event()

    async def run() -> None:
        # Not pytest's own directory: a socket's path must be short.
        with tempfile.TemporaryDirectory(prefix="samedeal") as data:
            async with embedded_redis(Path(data)) as address:
                addresses.append(address)
                ready.set()
                await asyncio.to_thread(stop.wait)

    thread = Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(30), "the redis-server does not start"
    yield addresses[0]
    stop.set()
    thread.join()


@pytest.fixture
async def redis_url(redis_server: str) -> str:
    """Return the address of a Redis that is empty."""
    redis = connect(redis_server)
    await redis.flushall()
    await redis.aclose()
    return redis_server


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """Return a client of an empty Redis."""
    client = connect(redis_url)
    yield client
    await client.aclose()


@asynccontextmanager
async def node(redis_url: str, **settings: object) -> AsyncIterator[int]:
    """Run a node on this Redis, and yield its port."""
    given = Settings(host="127.0.0.1", port=0, redis=redis_url, **settings)  # type: ignore[arg-type]
    async with running_node(given) as port:
        yield port


@pytest.fixture
async def port(redis_url: str) -> AsyncIterator[int]:
    """Run a node on an empty Redis, and return its port."""
    async with node(redis_url) as port:
        yield port
