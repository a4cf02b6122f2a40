"""A pub/sub connection that breaks while it is used."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.store.bus import _PubSubConnection
from server.store.connection import FAILURES, connect
from tests.conftest import ALONE
from tests.store.servers import PATIENCE


async def use(connection: _PubSubConnection) -> None:
    """Add a topic, and read what comes; either may find that it is broken."""
    await connection.change(["other"], [])
    assert connection.reader is not None
    async with asyncio.timeout(PATIENCE):
        await connection.reader


@ALONE
async def test_a_connection_that_breaks_as_a_topic_is_added_ends_as_one_that_is_lost(
    redis_url: str,
) -> None:
    for _ in range(10):
        redis: Any = connect(redis_url)
        heard: asyncio.Queue[str] = asyncio.Queue()

        def hear(topic: str, _: bytes | None, heard: asyncio.Queue[str] = heard) -> None:
            heard.put_nowait(topic)

        connection = _PubSubConnection(redis, hear, sharded=False)
        await connection.open()
        await connection.change(["one"], [])
        assert await heard.get() == "one"
        inner: Any = connection._connection
        inner._writer.transport.abort()
        # The transport is gone with the next turn of the loop, and nobody has been told.
        await asyncio.sleep(0)
        with pytest.raises(FAILURES):
            await use(connection)
        await connection.close()
        await redis.aclose()
