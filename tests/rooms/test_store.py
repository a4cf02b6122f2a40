"""Rooms: creation keys, and who is present."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core import keys
from server.base.core.ids import RoomCode
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.rooms.core import keys as rooms_keys
from server.rooms.store import RoomStore
from tests.builders import ADA, BOB, CODE


@pytest.fixture
def rooms(database: Database) -> RoomStore:
    return RoomStore(database)


async def test_a_creation_has_one_code_however_often_it_is_sent(
    redis: Client, rooms: RoomStore, other_database: Database
) -> None:
    nodes = (rooms, RoomStore(other_database))
    drawn = [RoomCode(f"AAAAAAA{nth}") for nth in range(2, 10)]
    asked = [nodes[nth % 2].code_for(ADA, "key", code) for nth, code in enumerate(drawn)]
    (code,) = set(await asyncio.gather(*asked))
    assert code in drawn
    assert 0 < await redis.ttl(rooms_keys.creation(ADA, "key")) <= rooms_keys.CREATION_LIFE_S


async def test_each_player_and_key_has_a_code_of_its_own(rooms: RoomStore) -> None:
    codes = [RoomCode(f"AAAAAAA{nth}") for nth in range(2, 6)]
    creations = [(player, key) for player in (ADA, BOB) for key in ("key", "other")]
    for (player, key), code in zip(creations, codes, strict=True):
        assert await rooms.code_for(player, key, code) == code


async def test_a_code_that_was_deleted_gives_way_to_another_one(rooms: RoomStore) -> None:
    assert await rooms.code_for(ADA, "key", CODE) == CODE
    await rooms.forget_code(ADA, "key")
    other = RoomCode("AAAAAAAA")
    assert await rooms.code_for(ADA, "key", other) == other


async def test_presence_is_only_deleted_by_the_node_that_stored_it(
    redis: Client, rooms: RoomStore
) -> None:
    assert await rooms.present(CODE) == {}
    await rooms.put_present(CODE, ADA, "one")
    await rooms.put_present(CODE, BOB, "one")
    await rooms.put_present(CODE, BOB, "two")
    assert await rooms.present(CODE) == {ADA: "one", BOB: "two"}
    assert 0 < await redis.ttl(keys.presence(CODE)) <= rooms_keys.PRESENCE_LIFE_S
    # Bob has entered by another node meanwhile.
    await rooms.remove_present(CODE, BOB, "one")
    await rooms.remove_present(CODE, ADA, "one")
    assert await rooms.present(CODE) == {BOB: "two"}
    await rooms.remove_present(CODE, BOB, "two")
    assert await rooms.present(CODE) == {}
