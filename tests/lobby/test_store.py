"""Registrations of public rooms, and their expiry."""

from __future__ import annotations

import pytest

from server.base.core.ids import RoomCode
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.lobby.core import keys
from server.lobby.store import MAX_READ, OpenRoomStore
from tests.builders import START

A, B, C, D = (RoomCode(f"AAAA{last}") for last in "ABCD")
LIFE = keys.OPEN_ROOM_LIFE_S * 1000


@pytest.fixture
def rooms(database: Database) -> OpenRoomStore:
    return OpenRoomStore(database)


async def test_a_room_is_listed_with_its_latest_registration(rooms: OpenRoomStore) -> None:
    await rooms.put(A, "a", START, "one", 3)
    await rooms.put(B, "b", START + 1, "one", 3)
    await rooms.put(C, "c", START + 2, "one", 3)
    await rooms.put(A, "newer", START + 3, "one", 3)
    await rooms.drop(C)
    await rooms.drop(C)
    assert await rooms.list(START + 4) == ["newer", "b"]


async def test_a_registration_expires_without_renewal(rooms: OpenRoomStore, redis: Client) -> None:
    await rooms.put(A, "a", START, "one", 3)
    await rooms.put(B, "b", START + 5, "one", 3)
    assert await rooms.list(START + LIFE - 1) == ["b", "a"]
    assert await rooms.list(START + LIFE) == ["b"]
    assert await redis.hkeys(keys.OPEN_ROWS) == [B], "expired registrations are deleted"
    assert await rooms.list(START + LIFE + 5) == []
    assert await redis.exists(keys.OPEN_ROOMS, keys.OPEN_ROWS) == 0


async def test_a_list_is_bounded(rooms: OpenRoomStore) -> None:
    for number in range(MAX_READ + 1):
        await rooms.put(RoomCode(f"R{number:04}"), str(number), START + number, f"{number}", 3)
    assert await rooms.list(START) == [str(number) for number in range(MAX_READ, 0, -1)]


async def test_a_networks_first_rooms_are_registered(rooms: OpenRoomStore) -> None:
    for code in (A, B, C):
        await rooms.put(code, code, START, "one", 2)
    await rooms.put(D, D, START, "other", 2)
    assert sorted(await rooms.list(START)) == [A, B, D]
    # They stay while they are renewed; afterwards, others can be registered.
    later = START + LIFE - 1
    for code in (C, B):
        await rooms.put(code, code, later, "one", 2)
    assert sorted(await rooms.list(later + 1)) == [B]
    await rooms.put(C, C, later + 1, "one", 2)
    assert sorted(await rooms.list(later + 1)) == [B, C]


async def test_registrations_expire_with_their_nodes(rooms: OpenRoomStore, redis: Client) -> None:
    await rooms.put(A, "a", START, "one", 3)
    for key in (keys.OPEN_ROOMS, keys.OPEN_ROWS, keys.open_rooms_of("one")):
        assert 0 < await redis.ttl(key) <= keys.OPEN_ROOM_LIFE_S
