"""Redis unavailable: commands are refused, sockets stay open, and play resumes afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from server.base.journals import store as journals_store
from server.base.redis import bus, clock, pipeline, probe
from server.base.web.http import UNREADY
from tests.base.redis.servers import FAULTS, Act, until, until_equal
from tests.base.web.test_pages import get
from tests.clients.client import Client, Message, opened
from tests.clients.play import race_of
from tests.conftest import node
from tests.redis_servers import Server

pytestmark = pytest.mark.usefixtures("short_countdown")

OTHERS = 8
"""Number of sessions besides the first, each in its own race."""


@pytest.fixture(autouse=True)
def impatient(quick_redis: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts, so that a hanging Redis is noticed quickly."""
    monkeypatch.setattr(bus, "HEARTBEAT_INTERVAL", 0.1)
    monkeypatch.setattr(bus, "RECONNECT_DELAY", 0.05)
    monkeypatch.setattr(clock, "SAMPLE_EVERY", 0.1)


@pytest.fixture
async def playing(server: Server) -> AsyncIterator[list[tuple[Client, Message]]]:
    """Return clients of one node, each in its own race, with their attempts."""
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(node(server.url))
        clients = [await stack.enter_async_context(opened(port)) for _ in range(1 + OTHERS)]
        yield [(client, (await race_of(client))[0]) for client in clients]


def move(client: Client, attempt: Message, seq: int) -> Awaitable[Message]:
    return client.ask("move", attempt=attempt["attempt"], seq=seq, move="s>w")


async def retry_move(client: Client, attempt: Message, seq: int) -> Message:
    """Send a move until it is not refused as `unavailable`, and return that answer."""
    while True:
        answer = await move(client, attempt, seq)
        if answer.get("code") != "unavailable":
            return answer


@pytest.mark.parametrize(("breaks", "mends"), FAULTS)
async def test_moves_are_acknowledged_only_while_redis_is_available(
    server: Server, playing: list[tuple[Client, Message]], breaks: Act, mends: Act
) -> None:
    for each in playing:
        assert (await move(*each, 2))["type"] == "moved"
    await asyncio.to_thread(breaks, server)
    try:
        # Concurrently, so that they wait for Redis together.
        answers = await asyncio.gather(*(move(*each, 3) for each in playing))
        assert [answer.get("code") for answer in answers] == ["unavailable"] * len(playing)
        first, attempt = playing[0]
        commands: list[tuple[str, dict[str, Any]]] = [
            ("room.create", {"game": "robert", "seats": 1, "limit": 60, "key": "k" * 8}),
            ("resign", {"attempt": attempt["attempt"], "seq": 3}),
        ]
        if breaks is Server.kill:
            commands += [
                ("attempt.open", {"attempt": attempt["attempt"]}),
                ("daily.open", {"game": "robert"}),
                ("leaderboard.watch", {"game": "robert"}),
            ]
        for type_, fields in commands:
            assert (await first.ask(type_, **fields))["code"] == "unavailable", type_
        for client, _ in playing:
            assert (await client.ask("ping"))["type"] == "pong"
    finally:
        await asyncio.to_thread(mends, server)
    for client, attempt in playing:
        answer = await retry_move(client, attempt, 3)
        # A move that was written but not acknowledged is not played twice.
        assert answer["type"] in {"moved", "attempt"}
        snapshot = await client.ask("attempt.open", attempt=attempt["attempt"])
        assert snapshot["seq"] == 3
        assert snapshot["result"]["moves"] == 2
        assert client.socket.close_code is None


async def test_the_number_of_commands_waiting_for_a_hanging_redis_is_bounded(
    server: Server, playing: list[tuple[Client, Message]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The node's own commands, a heartbeat and a clock sample, may also be waiting.
    most, own = 5, 2
    # The first moves share a clock sample; only later ones wait one by one.
    for each in playing:
        await retry_move(*each, 2)
    monkeypatch.setattr(pipeline, "MAX_WAITING", most)
    monkeypatch.setattr(journals_store, "_MAX_BATCH", 1)
    # All would time out together: only the bound refuses some of them earlier.
    server.signal(SIGSTOP)
    try:
        asked = [asyncio.ensure_future(move(*each, 3)) for each in playing]
        done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert {task.result()["code"] for task in done} == {"unavailable"}
        assert len(waiting) >= most - own
        for answer in await asyncio.gather(*asked):
            assert answer["code"] == "unavailable"
    finally:
        server.signal(SIGCONT)
    for each in playing:
        assert (await retry_move(*each, 3))["result"]["moves"] == 2


async def test_a_node_is_ready_only_while_redis_accepts_writes_but_stays_live(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "PROBE_EVERY", 0.02)
    monkeypatch.setattr(probe, "FRESH_FOR", 0.3)
    async with node(server.url) as port:

        async def ready() -> bool:
            response, body = await get(port, "/health/ready")
            old, _ = await get(port, "/health")
            alive, _ = await get(port, "/health/live")
            assert alive.status == 200
            assert body in {"ok\n", UNREADY + "\n"}
            return (response.status, old.status) == (200, 200)

        await until(ready)
        for limit in (1, 0):
            server.ask("CONFIG", "SET", "maxmemory", limit)
            await until_equal(ready, not limit)


async def test_a_failed_hello_does_not_count_as_a_new_guest(
    server: Server, few: Callable[..., None]
) -> None:
    few(ADDRESS_GUESTS=1.0)
    async with node(server.url) as port, AsyncExitStack() as stack:
        first, other = [await stack.enter_async_context(opened(port)) for _ in range(2)]
        await asyncio.to_thread(server.kill)
        try:
            assert (await first.hello())["code"] == "unavailable"
        finally:
            await asyncio.to_thread(server.start)
        while (answer := await first.hello()).get("code") == "unavailable":
            await asyncio.sleep(0)
        assert answer["type"] == "welcome"
        assert (await other.hello())["code"] == "too_fast"
