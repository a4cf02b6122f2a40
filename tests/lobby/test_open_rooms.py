"""The list of open rooms: registrations of rooms, and the cost of reading the list."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.lobby import open_rooms as module
from server.lobby.core import keys
from server.lobby.core.open_row import MAX_OF_NETWORK, MAX_OPEN_ROOMS
from server.rooms.core import commands
from tests.base.redis.servers import until
from tests.builders import ADA, BOB, CYD
from tests.conftest import ALONE, debug_captured
from tests.nodes import Node, running_together
from tests.rooms.test_live_rooms import follow

pytestmark = ALONE


@pytest.fixture(autouse=True)
async def running_nodes(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    monkeypatch.setattr(module, "READ_EVERY", 0.0)
    for each in (node, other):
        each.background.loops["open_rooms_renewal"].every = 0.02
    async with running_together(node, other):
        yield


async def shows(node: Node, *codes: RoomCode) -> None:
    async def shown() -> bool:
        found = await node.services.open_rooms.list()
        return sorted(row.code for row, _ in found) == sorted(codes)

    await until(shown)


async def test_a_public_room_is_listed_on_every_node(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await follow(node, code, ADA)
    await shows(other)
    await node.rooms.decide(code, commands.set_public, ADA, True)
    await shows(other, code)
    ((row, host),) = await other.services.open_rooms.list()
    assert (row.taken, row.seats, row.running, host.id) == (2, 8, False, ADA)
    await other.rooms.decide(code, commands.take_seat, CYD)

    async def fuller() -> bool:
        return [row.taken for row, _ in await other.services.open_rooms.list()] == [3]

    await until(fuller)
    await other.rooms.decide(code, commands.set_public, ADA, False)
    await shows(other)


async def test_a_room_is_listed_while_a_member_is_online(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA, BOB)).opened.code
    await node.rooms.decide(code, commands.set_public, ADA, True)
    await follow(node, code, ADA)
    await follow(other, code, BOB)
    await shows(other, code)
    node.services.live.unsubscribe(code, ADA)
    await shows(node, code)
    other.services.live.unsubscribe(code, BOB)
    await until(lambda: not any(each.services.open_rooms._rows for each in (node, other)))
    node.clock.time += keys.OPEN_ROOM_LIFE_S * 1000
    await shows(node)


async def test_a_registration_is_renewed_until_its_node_dies(node: Node) -> None:
    code = (await node.room_of(ADA)).opened.code
    await node.rooms.decide(code, commands.set_public, ADA, True)
    await follow(node, code, ADA)
    await shows(node, code)
    node.clock.time += keys.OPEN_ROOM_LIFE_S * 1000
    await shows(node, code)
    node.services.open_rooms._rows.clear()
    node.clock.time += keys.OPEN_ROOM_LIFE_S * 1000
    await shows(node)


@pytest.mark.parametrize("network", [None, "2001:db8:7::/48"])
async def test_one_network_cannot_fill_lists(node: Node, other: Node, network: str | None) -> None:
    async def opened(number: int, address: str, wide: str | None) -> RoomCode:
        host = PlayerId(f"{number:016}")
        code = (await node.room_of(host)).opened.code
        await node.services.room_addresses.record(code, host, address, wide)
        await follow(node, code, host)
        await node.rooms.decide(code, commands.set_public, host, True)
        return code

    many = {
        await opened(number, f"2001:db8:7:{number:x}::/64" if network else "192.0.2.1", network)
        for number in range(MAX_OPEN_ROOMS + 2)
    }
    own = await opened(99, "192.0.2.9", None)

    async def seen() -> bool:
        return own in {row.code for row, _ in await other.services.open_rooms.list()}

    await until(seen)
    shown = {row.code for row, _ in await other.services.open_rooms.list()}
    assert len(shown & many) == MAX_OF_NETWORK
    (hidden, *_) = many - shown
    assert len((await other.rooms.decide(hidden, commands.take_seat, CYD)).seats) == 2


async def test_many_requests_cost_one_read(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "READ_EVERY", 60.0)
    reads = 0
    read = node.services.open_room_store.list

    async def counted(now: int) -> list[str]:
        nonlocal reads
        reads += 1
        return await read(now)

    monkeypatch.setattr(node.services.open_room_store, "list", counted)
    for _ in range(2):
        await asyncio.gather(*(node.services.open_rooms.list() for _ in range(50)))
    assert reads == 1


async def test_a_failed_write_is_retried(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    put, failures = node.services.open_room_store.put, 2

    async def failing(code: RoomCode, text: str, now: int, network: str, most: int) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise UnavailableError("down")
        await put(code, text, now, network, most)

    monkeypatch.setattr(node.services.open_room_store, "put", failing)
    code = (await node.room_of(ADA)).opened.code
    with debug_captured() as logs:
        await follow(node, code, ADA)
        await node.rooms.decide(code, commands.set_public, ADA, True)
        await shows(node, code)
    assert [line.get("work") for line in logs].count("open_rooms") == 2
