"""A line of the bus that breaks while it is used."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.store.bus import _Line
from server.store.connection import FAILURES, connect
from tests.conftest import ALONE
from tests.store.servers import PATIENCE


async def use(line: _Line) -> None:
    """Add a topic, and read what comes; either may find that the line is broken."""
    await line.change(["other"], [])
    assert line.reader is not None
    async with asyncio.timeout(PATIENCE):
        await line.reader


@ALONE
async def test_a_line_that_breaks_as_a_topic_is_added_ends_as_one_that_is_lost(
    redis_url: str,
) -> None:
    for _ in range(10):
        redis: Any = connect(redis_url)
        heard: asyncio.Queue[str] = asyncio.Queue()

        def hear(topic: str, _: bytes | None, heard: asyncio.Queue[str] = heard) -> None:
            heard.put_nowait(topic)

        line = _Line(redis, hear, sharded=False)
        await line.open()
        await line.change(["one"], [])
        assert await heard.get() == "one"
        connection: Any = line._connection
        connection._writer.transport.abort()
        # The transport is gone with the next turn of the loop, and nobody has been told.
        await asyncio.sleep(0)
        with pytest.raises(FAILURES):
            await use(line)
        await line.close()
        await redis.aclose()
