"""Operators' acts as players notice them, immediately and on every node."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from server.app import services_alone
from server.base.core.ids import PlayerId, RoomCode
from server.circles.core.ids import CircleId
from server.moderation.operators import By, Operators
from server.players.core.names import guest_name
from server.settings import Settings
from tests.clients.client import opened
from tests.clients.play import give_up_daily, race_of, room_of
from tests.conftest import ALONE, SECRET_KEY_FILE

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

BY = By("mod", "testing")


@asynccontextmanager
async def operator(redis_url: str) -> AsyncIterator[Operators]:
    acks = int("+cluster" in redis_url)
    async with services_alone(
        Settings(redis=redis_url, replica_acks=acks, secret_key_file=SECRET_KEY_FILE)
    ) as services:
        yield services.operators


async def test_a_player_is_barred_on_two_nodes(ports: tuple[int, int], redis_url: str) -> None:
    here, there = ports
    async with opened(here) as phone, opened(there) as desk, opened(there) as other:
        welcome = await phone.hello()
        await desk.hello(welcome["token"])
        await other.hello()
        async with operator(redis_url) as operators:
            await operators.bar(BY, PlayerId(welcome["player"]["id"]), 1)
        for client in (phone, desk):
            assert ((await client.next("bye"))["code"], await client.closed()) == ("barred", 4008)
        assert (await other.ask("ping"))["type"] == "pong"
        async with opened(here) as again:
            refused = await again.hello(welcome["token"])
            assert (refused["type"], refused["code"]) == ("refused", "barred")
            assert 0 < refused["wait"] <= 86_400_000
            assert await again.closed() == 4008
        async with operator(redis_url) as operators:
            await operators.unbar(BY, PlayerId(welcome["player"]["id"]))
        async with opened(here) as again:
            assert (await again.hello(welcome["token"]))["type"] == "welcome"


async def test_hidden_names_leave_rooms_and_boards(ports: tuple[int, int], redis_url: str) -> None:
    async with opened(ports[0]) as rude, opened(ports[1]) as other:
        code = await room_of(rude, other)
        await rude.ask("rename", name="Rude")
        named = await other.next("room", lambda e: e["members"][0]["player"]["name"] == "Rude")
        player = PlayerId(named["members"][0]["player"]["id"])
        await give_up_daily(rude)
        await other.ask("leaderboard.watch", game="robert")
        async with operator(redis_url) as operators:
            await operators.hide_name(BY, player, hidden=True)
        guest = guest_name(player)
        await other.next("room", lambda e: e["members"][0]["player"]["name"] == guest)
        await other.next("leaderboard", lambda e: e["top"][0]["player"]["name"] == guest)
        assert (await rude.ask("rename", name="Ruder"))["code"] == "name_hidden"
        async with operator(redis_url) as operators:
            await operators.hide_name(BY, player, hidden=False)
        await other.next("room", lambda e: e["members"][0]["player"]["name"] == "Rude")
        await other.ask("room.leave", code=code)


async def test_a_closed_room_notifies_its_audience(ports: tuple[int, int], redis_url: str) -> None:
    async with opened(ports[0]) as one, opened(ports[1]) as other, opened(ports[1]) as stranger:
        mine, _ = await race_of(one, other)
        code = mine["room"]
        async with operator(redis_url) as operators:
            await operators.close_room(BY, RoomCode(code))
        for client in (one, other):
            assert (await client.next("removed")) | {"re": 0} == {
                "type": "removed",
                "re": 0,
                "code": code,
                "closed": True,
            }
            assert (await client.ask("room.join", code=code))["code"] == "room_closed"
        await stranger.hello()
        assert (await stranger.ask("room.join", code=code))["code"] == "room_closed"
        ended = await one.ask("attempt.open", attempt=mine["attempt"])
        assert ended["result"]["end"] == "resigned"
        assert (await one.ask("room.leave", code=code))["type"] == "done"


async def test_members_learn_of_rename_and_deletion(ports: tuple[int, int], redis_url: str) -> None:
    async with opened(ports[0]) as owner, opened(ports[1]) as other:
        await owner.hello()
        await other.hello()
        circle = await owner.ask("CreateCircle", name="Friends", key="0123456789")
        await other.ask("JoinCircle", link=circle["link"])
        named = CircleId(circle["circle"])
        for client in (owner, other):
            await client.ask("WatchCircle", circle=named)
        async with operator(redis_url) as operators:
            await operators.rename_circle(BY, named, "The club")
            for client in (owner, other):
                await client.next("Circle", lambda e: e["name"] == "The club")
            await operators.delete_circle(BY, named)
        for client in (owner, other):
            assert (await client.next("CircleGone"))["deleted"] is True
            assert (await client.ask("ListCircles"))["circles"] == []
            assert (await client.ask("WatchCircle", circle=named))["code"] == "unknown_circle"
