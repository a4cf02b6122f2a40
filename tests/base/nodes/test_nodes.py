"""Several nodes: the others detect the leftovers of a dead one."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from server.base.core.ids import RoomCode
from server.base.nodes import registration
from server.base.redis.clock import RedisClock
from server.base.redis.connection import Client as Redis
from server.base.redis.database import Database
from server.rooms.core import keys as rooms_keys
from tests.base.journals.entries import replace_journal
from tests.base.redis.servers import drop_pubsub_connections, until, work_of
from tests.base.redis.servers import running as working
from tests.clients.client import Client, opened
from tests.clients.play import KEY, room_of
from tests.conftest import node
from tests.nodes import node_on
from tests.play.test_resume_handlers import start
from tests.processes import Running, running

pytestmark = pytest.mark.usefixtures("short_countdown")


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renew registrations, and so check for live nodes, every 100 ms."""
    monkeypatch.setattr(registration, "RENEW_EVERY", 0.1)


_SERVES = """
import sys
from server.base.nodes import registration
from server.base.core import keys
registration.RENEW_EVERY = 0.1
keys.NODE_LIFE_S = 1
from server.cli.main import main
main(sys.argv[1:])
"""
"""A node whose registration expires after a second."""


@asynccontextmanager
async def beside_another(redis_url: str) -> AsyncIterator[tuple[Client, Client, Running]]:
    """Yield a client of a node, a client of another one, and that node's process."""
    serve = [sys.executable, "-c", _SERVES, "serve", "--host", "127.0.0.1", "--port", "0"]
    async with node(redis_url) as port:
        with running([*serve, "--redis", redis_url, "--log-format", "json"]) as other:
            there = json.loads(await asyncio.to_thread(other.wait_for, "listening"))["port"]
            async with opened(port) as one, opened(there) as two:
                yield one, two, other


async def test_players_of_a_killed_node_are_shown_as_absent(redis_url: str) -> None:
    async with beside_another(redis_url) as (one, other, killed):
        await room_of(one, other)
        await one.next("room", lambda e: [m["here"] for m in e["members"]] == [1, 1])
        killed.kill()
        await one.next("room", lambda e: [m["here"] for m in e["members"]] == [1, 0])


@pytest.mark.deep
async def test_a_killed_nodes_attempts_are_released(redis_url: str) -> None:
    async with beside_another(redis_url) as (desk, phone, killed):
        token, attempt = await start(desk)
        await phone.hello(token)
        opening = await phone.ask("attempt.open", attempt=attempt["attempt"], take=True)
        assert opening["seq"] == attempt["seq"]
        await desk.next("taken")
        killed.kill()
        assert (await desk.next("released"))["attempt"] == attempt["attempt"]


async def test_an_unpublished_start_of_a_round_is_found(redis_url: str, database: Database) -> None:
    """The node that started the round died before it could publish it."""
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        code = RoomCode(await room_of(one, other))
        async with node_on(redis_url, RedisClock(database)) as silent:
            await silent.services.clock.sample()
            silent.services.live.appended.subscribers.clear()
            with capture_logs() as logs:
                async with working(work_of(silent.registration)):
                    own = silent.registration.id
                    await until(lambda: any(own in line.get("joined", ()) for line in logs))
                    room = await silent.rooms.load(code)
                    present = [seat.player for seat in room.seats]
                    await silent.rooms.start(code, room.host, present)
        mine, yours = await one.next("attempt"), await other.next("attempt")
        assert mine["deal"] == yours["deal"]


async def test_a_client_ahead_of_redis_is_disconnected(redis_url: str, redis: Redis) -> None:
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        token = (await one.hello())["token"]
        room = await one.ask("room.create", game="robert", seats=2, limit=600, key=KEY)
        await other.hello()
        await other.ask("room.join", code=room["code"])
        await one.next("room", lambda e: e["version"] == 3)
        await lose_last_entry(redis, rooms_keys.room(room["code"]))
        # Every loss of data comes with a loss of connections.
        await drop_pubsub_connections(redis)
        assert await one.closed() == 4006
        async with opened(port) as again:
            await again.hello(token)
            back = await again.ask("room.join", code=room["code"])
            assert (back["version"], len(back["members"])) == (2, 1)


async def lose_last_entry(redis: Redis, key: str) -> None:
    """Remove the last entry of a journal, as a power cut may."""
    entries: Any = await redis.xrange(key)
    await replace_journal(redis, key, *(fields["e"] for _, fields in entries[:-1]))
