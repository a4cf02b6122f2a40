"""The clock: Redis's, carried on between two looks."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP

import pytest

from server.core.refusal import UnavailableError
from server.store import clock as module
from server.store.clock import Clock
from server.store.connection import Client, connect
from server.store.database import Database
from server.store.embedded import embedded_redis
from tests.store.servers import running, signal_to, until


async def time_of(redis: Client) -> int:
    """Return a Redis's time in Unix milliseconds."""
    seconds, micros = await redis.time()
    return int(seconds) * 1000 + int(micros) // 1000


async def test_the_time_is_that_of_redis(
    redis: Client, database: Database, other: Database
) -> None:
    clocks = [Clock(database), Clock(other)]
    for clock in clocks:
        # The first look connects, and takes its time.
        await clock.sample()
        await clock.sample()
    for _ in range(20):
        before = await time_of(redis)
        shown = [clock.now() for clock in clocks]
        after = await time_of(redis)
        # A sample is half of its round trip off at the most.
        assert before - 50 <= min(shown) <= max(shown) <= after + 50


async def test_a_clock_says_whether_redis_is_there(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SAMPLE_EVERY", 0.01)
    monkeypatch.setattr(module, "FRESH_FOR", 0.5)
    async with AsyncExitStack() as first:
        redis = connect(await first.enter_async_context(embedded_redis(data)))
        clock = Clock(Database(redis))

        async def fresh() -> bool:
            return clock.is_fresh()

        async def stale() -> bool:
            return not clock.is_fresh()

        assert await stale()
        async with running(clock.run):
            await until(fresh)
            await signal_to(redis, SIGKILL)
            await until(stale)
            with pytest.raises(UnavailableError):
                await clock.sample()
            before = clock.now()
            await first.aclose()
            async with embedded_redis(data):
                await until(fresh)
                assert before <= clock.now()
        await redis.aclose()


async def test_what_took_too_long_to_come_is_not_the_time(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOWEST_SAMPLE", 0.1)
    async with embedded_redis(data) as url:
        database = Database(connect(url))
        clock = Clock(database)
        for _ in range(2):
            await clock.sample()
        offset = clock._offset
        pid = await signal_to(database.client, SIGSTOP)
        try:
            slow = asyncio.create_task(clock.sample())
            # The time itself is what this is about.
            await asyncio.sleep(2 * module.SLOWEST_SAMPLE)
        finally:
            os.kill(pid, SIGCONT)
        with pytest.raises(UnavailableError, match="to tell the time"):
            await slow
        assert clock._offset == offset
        # Redis is there all the same.
        assert clock.is_fresh()
        await clock.sample()
        await database.close()
