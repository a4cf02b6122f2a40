"""A full Redis: new games are refused, then moves; nothing is lost, and reads go on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import cast

import pytest
from structlog.testing import capture_logs

from server.base.net import limits
from server.base.nodes import store_memory
from server.play.core import keys
from tests.base.redis.servers import until
from tests.clients.client import Client, Message, opened
from tests.clients.play import give_up_daily
from tests.conftest import node
from tests.redis_servers import Server, running_server

pytestmark = pytest.mark.usefixtures("short_countdown")

BALLAST = 50_000_000
"""Bytes in Redis besides the node's data.

With them, connections' buffers change the used share by far less than a level.
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server() as server:
        server.ask("SETRANGE", "ballast", BALLAST, "x")
        yield server


def limit(server: Server, share: float) -> None:
    """Set Redis's memory limit so that the used memory is this share of it."""
    with server.client() as client:
        used = cast("dict[str, int]", client.info("memory"))["used_memory"]
        client.config_set("maxmemory", int(used / share))


async def move(client: Client, attempt: Message, seq: int) -> Message:
    return await client.ask("move", attempt=attempt["attempt"], seq=seq, move="s>w")


async def until_new_rooms(client: Client, *, opened_: bool) -> None:
    """Wait until the node opens new rooms, or refuses to."""
    fields = {"game": "robert", "seats": 2, "limit": 600, "key": "0123456789"}
    while True:
        answer = await client.ask("room.create", **fields)
        assert answer["type"] == "room" or answer["code"] in {"overloaded", "unavailable"}
        if (answer["type"] == "room") == opened_:
            return
        await asyncio.sleep(0.01)


async def test_play_survives_a_full_redis(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_memory, "CHECK_EVERY", 0.02)
    # Refused commands are retried in a loop.
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(1e6, 1e6))
    with capture_logs() as logs:
        async with node(server.url) as port, opened(port) as ada:
            await ada.hello(name="Ada")
            done = await give_up_daily(ada, "deuces")
            attempt = await ada.ask("daily.open", game="robert")
            assert (await move(ada, attempt, 2))["type"] == "moved"

            # Nearly full: nothing new starts, but running games go on.
            await asyncio.to_thread(limit, server, 0.925)
            await until_new_rooms(ada, opened_=False)
            refused = await ada.ask("daily.open", game="lady-betty")
            assert (refused["code"], refused["wait"] > 0) == ("overloaded", True)
            assert (await ada.ask("daily.open", game="robert"))["seq"] == 2
            assert (await move(ada, attempt, 3))["type"] == "moved"

            # Full: writes that need more memory are refused, but reads work.
            await asyncio.to_thread(limit, server, 1.5)
            await until(lambda: any(line["event"] == "store_full" for line in logs))
            for _ in range(3):
                assert (await move(ada, attempt, 4))["code"] == "unavailable"
            shown = await ada.ask("attempt.open", attempt=attempt["attempt"])
            assert (shown["seq"], shown["result"]["moves"]) == (3, 2)
            board = await ada.ask("leaderboard.watch", game="deuces")
            assert [row["player"]["name"] for row in board["top"]] == ["Ada"]
            assert (await ada.ask("deal.show", deal=done["deal"]))["commitment"]
            journal = keys.attempt(attempt["attempt"])
            assert await asyncio.to_thread(server.ask, "XLEN", journal) == 3

            # With room again, everything recovers by itself.
            await asyncio.to_thread(limit, server, 0.5)
            await until_new_rooms(ada, opened_=True)
            while (answer := await move(ada, attempt, 4))["type"] == "refused":
                assert answer["code"] == "unavailable"
                await asyncio.sleep(0.01)
            assert answer["result"]["moves"] == 3
            assert await asyncio.to_thread(server.ask, "XLEN", journal) == 4
    levels = ["store_short", "store_full", "store_free"]
    assert [line["event"] for line in logs if line["event"] in levels] == levels
