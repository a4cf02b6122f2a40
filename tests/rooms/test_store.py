"""Storage of presence in rooms."""

from __future__ import annotations

import pytest

from server.base.core import keys
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.rooms.core import keys as rooms_keys
from server.rooms.store import RoomStore
from tests.builders import ADA, BOB, CODE


@pytest.fixture
def rooms(database: Database) -> RoomStore:
    return RoomStore(database)


async def test_only_the_node_of_a_presence_can_delete_it(redis: Client, rooms: RoomStore) -> None:
    assert await rooms.present(CODE) == {}
    for player, node in ((ADA, "one"), (BOB, "one"), (BOB, "two")):
        await rooms.put_present(CODE, player, node)
    assert await rooms.present(CODE) == {ADA: "one", BOB: "two"}
    assert 0 < await redis.ttl(keys.presence(CODE)) <= rooms_keys.PRESENCE_LIFE_S
    # Bob has entered through another node meanwhile.
    await rooms.remove_present(CODE, BOB, "one")
    await rooms.remove_present(CODE, ADA, "one")
    assert await rooms.present(CODE) == {BOB: "two"}
    await rooms.remove_present(CODE, BOB, "two")
    assert await rooms.present(CODE) == {}
