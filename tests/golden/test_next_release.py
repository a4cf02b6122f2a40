"""A node of a made-up next release runs next to one of this release, then raises the format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server.base.core import keys
from server.base.core.refusal import UnsuitableError
from server.base.nodes.format_store import NEWEST
from server.base.redis.connection import Client as Redis
from tests.base.redis.servers import until
from tests.clients.client import Client, Message, opened
from tests.conftest import ALONE, node
from tests.golden.nodes import change, copied, node_of

GAME = "robert"


@asynccontextmanager
async def next_release(folder: Path, redis_url: str) -> AsyncIterator[int]:
    """Run a node of the next release, which writes another format soon; yield its port."""
    nodes = copied(folder) / "server" / "base" / "nodes"
    change(nodes / "format_store.py", f"NEWEST: Final = {NEWEST}", f"NEWEST: Final = {NEWEST + 1}")
    change(nodes / "format.py", "ALONE_FOR_MS: Final = 600_000", "ALONE_FOR_MS: Final = 0")
    change(nodes / "format.py", "READ_EVERY = 5.0", "READ_EVERY = 0.1")
    # In a thread, so that the node of this release is not blocked.
    running = node_of(folder, redis_url)
    _, port = await asyncio.to_thread(running.__enter__)
    try:
        yield port
    finally:
        await asyncio.to_thread(running.__exit__, None, None, None)


class Player:
    """A player who changes between nodes; `run` is the last answer about the attempt."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._token: str | None = None
        self.client: Client
        self.run: Message = {}

    async def connect(self, port: int) -> None:
        """Open an additional session on a node."""
        self.client = await self._stack.enter_async_context(opened(port))
        self._token = (await self.client.hello(self._token))["token"]

    async def reopen(self, port: int) -> None:
        """Open the attempt in a session on another node, and check that it is unchanged."""
        await self.connect(port)
        found = await self.client.ask("attempt.open", attempt=self.run["attempt"])
        assert (found["seq"], found["result"]) == (self.run["seq"], self.run["result"])

    async def play(self) -> None:
        """Turn up two cards of the stock."""
        for _ in range(2):
            await self._go_on("move", move="s>w")

    async def resign(self) -> None:
        """Resign the attempt."""
        await self._go_on("resign")
        assert self.run["result"]["end"] == "resigned"

    async def _go_on(self, command: str, **given: Any) -> None:
        attempt, seq = self.run["attempt"], self.run["seq"] + 1
        answer = await self.client.ask(command, attempt=attempt, seq=seq, **given)
        assert answer["seq"] == seq, answer
        self.run = {"attempt": attempt, "seq": seq, "result": answer["result"]}


@ALONE
async def test_players_move_between_nodes_of_two_releases_until_the_older_stops(
    redis_url: str, redis: Redis, tmp_path: Path
) -> None:
    async with AsyncExitStack() as left_last:
        async with node(redis_url) as this:
            await until(lambda: _registered(redis, 1))
            newer = await left_last.enter_async_context(next_release(tmp_path, redis_url))
            await until(lambda: _registered(redis, 2))
            await _race(this, newer)
            await _daily(this, newer)
            assert await redis.get(keys.FORMAT) == str(NEWEST)

        async def raised() -> bool:
            return await redis.get(keys.FORMAT) == str(NEWEST + 1)

        await until(raised)
        with pytest.raises(UnsuitableError, match="A newer release"):
            async with node(redis_url):
                pytest.fail("the older node has started")


async def _race(this: int, newer: int) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = players = [Player(stack), Player(stack)]
        await ada.connect(this)
        await bob.connect(newer)
        room = await ada.client.ask("room.create", game=GAME, seats=2, limit=600, key="0123456789")
        await bob.client.ask("room.join", code=room["code"])
        # A round does not start without a member who is not known to be here.
        await ada.client.next(
            "room", lambda room: [m["here"] for m in room["members"]] == [True] * 2
        )
        await ada.client.ask("room.start", code=room["code"])
        for player, port in ((ada, newer), (bob, this)):
            player.run = await player.client.next("attempt")
            await player.play()
            await player.reopen(port)
            await player.client.ask("room.join", code=room["code"])
            await player.play()
        for player in players:
            await player.resign()
        seen = [
            await player.client.next("room", lambda room: room["round"]["over"])
            for player in players
        ]
        assert seen[0]["round"] == seen[1]["round"]
        assert [each["result"] for each in seen[0]["round"]["runners"]] == [
            player.run["result"] for player in players
        ]


async def _daily(this: int, newer: int) -> None:
    async with AsyncExitStack() as stack:
        for first, second in ((this, newer), (newer, this)):
            player = Player(stack)
            await player.connect(first)
            player.run = await player.client.ask("daily.open", game=GAME)
            await player.play()
            await player.reopen(second)
            await player.play()
            await player.resign()
        board = await player.client.ask("leaderboard.watch", game=GAME)
        if board["size"] < 2:
            board = await player.client.next("leaderboard", lambda each: each["size"] == 2)
        assert board["size"] == 2


async def _registered(redis: Redis, count: int) -> bool:
    return bool(await redis.zcard(keys.NODES) == count)
