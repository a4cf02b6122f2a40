"""A line of the bus that breaks while it is used."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.store.bus import _Line
from server.store.connection import FAILURES, connect
from tests.conftest import ALONE
from tests.store.servers import PATIENCE


async def takes_no_notice(_: str) -> None:
    """Take no notice of a wake-up."""


async def use(line: _Line) -> None:
    """Add a topic, and read what comes; either may find that the line is broken."""
    await line.subscribe({"one", "other"})
    assert line.reader is not None
    async with asyncio.timeout(PATIENCE):
        await line.reader


@ALONE
async def test_a_line_that_breaks_as_a_topic_is_added_ends_as_one_that_is_lost(
    redis_url: str,
) -> None:
    for _ in range(10):
        redis: Any = connect(redis_url)
        line = _Line(redis, takes_no_notice, sharded=False)
        await line.subscribe({"one"})
        connection: Any = line._pubsub.connection
        connection._writer.transport.abort()
        with pytest.raises(FAILURES):
            await use(line)
        await line.close()
        await redis.aclose()
