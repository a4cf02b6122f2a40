"""Sessions: a player's newest one replaces the others on all nodes, and is sent the ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from server.core import topics
from server.core.stored import StoredResult
from server.service import bus_messages
from server.service.bus_messages import Ended, Replaced
from server.store import keys
from tests.core.builders import ADA, BOB, CYD
from tests.service.nodes import OVER, Node, SetClock, attempt_of
from tests.store.servers import PATIENCE, running, until


@pytest.fixture
async def replaced(node: Node, other: Node) -> AsyncIterator[dict[str, list[str]]]:
    """Run the bus of both nodes; return the sessions replaced on each, by the node's id."""
    found: dict[str, list[str]] = {}
    async with AsyncExitStack() as stack:
        for each in (node, other):
            mine = found[each.registration.id] = []
            subscribed = asyncio.Event()
            each.services.sessions.superseded.subscribe(mine.append)
            each.services.sessions.missed.subscribe(subscribed.set)
            await stack.enter_async_context(running(each.bus.run))
            async with asyncio.timeout(PATIENCE):
                await subscribed.wait()
        yield found


async def test_an_older_session_is_replaced_on_its_own_node_only(
    node: Node, other: Node, replaced: dict[str, list[str]]
) -> None:
    await node.services.sessions.take(ADA, "one")
    await node.services.sessions.take(BOB, "of bob")
    await other.services.sessions.take(ADA, "two")

    async def notified() -> bool:
        return replaced == {node.registration.id: ["one"], other.registration.id: []}

    await until(notified)
    await other.services.sessions.take(ADA, "three")
    assert replaced[other.registration.id] == ["two"]
    messages = [m for m in (*node.published, *other.published) if m[0].startswith("node:")]
    assert messages == [(topics.node(node.registration.id), bus_messages.encode(Replaced("one")))]


async def test_a_hello_that_is_sent_again_does_not_replace_itself(
    node: Node, replaced: dict[str, list[str]]
) -> None:
    for _ in range(2):
        await node.services.sessions.take(ADA, "one")
    assert replaced[node.registration.id] == []


async def test_a_replacement_whose_message_was_lost_is_found_by_reading(
    node: Node, other: Node
) -> None:
    for player, session in ((ADA, "one"), (BOB, "two"), (CYD, "three")):
        await node.services.sessions.take(player, session)
    await other.services.sessions.take(ADA, "four")
    await node.redis.delete(keys.session(CYD))
    mine = [(ADA, "one"), (BOB, "two"), (CYD, "three")]
    assert await node.services.sessions.replaced(mine) == ["one"]
    # The session of the player whose record was lost is stored again.
    assert await node.store.players.newest_sessions([CYD]) == [f"{node.registration.id}/three"]


async def test_an_end_is_published_to_the_players_node(
    node: Node, other: Node, clock: SetClock, replaced: dict[str, list[str]]
) -> None:
    assert not any(replaced.values())
    room, code = await node.race_of(ADA, BOB)
    await other.services.sessions.take(ADA, "one")
    clock.time = OVER
    await node.rooms.pass_deadline(code)

    async def notified() -> bool:
        return bool(other.ended)

    await until(notified)
    await node.services.close()
    state = await node.state_of(attempt_of(room, ADA))
    assert other.ended == [Ended(ADA, state.id, state.seq, StoredResult.of(state.result))]
    assert state.end == "time"
