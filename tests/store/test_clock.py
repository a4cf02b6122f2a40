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
        with pytest.raises(UnavailableError, match="to reply to TIME"):
            await _slow_sample(clock, database)
        # Redis is there all the same.
        assert clock.is_fresh()
        await clock.sample()
        await database.close()


async def test_a_slow_answer_bears_out_the_time_that_is_known(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOWEST_SAMPLE", 0.1)
    async with embedded_redis(data) as url:
        database = Database(connect(url))
        clock = Clock(database)
        for _ in range(2):
            await clock.sample()
        offset = clock._offset
        await _slow_sample(clock, database)
        assert clock._offset == offset
        # One that contradicts it does not, and is not the time either.
        assert clock._bounds is not None
        clock._bounds = module._Bounds(offset + 60, offset + 61, clock._bounds.sent)
        with pytest.raises(UnavailableError, match="to reply to TIME"):
            await _slow_sample(clock, database)
        await database.close()


async def _slow_sample(clock: Clock, database: Database) -> None:
    """Look at the clock of a Redis that stands still for longer than that is good for."""
    pid = await signal_to(database.client, SIGSTOP)
    try:
        slow = asyncio.create_task(clock.sample())
        # The time itself is what this is about.
        await asyncio.sleep(2 * module.SLOWEST_SAMPLE)
    finally:
        os.kill(pid, SIGCONT)
    await slow


class Machine(Clock):
    """A clock on a machine and a Redis whose times the test sets."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, lambda: self.own)
        self.own = 1_000.0
        self.redis = 1_700_000_000.0
        self.way = 0.0
        self.looks = 0

    def pass_time(self, seconds: float) -> None:
        """Let time pass everywhere."""
        self.own += seconds
        self.redis += seconds

    async def _read_time(self) -> float:
        self.looks += 1
        self.pass_time(self.way / 2)
        told = self.redis
        self.pass_time(self.way / 2)
        return told


async def test_a_look_does_not_move_a_clock_that_it_does_not_prove_wrong(
    database: Database,
) -> None:
    clock = Machine(database)
    clock.way = 0.002
    await clock.sample()
    told = clock.now()
    for clock.way in (0.9, 0.001, 0.5, 0.003, 1.5):
        await clock.sample()
        assert abs(clock.now() - clock.redis * 1000) <= 2
        assert clock.now() > told
        told = clock.now()


async def test_a_small_correction_lets_the_time_stand_still_and_never_go_back(
    database: Database,
) -> None:
    clock = Machine(database)
    await clock.sample()
    clock.redis -= 0.1
    told = clock.now()
    await clock.sample()
    assert clock.now() == told
    clock.pass_time(0.05)
    assert clock.now() == told
    clock.pass_time(0.1)
    assert clock.now() == int(clock.redis * 1000) > told


@pytest.mark.parametrize("jump", [-3_600.0, -600.0, -1.0, 1.0, 600.0, 3_600.0])
async def test_a_clock_that_has_jumped_is_right_after_a_look(
    database: Database, jump: float
) -> None:
    clock = Machine(database)
    await clock.sample()
    clock.now()
    clock.own += jump
    assert abs(clock.now() - clock.redis * 1000) > 900
    await clock.sample()
    assert abs(clock.now() - clock.redis * 1000) <= 1


async def test_what_was_just_looked_at_is_confirmed_without_another_look(
    database: Database,
) -> None:
    clock = Machine(database)
    for _ in range(100):
        await clock.confirm()
    assert clock.looks == 1
    clock.pass_time(module.CONFIRMED_FOR)
    await clock.confirm()
    assert clock.looks == 2
    # A clock that jumps takes the last look for an older one, or for one that is yet to come.
    for jump in (module.CONFIRMED_FOR, -0.01):
        clock.own += jump
        looks = clock.looks
        await clock.confirm()
        assert clock.looks == looks + 1
        assert abs(clock.now() - clock.redis * 1000) <= 10


async def test_a_thousand_who_ask_at_once_share_a_look(redis: Client, database: Database) -> None:
    class Counting(Clock):
        looks = 0

        async def _read_time(self) -> float:
            self.looks += 1
            return await super()._read_time()

    clock = Counting(database)
    await asyncio.gather(*(clock.sample() for _ in range(1_000)))
    assert clock.looks == 1
    first = asyncio.create_task(clock.sample())
    while clock._current is None or clock._current.done():
        await asyncio.sleep(0)
    # That one has been sent: it tells nothing of what has happened since.
    await asyncio.gather(*(clock.sample() for _ in range(1_000)))
    await first
    assert clock.looks == 3
