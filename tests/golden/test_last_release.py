"""Nodes of the last release beside those of this one, and players who change between them."""

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


def as_before(room: Message) -> Message:
    """Return a room without what only this release sends, or counts otherwise."""
    names = ("locked", "proposals", "scores")
    known = {name: value for name, value in room.items() if name not in names}
    members = [member["player"] for member in room["members"]]
    round_ = {name: room["round"][name] for name in ("number", "deal", "starts", "over", "seed")}
    runners = [(runner["player"], runner["result"]) for runner in room["round"]["runners"]]
    return known | {"members": members, "round": round_ | {"runners": runners}}


class Player:
    """A player who connects to one node after the other.

    Attributes:
        client: the newest session.
        last: the last event about each attempt, by its id.
    """

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._token: str | None = None
        self.client: Client
        self.last: dict[str, Message] = {}

    async def connect(self, port: int) -> None:
        """Open a session on a node, and check that this closes the one before."""
        before = self.client if self._token else None
        self.client = await self._stack.enter_async_context(opened(port))
        self._token = (await self.client.hello(self._token))["token"]
        if before is not None:
            assert await before.closed() == 4001

    async def reopen(self, attempt: str, room: str | None = None) -> Message:
        """Open an attempt again, check that it is unchanged, and join its room; return it."""
        found = await self.client.ask("attempt.open", attempt=attempt)
        assert (found["seq"], found["result"]) == self.last_result(attempt)
        if room is not None:
            await self.client.ask("room.join", code=room)
        return found

    def note(self, attempt: Message) -> str:
        """Remember an attempt that was received, and return its id."""
        self.last[attempt["attempt"]] = attempt
        return str(attempt["attempt"])

    def last_result(self, attempt: str) -> tuple[int, Message]:
        """Return the number of an attempt's last entry, and its result."""
        return self.last[attempt]["seq"], self.last[attempt]["result"]

    async def play(self, attempt: str, count: int = 2) -> None:
        """Turn up `count` cards of the stock."""
        for _ in range(count):
            seq = self.last[attempt]["seq"] + 1
            answer = await self.client.ask("move", attempt=attempt, seq=seq, move="s>w")
            assert answer["type"] == "moved"
            self.last[attempt] = answer

    async def resign(self, attempt: str) -> None:
        """Give an attempt up."""
        seq = self.last[attempt]["seq"] + 1
        answer = await self.client.ask("resign", attempt=attempt, seq=seq)
        assert answer["result"]["end"] == "resigned"
        self.last[attempt] = answer


async def test_a_race_goes_on_across_nodes_of_both_releases(old: int, new: int) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = Player(stack), Player(stack)
        await ada.connect(old)
        await bob.connect(new)
        room = await ada.client.ask(
            "room.create", game="robert", seats=2, limit=600, key="0123456789"
        )
        code = room["code"]
        await bob.client.ask("room.join", code=code)
        for first, second in ((new, old), (old, new)):
            # A player on each release starts a round, which both play to its end. To the earlier
            # release, nobody is ready who has not said so.
            await bob.client.ask("room.ready", code=code, ready=False)
            await bob.client.ask("room.ready", code=code, ready=True)
            await ada.client.ask("room.start", code=code)
            runs = [each.note(await each.client.next("attempt")) for each in (ada, bob)]
            for player, run, port in zip((ada, bob), runs, (first, second), strict=True):
                await player.play(run)
                await player.connect(port)
                await player.reopen(run, code)
                await player.play(run)
            for player, run in zip((ada, bob), runs, strict=True):
                await player.resign(run)
            seen = [
                await each.client.next("room", lambda room: room["round"]["over"])
                for each in (ada, bob)
            ]
            assert as_before(seen[0]) == as_before(seen[1])
            results = [runner["result"] for runner in seen[0]["round"]["runners"]]
            assert results == [ada.last_result(runs[0])[1], bob.last_result(runs[1])[1]]
            for player in (ada, bob):
                shown = await player.client.ask("deal.show", deal=seen[0]["round"]["deal"])
                assert shown["seed"] == seen[0]["round"]["seed"] is not None


async def test_a_daily_goes_on_across_nodes_of_both_releases(old: int, new: int) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = Player(stack), Player(stack)
        rows, named = [], []
        for player, first, second in ((ada, old, new), (bob, new, old)):
            await player.connect(first)
            begun = await player.client.ask("daily.open", game="robert")
            run = player.note(begun)
            await player.play(run)
            await player.connect(second)
            found = await player.reopen(run)
            named.append((begun["rules"], found["rules"]))
            await player.play(run)
            await player.resign(run)
            assert (await player.client.ask("daily.open", game="robert"))["code"] == (
                "already_played"
            )
        for player in (ada, bob):
            board = await player.client.ask("leaderboard.watch", game="robert")
            if board["size"] < 2:
                board = await player.client.next("leaderboard", lambda each: each["size"] == 2)
            rows.append(board["top"])
        rules = ruleset("robert").digest
        assert named == [(None, rules), (rules, None)], "the last release names no rules"
        assert len(rows[0]) == 2
        assert rows[0] == rows[1]
