"""Departures: a killed node's leftovers are not counted, and are removed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from server.base.core import keys
from server.base.core.ids import PlayerId
from server.base.nodes import departures as module
from server.base.nodes.held_store import player_note
from server.players.core.keys import MAX_SESSIONS
from server.rooms.core.room import Room
from tests.base.redis.servers import running, until_equal
from tests.builders import ADA, BOB, CYD
from tests.nodes import Node
from tests.rooms.test_live_rooms import follow

PATTERNS = ("*sessions:*", "*session:*", "*presence:*", "*held:*")


@pytest.fixture(autouse=True)
async def running_nodes(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    """Run both registered nodes; the test itself renews the registration of `node`."""
    monkeypatch.setattr(module, "PAUSE", 0.0)
    async with AsyncExitStack() as stack:
        for each in (node, other):
            await stack.enter_async_context(running(each.run))
        for each in (node, other, node):
            await each.registration.renew()
        yield


async def left(node: Node) -> list[str]:
    """Return the keys of sessions, presence and notes."""
    found = [key for pattern in PATTERNS for key in await node.keys(pattern)]
    return sorted(set(found))


async def die(killed: Node, seen_by: Node) -> None:
    """Let a node's registration expire, and have another node notice."""
    await killed.services.node_store.drop(killed.registration.name)
    for _ in range(3):
        await seen_by.registration.renew()


async def until_noted(node: Node, *players: PlayerId) -> None:
    """Wait until a node has noted its sessions of these players."""

    async def noted() -> set[str]:
        found = await node.services.held_store.notes(node.registration.id, range(keys.PARTITIONS))
        return {note for _, notes in found for note in notes if note.startswith("player/")}

    await until_equal(noted, set(map(player_note, players)))


async def enter(node: Node, room: Room, *players: PlayerId) -> None:
    """Open sessions of players on a node, and mark them present in a room."""
    for player in players:
        await node.services.sessions.register(player, f"session of {player}")
        await follow(node, room.opened.code, player)
    await until_noted(node, *players)


async def test_a_killed_nodes_leftovers_are_removed_by_another_node(
    node: Node, other: Node
) -> None:
    room = await node.room_of(ADA, BOB, CYD)
    await enter(node, room, ADA)
    mine = await left(node)
    await enter(other, room, BOB, CYD)
    assert len(await left(node)) > len(mine)
    await die(other, node)
    await until_equal(lambda: node.redis.hexists(keys.HOLDERS, other.registration.id), False)
    assert await left(node) == mine
    assert set(await node.services.room_store.present(room.opened.code)) == {ADA}
    assert await node.services.live.load_online(room.opened.code) == {ADA}


async def test_a_node_removes_its_data_when_it_ends(node: Node, other: Node) -> None:
    room = await node.room_of(ADA, BOB)
    await enter(other, room, BOB)
    other.services.sessions.unregister(BOB, f"session of {BOB}")
    other.services.live.unsubscribe(room.opened.code, BOB)
    await until_equal(lambda: left(node), [])


async def test_a_node_wrongly_taken_for_dead_stores_its_sessions_again(
    node: Node, other: Node
) -> None:
    room = await node.room_of(ADA, BOB)
    checked: list[bool] = []
    other.services.sessions.missed.subscribe(lambda: checked.append(True))
    await enter(other, room, BOB)
    before = await left(node)
    await die(other, node)
    await until_equal(lambda: left(node), [])
    checked.clear()
    await other.registration.renew()
    await node.registration.renew()
    # The node's check of its sessions, which follows, does this.
    assert checked == [True]
    name = f"session of {BOB}"
    assert await other.services.sessions.check([(BOB, name, 0)], lambda _: True) == []
    await until_equal(lambda: left(node), before)
    # Removals in flight may have deleted the node's new data.
    await other.registration.renew()
    assert checked == [True, True]
    await other.registration.renew()
    assert checked == [True, True]


async def test_one_node_removes_leftovers_and_another_continues_if_it_dies(
    node: Node, other: Node
) -> None:
    first, second = sorted((node, other), key=lambda each: each.registration.id)
    await node.redis.hset(keys.HOLDERS, "zzz", "gone")
    for each in (first, second, second, second):
        await each.registration.renew()
    assert len(second.services.departures._removals) == 0
    await first.services.node_store.drop(first.registration.name)
    for _ in range(4):
        await second.registration.renew()
    await until_equal(lambda: node.redis.hkeys(keys.HOLDERS), [second.registration.id])


async def test_sessions_of_dead_nodes_do_not_count_towards_the_limit(
    node: Node, other: Node
) -> None:
    closed: list[str] = []
    node.services.sessions.superseded.subscribe(closed.append)
    await node.services.sessions.register(ADA, "oldest")
    for number in range(MAX_SESSIONS - 1):
        await other.services.sessions.register(ADA, f"dead {number}")
    # Before any of its data has been removed.
    await other.services.node_store.drop(other.registration.name)
    node.registration._update([])
    node.registration._update([])
    for number in range(MAX_SESSIONS - 1):
        await node.services.sessions.register(ADA, f"living {number}")
    assert closed == []
    await node.services.sessions.register(ADA, "one more")
    assert len(closed) == 1
    ((*names,),) = await node.services.player_store.sessions([ADA])
    assert len(names) == MAX_SESSIONS
    assert all(name.startswith(node.registration.id) for name in names)


async def test_a_session_ending_during_an_outage_is_removed_later(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await node.services.sessions.register(ADA, "session")
    await until_noted(node, ADA)

    def away(key: str, *_: object, failed: object = None) -> None:
        assert callable(failed)
        failed()

    with monkeypatch.context() as patch:
        patch.setattr(node.database, "send", away)
        node.services.sessions.unregister(ADA, "session")
    await until_equal(lambda: left(node), [])
    assert node.services.sessions._unremoved == {}
