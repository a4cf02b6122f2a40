"""Sessions of players across nodes, and the messages that nodes exchange about them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from msgspec import Struct

from server.base.core import keys
from server.base.core.bus_message import encode
from server.base.core.ids import PlayerId
from server.play.core.bus import Ended
from server.players.core.bus import Barred
from server.players.core.keys import MAX_SESSIONS
from tests.base.redis.servers import running, until, work_of
from tests.builders import ADA, BOB, CYD, DAN
from tests.nodes import OVER, Node, attempt_of
from tests.processes import PATIENCE


@pytest.fixture
async def closed(node: Node, other: Node) -> AsyncIterator[dict[str, list[str]]]:
    found: dict[str, list[str]] = {}
    async with AsyncExitStack() as stack:
        for each in (node, other):
            mine = found[each.registration.id] = []
            subscribed = asyncio.Event()
            each.services.sessions.superseded.subscribe(mine.append)
            each.services.sessions.missed.subscribe(subscribed.set)
            for another in (node, other):
                each.registration.note_alive(another.registration.id)
            await stack.enter_async_context(running(work_of(each.bus)))
            async with asyncio.timeout(PATIENCE):
                await subscribed.wait()
        yield found


def messages_of(*nodes: Node) -> list[Struct | None]:
    found = [
        node.services.node_bus.decode(payload)
        for node in nodes
        for topic, payload in node.published
        if topic.startswith("node:")
    ]
    for node in nodes:
        node.published.clear()
    return found


async def several(player: PlayerId, *nodes: Node, expected: bool = True) -> None:
    await until(
        lambda: all(node.services.sessions.has_several(player) is expected for node in nodes)
    )


async def test_opening_a_session_does_not_close_another(
    node: Node, other: Node, closed: dict[str, list[str]]
) -> None:
    sessions = node.services.sessions
    await sessions.register(ADA, "one")
    await sessions.register(BOB, "of bob")
    assert not sessions.has_several(ADA)
    assert messages_of(node) == []
    await other.services.sessions.register(ADA, "two")
    await several(ADA, node, other)
    assert not sessions.has_several(BOB)
    assert not any(closed.values())
    other.services.sessions.unregister(ADA, "two")
    await several(ADA, node, expected=False)
    await other.services.player_store.update(ADA)  # a write after its end, on the same connection
    assert await node.services.player_store.sessions([ADA]) == [[f"{node.registration.id}/one"]]


async def test_nodes_entered_concurrently_learn_of_each_other(
    node: Node, other: Node, closed: dict[str, list[str]]
) -> None:
    node.registration.note_alive(other.registration.id)
    other.registration.note_alive(node.registration.id)
    for number in range(20):
        player = PlayerId(f"{ADA[:-2]}{number:02}")
        both = [each.services.sessions for each in (node, other)]
        await asyncio.gather(*(sessions.register(player, "one") for sessions in both))
        await several(player, node, other)
    assert not any(closed.values())


async def test_two_sessions_on_one_node_need_no_message(node: Node) -> None:
    sessions = node.services.sessions
    await sessions.register(ADA, "one")
    await sessions.register(ADA, "two")
    assert sessions.has_several(ADA)
    sessions.unregister(ADA, "one")
    assert not sessions.has_several(ADA)
    assert messages_of(node) == []


async def test_the_session_used_least_recently_is_closed_if_there_are_too_many(
    node: Node, other: Node, closed: dict[str, list[str]]
) -> None:
    names = [f"session {number}" for number in range(MAX_SESSIONS)]
    for name in names:
        node.clock.time += 1
        await node.services.sessions.register(ADA, name)
    node.clock.time += 1
    node.services.sessions.use(ADA, names[0])
    node.clock.time += 1
    await other.services.sessions.register(ADA, "one more")
    await until(lambda: closed == {node.registration.id: [names[1]], other.registration.id: []})


async def test_leftovers_of_ended_sessions_are_ignored(
    node: Node, other: Node, closed: dict[str, list[str]]
) -> None:
    assert not any(closed.values())
    node.registration.note_alive(other.registration.id)
    # It ended while the store was away; the other session is on a dead node.
    players = node.services.player_store
    await players.add_session(ADA, f"{other.registration.id}/ended", 1)
    await players.add_session(ADA, "dead/ended", 1)
    await node.services.sessions.register(ADA, "one")
    await several(ADA, node, expected=False)
    assert await node.services.accounts.session_count(ADA) == 2
    assert json.loads(await node.services.accounts.export(ADA))["sessions"] == 2
    assert "dead/ended" not in (await node.services.operators.player(ADA)).sessions
    await other.services.sessions.register(ADA, "two")
    await several(ADA, node)
    node.registration.changed.emit(set(), {other.registration.id})
    assert not node.services.sessions.has_several(ADA)


async def test_a_node_without_the_players_sessions_answers_left(
    node: Node, other: Node, closed: dict[str, list[str]]
) -> None:
    assert not any(closed.values())
    room, _ = await node.race_of(ADA, BOB)
    for each in (node, other):
        await each.services.sessions.register(ADA, "one")
    await several(ADA, node, other)
    # Its session ended without knowledge of the other node.
    other.services.sessions._peers.clear()
    other.services.sessions.unregister(ADA, "one")
    node.services.mirrors.publish_entry(await node.state_of(attempt_of(room, ADA)), "{}", None)
    await several(ADA, node, expected=False)


async def test_the_check_recovers_from_lost_messages(node: Node, other: Node) -> None:
    """The bus does not run: no message arrives."""
    sessions, me = node.services.sessions, node.registration.id
    mine = [(ADA, "one", 0), (BOB, "two", 0), (CYD, "three", 0)]
    for player, session, _ in mine:
        await sessions.register(player, session)
    node.registration.note_alive(other.registration.id)
    await other.services.sessions.register(ADA, "four")
    assert not sessions.has_several(ADA)
    await node.redis.delete(keys.sessions(CYD))
    ended = (DAN, "five", 0)
    for number in range(MAX_SESSIONS):
        name = f"{other.registration.id}/{number}"
        await node.services.player_store.add_session(BOB, name, 2**50 + number)
    assert await sessions.check([*mine, ended], lambda session: session != "five") == ["two"]
    assert sessions.has_several(ADA)
    # The session of the player whose record was lost is stored again.
    assert await node.services.player_store.sessions([CYD, DAN]) == [[f"{me}/three"], []]


async def test_an_end_is_published_to_the_players_node(
    node: Node, other: Node, closed: dict[str, list[str]]
) -> None:
    assert not any(closed.values())
    room, code = await node.race_of(ADA, BOB)
    await other.services.sessions.register(ADA, "one")
    node.clock.time = OVER
    await node.rooms.pass_deadline(code)
    await until(lambda: bool(other.ended))
    await node.services.close()
    state = await node.state_of(attempt_of(room, ADA))
    assert (other.ended, state.end) == ([Ended(ADA, state.id, state.seq, state.result)], "time")


async def test_a_message_of_an_unknown_kind_counts_as_missed(node: Node) -> None:
    missed: list[bool] = []
    node.services.sessions.missed.subscribe(lambda: missed.append(True))
    for payload in (b"", None, encode([99, "of a newer version"]), b"no message"):
        node.services.node_bus._receive(payload)
    assert len(missed) == 4
    node.services.node_bus._receive(encode(Barred(ADA)))
    assert len(missed) == 4
