"""Rooms without a round: they expire in minutes, unless a member is present."""

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
    """Return the lifetime in seconds of an expiring room after its extension."""
    await node.redis.expire(keys.room(code), 100)
    await node.services.unused_rooms.extend()
    await node.services.unused_rooms._work.finish()
    return int(await node.redis.ttl(keys.room(code)))


async def test_a_room_without_a_round_is_kept_while_a_member_is_present(node: Node) -> None:
    room = await node.room_of(ADA, BOB)
    code, live = room.opened.code, node.services.live
    assert await extended(node, code) <= 100, "no player is present"
    live.subscribe(room, CYD)
    live.subscribe(room, None)
    assert await extended(node, code) <= 100, "no member is present"
    live.subscribe(room, BOB)
    node.services.quotas.where = lambda player: [Scope("here")] if player == BOB else ()
    assert await extended(node, code) == pytest.approx(keys.UNUSED_ROOM_LIFE_MS / 1000, abs=5)
    assert node.services.quotas._noted.keys() == {Scope("here")}, "and the present member pays"
    live.unsubscribe(code, BOB)
    assert await extended(node, code) <= 100


async def test_used_rooms_are_not_extended_nor_lifetimes_shortened(node: Node, other: Node) -> None:
    room = await node.room_of(ADA)
    code = room.opened.code
    node.services.live.subscribe(room, ADA)
    # A round that another node has started, unknown to this one.
    await other.rooms.start(code, ADA, [ADA])
    await node.services.unused_rooms.extend()
    await node.services.unused_rooms._work.finish()
    day = keys.ROOM_LIFE_MS / 1000
    assert await node.redis.ttl(keys.room(code)) > day - 60
    await node.services.live.load_page(await node.rooms.load(code))
    assert await extended(node, code) <= 100


async def test_an_expired_room_is_not_recreated(node: Node) -> None:
    room = await node.room_of(ADA)
    code = room.opened.code
    node.services.live.subscribe(room, ADA)
    await node.redis.delete(keys.room(code))
    await node.services.unused_rooms.extend()
    await node.services.unused_rooms._work.finish()
    assert not await node.redis.exists(keys.room(code))
