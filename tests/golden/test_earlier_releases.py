"""Nodes of earlier releases beside those of this one, and players who change between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from engine.catalog import ruleset
from server.app import alive_nodes
from server.base.redis import keys
from server.base.redis.connection import Client as Redis
from tests.conftest import node
from tests.gateway.client import Client, Message, opened
from tests.golden import releases
from tests.golden.nodes import node_of, unpack
from tests.store.servers import until


@pytest.fixture(params=releases())
def release(request: pytest.FixtureRequest) -> str:
    """Return the version of an earlier release."""
    return str(request.param)


@pytest.fixture
async def old(release: str, redis_url: str, tmp_path: Path) -> AsyncIterator[int]:
    """Run a node of an earlier release, and return its port."""

    async def registered() -> bool:
        return bool(await alive_nodes(redis_url))

    with node_of(unpack(release, tmp_path), redis_url) as (_, port):
        await until(registered)
        yield port


@pytest.fixture
async def new(old: int, redis_url: str) -> AsyncIterator[int]:
    """Run a node of this release beside that, and return its port."""
    async with node(redis_url) as port:
        yield port


def with_short_tags(value: object) -> object:
    """Return a part of a message with the tags that the earlier releases show: four letters."""
    if isinstance(value, list):
        return [with_short_tags(item) for item in value]
    if isinstance(value, dict):
        return {
            name: part[-4:] if name == "tag" and isinstance(part, str) else with_short_tags(part)
            for name, part in value.items()
        }
    return value


def as_before(room: Message) -> object:
    """Return a room without what only this release sends, or counts otherwise."""
    names = ("locked", "proposals", "scores")
    known = {name: value for name, value in room.items() if name not in names}
    members = [member["player"] for member in room["members"]]
    round_ = {name: room["round"][name] for name in ("number", "deal", "starts", "over", "seed")}
    runners = [
        {name: runner[name] for name in ("player", "result")} for runner in room["round"]["runners"]
    ]
    return with_short_tags(known | {"members": members, "round": round_ | {"runners": runners}})


class Player:
    """A player who connects to one node after the other.

    Attributes:
        client: the newest session.
        last: the last event about each attempt, by its id.
    """

    def __init__(self, stack: AsyncExitStack, old: int) -> None:
        self._stack = stack
        self._old = old
        self._token: str | None = None
        self.client: Client
        self.last: dict[str, Message] = {}

    async def connect(self, port: int) -> None:
        """Open a session on a node; one of the last release closes that before, on any node."""
        before = self.client if self._token else None
        self.client = await self._stack.enter_async_context(opened(port))
        self._token = (await self.client.hello(self._token))["token"]
        if before is not None and port == self._old:
            assert await before.closed() == 4001
        elif before is not None:
            assert (await before.ask("ping"))["type"] == "pong"

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
        ada, bob = Player(stack, old), Player(stack, old)
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


async def test_a_room_of_a_node_of_this_release_is_joined_on_one_of_an_earlier(
    old: int, new: int
) -> None:
    async with opened(new) as ada, opened(old) as bob:
        players = [(await each.hello())["player"]["id"] for each in (ada, bob)]
        room = await ada.ask("room.create", game="robert", seats=2, limit=600, key="01234567")
        joined = await bob.ask("room.join", code=room["code"])
        assert [member["player"]["id"] for member in joined["members"]] == players


async def test_a_daily_goes_on_across_nodes_of_both_releases(
    release: str, old: int, new: int
) -> None:
    async with AsyncExitStack() as stack:
        ada, bob = Player(stack, old), Player(stack, old)
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
        by_old = None if release == "0.1.0" else rules
        assert named == [(by_old, rules), (rules, by_old)]
        assert len(rows[0]) == 2
        assert with_short_tags(rows[0]) == with_short_tags(rows[1])


async def test_what_is_begun_on_this_release_and_played_on_an_earlier_is_kept(
    old: int, new: int, redis: Redis
) -> None:
    async with opened(old) as first:
        token = (await first.hello())["token"]
        async with opened(new) as client:
            await client.hello(token)
            attempt = (await client.ask("daily.open", game="robert"))["attempt"]
        async with opened(old) as client:
            await client.hello(token)
            await client.ask("attempt.open", attempt=attempt)
            moved = await client.ask("move", attempt=attempt, seq=2, move="s>w")
            assert moved["type"] == "moved"
    # An earlier release neither keeps the journal longer then, nor writes the deadline.
    assert await redis.pttl(keys.attempt(attempt)) > keys.ATTEMPT_LIFE
    due = await redis.zrange(keys.due(keys.partition(attempt)), 0, -1)
    assert any(attempt in str(each) for each in due)


async def test_who_keeps_the_identity_is_the_same_player_on_nodes_of_both_releases(
    old: int, new: int, redis: Redis
) -> None:
    async with opened(new) as client:
        ada = await client.hello(name="Ada")
        code = await client.keep()
        assert (await client.ask("SignIn", code=code))["token"] == ada["token"]
    async with opened(old) as client:
        found = await client.hello(ada["token"])
        assert found["player"] == with_short_tags(ada["player"])
        assert found["token"] == ada["token"]
    async with opened(new) as client:
        # The earlier release has let the record expire in its own time, which this one takes back.
        await client.hello(ada["token"])
        assert (await client.ask("GetAccount"))["kept"] is not None
        left = await redis.ttl(keys.player(ada["player"]["id"]))
        assert left == pytest.approx(keys.UNUSED_ACCOUNT_LIFE, abs=60)
        later = (await client.ask("SignOutEverywhere"))["token"]
    async with opened(old) as client:
        # Only from here on are there tokens that it does not read.
        assert (await client.hello(later))["code"] == "bad_token"
    async with opened(new) as client:
        assert (await client.hello(later))["player"] == ada["player"]
