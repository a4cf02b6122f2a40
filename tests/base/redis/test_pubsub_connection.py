"""A pub/sub connection that breaks during use."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.base.redis.bus import _PubSubConnection
from server.base.redis.connection import FAILURES, connect
from tests.conftest import ALONE
from tests.processes import PATIENCE


async def use(connection: _PubSubConnection) -> None:
    """Add a topic, and await the reader; either may raise on a broken connection."""
    await connection.change(["other"], [])
    assert connection.reader is not None
    async with asyncio.timeout(PATIENCE):
        await connection.reader


@ALONE
async def test_a_connection_breaking_while_a_topic_is_added_raises_a_failure(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers: list[asyncio.StreamWriter] = []
    open_connection = asyncio.open_connection

    async def noting(*address: Any, **options: Any) -> Any:
        streams = await open_connection(*address, **options)
        writers.append(streams[1])
        return streams

    monkeypatch.setattr(asyncio, "open_connection", noting)
    for _ in range(10):
        redis: Any = connect(redis_url)
        received: asyncio.Queue[str] = asyncio.Queue()

        def receive(topic: str, _: bytes | None, received: asyncio.Queue[str] = received) -> None:
            received.put_nowait(topic)

        connection = _PubSubConnection(redis, receive, sharded=False)
        await connection.open()
        await connection.change(["one"], [])
        assert await received.get() == "one"
        writers[-1].transport.abort()
        # The transport closes in the next turn of the loop, before the reader notices.
        await asyncio.sleep(0)
        with pytest.raises(FAILURES):
            await use(connection)
        await connection.close()
        await redis.aclose()
