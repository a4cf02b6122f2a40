"""Redis gone: commands are refused as unavailable, sockets stay, and all goes on by itself."""

from __future__ import annotations

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from server.store.embedded import embedded_redis
from tests.conftest import node
from tests.gateway.client import opened
from tests.gateway.play import race_of


async def test_redis_goes_and_comes_back_with_everything_in_it() -> None:
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="samedeal")))
        redis = embedded_redis(data)
        port = await stack.enter_async_context(node(await redis.__aenter__()))
        client = await stack.enter_async_context(opened(port))
        (attempt,) = await race_of(client)
        first = await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
        assert first["type"] == "moved"

        await redis.__aexit__(None, None, None)
        for type_, fields in (
            ("move", {"attempt": attempt["attempt"], "seq": 3, "move": "s>w"}),
            ("attempt.open", {"attempt": attempt["attempt"]}),
            ("daily.open", {"game": "robert"}),
            ("leaderboard.watch", {"game": "robert"}),
            ("room.create", {"game": "robert", "seats": 1, "limit": 60, "key": "k" * 8}),
        ):
            assert (await client.ask(type_, **fields))["code"] == "unavailable"
        assert (await client.ask("ping"))["type"] == "pong"

        await stack.enter_async_context(embedded_redis(data))
        again = await client.ask("move", attempt=attempt["attempt"], seq=3, move="s>w")
        assert again["result"]["moves"] == 2
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert snapshot["seq"] == 3
