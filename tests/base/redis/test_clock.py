"""The clock: the time of Redis, extrapolated between samples."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.refusal import UnavailableError
from server.base.redis import clock as module
from server.base.redis.clock import RedisClock
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.processes import PATIENCE


async def time_of(redis: Client) -> int:
    seconds, micros = await redis.time()
    return int(seconds) * 1000 + int(micros) // 1000


@pytest.fixture
def slow_samples_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept each sample of a real Redis, however busy the machine is with other tests."""
    monkeypatch.setattr(module, "SLOWEST_SAMPLE", PATIENCE)
    monkeypatch.setattr(module, "SLOWEST_CHECK", PATIENCE)


@pytest.mark.usefixtures("slow_samples_count")
async def test_the_time_is_redis_time(
    redis: Client, database: Database, other_database: Database
) -> None:
    clocks = [RedisClock(database), RedisClock(other_database)]
    for clock in clocks:
        # The first sample also connects, which takes longer.
        await clock.sample()
        await clock.sample()
    for _ in range(20):
        before = await time_of(redis)
        shown = [clock.now() for clock in clocks]
        after = await time_of(redis)
        for clock, time in zip(clocks, shown, strict=True):
            assert clock._bounds is not None
            # A sample's error is at most half of its round trip.
            wrong = 1_000 * (clock._bounds.high - clock._bounds.low) / 2 + 5
            assert before - wrong <= time <= after + wrong


class _Machine(RedisClock):
    """A clock on a machine and a Redis with times set by the test, in seconds."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, lambda: self.local)
        self.local = 1_000.0
        self.redis = 1_700_000_000.0
        self.latency = 0.0
        self.samples = 0

    def pass_time(self, seconds: float) -> None:
        self.local += seconds
        self.redis += seconds

    async def _read_time(self) -> float:
        self.samples += 1
        self.pass_time(self.latency / 2)
        shown = self.redis
        self.pass_time(self.latency / 2)
        return shown


async def test_a_slow_sample_is_not_used(database: Database) -> None:
    clock = _Machine(database)
    clock.latency = module.SLOWEST_SAMPLE + 0.1
    with pytest.raises(UnavailableError, match="to reply to TIME"):
        await clock.sample()
    clock.latency = module.SLOWEST_SAMPLE - 0.1
    await clock.sample()
    assert abs(clock.now() - clock.redis * 1000) <= 1


async def test_a_slow_sample_confirms_an_agreeing_time(database: Database) -> None:
    clock = _Machine(database)
    await clock.sample()
    shown = clock.now() - clock.redis * 1000
    clock.latency = module.SLOWEST_SAMPLE + 0.1
    await clock.sample()
    assert abs(clock.now() - clock.redis * 1000 - shown) <= 1
    # A disagreeing sample does not confirm the time, and is not used.
    clock.redis += 60
    with pytest.raises(UnavailableError, match="to reply to TIME"):
        await clock.sample()
    assert abs(clock.now() - (clock.redis - 60) * 1000 - shown) <= 1


async def test_an_agreeing_sample_does_not_change_the_clock(database: Database) -> None:
    clock = _Machine(database)
    clock.latency = 0.002
    await clock.sample()
    shown = clock.now()
    for clock.latency in (0.9, 0.001, 0.5, 0.003, 1.5):
        await clock.sample()
        assert abs(clock.now() - clock.redis * 1000) <= 2
        assert clock.now() > shown
        shown = clock.now()


async def test_a_small_correction_stops_the_time_and_never_sets_it_back(database: Database) -> None:
    clock = _Machine(database)
    await clock.sample()
    clock.redis -= 0.1
    shown = clock.now()
    await clock.sample()
    assert clock.now() == shown
    clock.pass_time(0.05)
    assert clock.now() == shown
    clock.pass_time(0.1)
    assert clock.now() == int(clock.redis * 1000) > shown


@pytest.mark.parametrize("jump", [-3_600.0, -600.0, -1.0, 1.0, 600.0, 3_600.0])
async def test_a_sample_corrects_a_clock_that_has_jumped(database: Database, jump: float) -> None:
    clock = _Machine(database)
    await clock.sample()
    clock.now()
    clock.local += jump
    assert abs(clock.now() - clock.redis * 1000) > 900
    await clock.sample()
    assert abs(clock.now() - clock.redis * 1000) <= 1


async def test_a_recent_sample_confirms_the_time_without_another(database: Database) -> None:
    clock = _Machine(database)
    for _ in range(100):
        await clock.confirm()
    assert clock.samples == 1
    clock.pass_time(module.CONFIRMED_FOR)
    await clock.confirm()
    assert clock.samples == 2
    # After a jump, the last sample looks older than it is, or lies in the future.
    for jump in (module.CONFIRMED_FOR, -0.01):
        clock.local += jump
        samples = clock.samples
        await clock.confirm()
        assert clock.samples == samples + 1
        assert abs(clock.now() - clock.redis * 1000) <= 10


@pytest.mark.usefixtures("slow_samples_count")
async def test_concurrent_callers_share_one_sample(redis: Client, database: Database) -> None:
    class Counting(RedisClock):
        samples = 0

        async def _read_time(self) -> float:
            self.samples += 1
            return await super()._read_time()

    clock = Counting(database)
    await asyncio.gather(*(clock.sample() for _ in range(1_000)))
    assert clock.samples == 1
    first = asyncio.create_task(clock.sample())
    while clock._current is None or clock._current.done():
        await asyncio.sleep(0)
    # That sample is already in flight, so it may be older than later calls.
    await asyncio.gather(*(clock.sample() for _ in range(1_000)))
    await first
    assert clock.samples == 3
