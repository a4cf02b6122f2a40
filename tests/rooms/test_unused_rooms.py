"""Rooms without a round: they live for minutes, and as long as a member is there."""

from __future__ import annotations

import pytest

from server.base.core.ids import RoomCode
from server.base.quotas.quotas import Scope
from server.rooms.core import keys
from tests.builders import ADA, BOB, CYD
from tests.conftest import ALONE
from tests.nodes import Node

pytestmark = ALONE


async def extended(node: Node, code: RoomCode) -> int:
    """Return for how many seconds a room lives that is about to expire and is extended."""
    await node.redis.expire(keys.room(code), 100)
    await node.services.unused_rooms.extend()
    await node.services.unused_rooms._work.finish()
    return int(await node.redis.ttl(keys.room(code)))


async def test_a_room_without_a_round_lives_on_while_a_member_is_there(node: Node) -> None:
    room = await node.room_of(ADA, BOB)
    code, live = room.opened.code, node.services.live
    assert await extended(node, code) <= 100, "nobody is there"
    live.subscribe(room, CYD)
    live.subscribe(room, None)
    assert await extended(node, code) <= 100, "no member is there"
    live.subscribe(room, BOB)
    node.services.quotas.where = lambda player: [Scope("here")] if player == BOB else ()
    assert await extended(node, code) == pytest.approx(keys.UNUSED_ROOM_LIFE_MS / 1000, abs=5)
    assert node.services.quotas._noted.keys() == {Scope("here")}, "and whoever is there pays"
    live.unsubscribe(code, BOB)
    assert await extended(node, code) <= 100


async def test_a_used_room_is_not_extended_and_no_room_is_shortened(
    node: Node, other: Node
) -> None:
    room = await node.room_of(ADA)
    code = room.opened.code
    node.services.live.subscribe(room, ADA)
    # A round that another node has started, of which this one has not heard.
    await other.rooms.start(code, ADA, [ADA])
    await node.services.unused_rooms.extend()
    await node.services.unused_rooms._work.finish()
    day = keys.ROOM_LIFE_MS / 1000
    assert await node.redis.ttl(keys.room(code)) > day - 60
    await node.services.live.load_page(await node.rooms.load(code))
    assert await extended(node, code) <= 100


async def test_a_room_that_is_gone_is_not_made_again(node: Node) -> None:
    room = await node.room_of(ADA)
    code = room.opened.code
    node.services.live.subscribe(room, ADA)
    await node.redis.delete(keys.room(code))
    await node.services.unused_rooms.extend()
    await node.services.unused_rooms._work.finish()
    assert not await node.redis.exists(keys.room(code))
