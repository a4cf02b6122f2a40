"""Several nodes: what one of them that dies leaves behind is found out by the others."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from server.core.ids import PlayerId, RoomCode
from server.gateway import hub
from server.service import topics
from server.store import keys
from server.store.bus import Bus
from server.store.clock import Clock
from server.store.connection import Client as Redis
from server.store.database import Database
from tests.conftest import node
from tests.gateway.client import opened
from tests.gateway.play import KEY, room_of
from tests.processes import running
from tests.service.nodes import node_on


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes look soon for what they were not told."""
    monkeypatch.setattr(hub, "RENEW_EVERY", 0.1)


async def test_players_of_a_node_that_was_killed_are_shown_as_gone(
    redis_url: str, redis: Redis
) -> None:
    serve = [sys.executable, "-m", "server", "serve", "--host", "127.0.0.1", "--port", "0"]
    async with node(redis_url) as port, opened(port) as one:
        with running([*serve, "--redis", redis_url, "--log-format", "json"]) as killed:
            there = json.loads(await asyncio.to_thread(killed.wait_for, "listening"))["port"]
            async with opened(there) as other:
                await room_of(one, other)
                room = await one.next("room", lambda e: [m["here"] for m in e["members"]] == [1, 1])
                killed.kill()
                # This is what becomes of it in time.
                gone = PlayerId(room["members"][1]["player"]["id"])
                await redis.delete(keys.session(gone))
                await one.next("room", lambda e: [m["here"] for m in e["members"]] == [1, 0])


async def test_a_start_of_which_nobody_was_told_is_found_out(
    redis_url: str, database: Database
) -> None:
    """The node that called the round died before it could wake the others."""
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        code = RoomCode(await room_of(one, other))
        async with node_on(redis_url, Clock(database)) as silent:
            await silent.store.clock.sample()
            await silent.rooms.start(code, (await silent.rooms.find(code)).host)
        mine, yours = await one.next("attempt"), await other.next("attempt")
        assert mine["deal"] == yours["deal"]


async def test_a_look_that_finds_nothing_new_says_nothing(
    redis_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "RENEW_EVERY", 60)
    bus = Bus(database, hears_nothing)
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        code = RoomCode(await room_of(one, other))
        await one.next("room", lambda e: e["version"] == 4 and e["members"][1]["here"])
        told = one.seen.count("room")
        for _ in range(20):
            await bus.publish(topics.room(code))
            # Its answer comes after the look, if that has begun.
            await one.ask("leaderboard.watch", game="robert")
        await other.ask("room.ready", code=code, ready=False)
        await one.next("room", lambda e: e["version"] == 5)
        assert one.seen.count("room") == told + 1


async def test_who_was_told_of_more_than_the_store_has_is_to_come_back(
    redis_url: str, redis: Redis
) -> None:
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        token = (await one.hello())["token"]
        room = await one.ask("room.create", game="robert", seats=2, limit=600, key=KEY)
        await other.hello()
        await other.ask("room.join", code=room["code"])
        await one.next("room", lambda e: e["version"] == 3)
        await lose_last_entry(redis, keys.room(room["code"]))
        assert await one.closed() == 4006
        async with opened(port) as again:
            await again.hello(token)
            back = await again.ask("room.join", code=room["code"])
            assert (back["version"], len(back["members"])) == (2, 1)


async def lose_last_entry(redis: Redis, key: str) -> None:
    """Let a journal be what it was before its last entry, as after a power cut."""
    entries: Any = await redis.xrange(key)
    await redis.delete(key)
    for id_, fields in entries[:-1]:
        await redis.xadd(key, fields, id=id_)


async def hears_nothing(_: str) -> None:
    """Take no notice of a wake-up."""
