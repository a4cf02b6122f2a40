"""Nodes of the last release run beside those of this one, and players go from one to the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from engine.catalog import ruleset
from tests.conftest import node
from tests.gateway.client import Client, Message, opened
from tests.golden import releases
from tests.golden.nodes import node_of, unpack


@pytest.fixture
def old(redis_url: str, tmp_path: Path) -> Iterator[int]:
    """Run a node of the last release, and return its port."""
    with node_of(unpack(releases()[-1], tmp_path), redis_url) as (_, port):
        yield port


@pytest.fixture
async def new(redis_url: str) -> AsyncIterator[int]:
    """Run a node of this release, and return its port."""
    async with node(redis_url) as port:
        yield port


class Player:
    """A player who goes from node to node.

    Attributes:
        client: the newest session.
        at: what was told of each attempt last, by its id.
    """

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._token: str | None = None
        self.client: Client
        self.at: dict[str, Message] = {}

    async def go(self, port: int) -> None:
        """Open a session on a node; one on another node is closed by that."""
        before = self.client if self._token else None
        self.client = await self._stack.enter_async_context(opened(port))
        self._token = (await self.client.hello(self._token))["token"]
        if before is not None:
            assert await before.closed() == 4001

    async def came_back(self, attempt: str, room: str | None = None) -> Message:
        """Open an attempt again, which stands as it did, and its room; return the attempt."""
        found = await self.client.ask("attempt.open", attempt=attempt)
        assert (found["seq"], found["result"]) == self.stands(attempt)
        if room is not None:
            await self.client.ask("room.join", code=room)
        return found

    def takes(self, attempt: Message) -> str:
        """Note an attempt that was told, and return its id."""
        self.at[attempt["attempt"]] = attempt
        return str(attempt["attempt"])

    def stands(self, attempt: str) -> tuple[int, Message]:
        """Return how an attempt stands: the last entry and the result."""
        return self.at[attempt]["seq"], self.at[attempt]["result"]

    async def plays(self, attempt: str, count: int = 2) -> None:
        """Turn up some cards of the stock."""
        for _ in range(count):
            seq = self.at[attempt]["seq"] + 1
            told = await self.client.ask("move", attempt=attempt, seq=seq, move="s>w")
            assert told["type"] == "moved"
            self.at[attempt] = told

    async def resigns(self, attempt: str) -> None:
        """Give an attempt up."""
        seq = self.at[attempt]["seq"] + 1
        told = await self.client.ask("resign", attempt=attempt, seq=seq)
        assert told["result"]["end"] == "resigned"
        self.at[attempt] = told


async def test_a_race_goes_on_through_nodes_of_both(old: int, new: int) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = Player(stack), Player(stack)
        await ada.go(old)
        await bob.go(new)
        room = await ada.client.ask(
            "room.create", game="robert", seats=2, limit=600, key="0123456789"
        )
        code = room["code"]
        await bob.client.ask("room.join", code=code)
        for first, second in ((new, old), (old, new)):
            # Each release calls a round, which both play to its end.
            await bob.client.ask("room.ready", code=code, ready=True)
            await ada.client.ask("room.start", code=code)
            runs = [each.takes(await each.client.next("attempt")) for each in (ada, bob)]
            for player, run, port in zip((ada, bob), runs, (first, second), strict=True):
                await player.plays(run)
                await player.go(port)
                await player.came_back(run, code)
                await player.plays(run)
            for player, run in zip((ada, bob), runs, strict=True):
                await player.resigns(run)
            seen = [
                await each.client.next("room", lambda room: room["round"]["over"])
                for each in (ada, bob)
            ]
            assert seen[0] == seen[1]
            results = [runner["result"] for runner in seen[0]["round"]["runners"]]
            assert results == [ada.stands(runs[0])[1], bob.stands(runs[1])[1]]
            for player in (ada, bob):
                shown = await player.client.ask("deal.show", deal=seen[0]["round"]["deal"])
                assert shown["seed"] == seen[0]["round"]["seed"] is not None


async def test_a_daily_goes_on_through_nodes_of_both(old: int, new: int) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = Player(stack), Player(stack)
        rows, named = [], []
        for player, first, second in ((ada, old, new), (bob, new, old)):
            await player.go(first)
            begun = await player.client.ask("daily.open", game="robert")
            run = player.takes(begun)
            await player.plays(run)
            await player.go(second)
            found = await player.came_back(run)
            named.append((begun["rules"], found["rules"]))
            await player.plays(run)
            await player.resigns(run)
            assert (await player.client.ask("daily.open", game="robert"))["code"] == (
                "already_played"
            )
        for player in (ada, bob):
            board = await player.client.ask("leaderboard.watch", game="robert")
            if board["size"] < 2:
                board = await player.client.next("leaderboard", lambda each: each["size"] == 2)
            rows.append(board["top"])
        rules = ruleset("robert").digest
        assert named == [(None, rules), (rules, None)], (
            "a release that names no rules, and this one"
        )
        assert len(rows[0]) == 2
        assert rows[0] == rows[1]
