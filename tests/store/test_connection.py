"""The connection: every way in which Redis fails has one name."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from server.core.refusal import UnavailableError
from server.store.connection import answering, connect
from tests.store.servers import in_flight, until, writes_held_up


@pytest.mark.parametrize(
    "error", [RedisConnectionError("gone"), ResponseError("OOM"), OSError("gone"), TimeoutError()]
)
def test_what_redis_raises_is_unavailable(error: Exception) -> None:
    with pytest.raises(UnavailableError, match=type(error).__name__), answering():
        raise error


def test_what_is_our_own_fault_stays_as_it_is() -> None:
    with pytest.raises(KeyError), answering():
        raise KeyError


async def test_a_redis_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    redis = connect(f"unix://{tmp_path}/none.sock")
    with pytest.raises(UnavailableError), answering():
        await redis.ping()
    await redis.aclose()


@pytest.mark.parametrize("url", ["", "http://localhost", "localhost:6379"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="scheme"):
        connect(url)


async def test_a_command_that_is_given_up_shifts_no_answers(
    redis: Redis, other_redis: Redis
) -> None:
    async with writes_held_up(other_redis):
        task = asyncio.ensure_future(redis.incrby("count", 1_000))
        await until(lambda: in_flight(other_redis, "incrby"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    for number in range(50):
        assert await redis.echo(str(number)) == str(number)
