"""The followed state of a journal: set by appends, by other nodes' entries, and by reads."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from server.base.core.bus_message import encode
from server.base.journals.core.entry import AppendedEntry
from server.circles.core import commands, keys
from server.circles.core.bus import topic
from server.circles.core.circle import Circle
from server.circles.core.ids import CircleId
from tests.base.redis.servers import until
from tests.builders import ADA
from tests.nodes import Node, running_together


@pytest.fixture(autouse=True)
async def running_nodes(node: Node, other: Node) -> AsyncIterator[None]:
    """Run both nodes, so that they receive bus messages."""
    async with running_together(node, other):
        yield


async def founded(node: Node) -> Circle:
    """Return Ada's circle."""
    return await node.services.circles.found(ADA, "Friends", "creation")


async def muted(node: Node, circle: CircleId, *, is_muted: bool) -> Circle:
    return await node.services.circles.decide(circle, commands.mute, ADA, is_muted)


def changes_of(node: Node) -> list[CircleId]:
    """Return a list to which the circles are added that the node reports as changed."""
    changes: list[CircleId] = []
    node.services.circles.journals.changed.subscribe(changes.append)
    return changes


async def has(node: Node, circle: CircleId, version: int) -> None:
    """Wait until a node's followed state has a version."""
    journals = node.services.circles.journals
    await until(lambda: getattr(journals.state(circle), "version", 0) == version)


async def test_an_own_append_sets_the_state_and_is_reported_once(node: Node) -> None:
    circle, changes = (await founded(node)).id, changes_of(node)
    followed = node.services.circles.journals.follow(circle)
    assert followed.state is not None, "the replica was known"
    after = await muted(node, circle, is_muted=True)
    assert followed.state == after
    assert changes == [circle]
    # A command that changes nothing is not reported.
    await muted(node, circle, is_muted=True)
    assert changes == [circle]


async def test_another_nodes_entry_is_folded_and_a_missed_one_is_read(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    circle = (await founded(node)).id
    journals = other.services.circles.journals
    journals.follow(circle)
    before = await journals.load(circle)
    assert before is not None
    await has(other, circle, before.version)
    await muted(node, circle, is_muted=True)
    await has(other, circle, before.version + 1)
    # An entry that is not published, and one that is.
    with monkeypatch.context() as patch:
        patch.setattr(node.services.circles.journals.appended, "subscribers", [])
        await muted(node, circle, is_muted=False)
    after = await muted(node, circle, is_muted=True)
    await has(other, circle, after.version)
    assert journals.state(circle) == after


async def test_a_lost_message_and_a_departed_node_lead_to_a_read(node: Node, other: Node) -> None:
    circle = (await founded(node)).id
    journals = other.services.circles.journals
    journals.follow(circle)
    node.services.circles.journals.appended.subscribers.clear()
    first = await muted(node, circle, is_muted=True)
    other.bus.publish(topic(circle), b"")
    await has(other, circle, first.version)
    second = await muted(node, circle, is_muted=False)
    other.registration.changed.emit(set(), {node.registration.id})
    await has(other, circle, second.version)


async def test_entries_that_are_known_or_not_followed_are_ignored(node: Node) -> None:
    circle = await founded(node)
    journals, changes = node.services.circles.journals, changes_of(node)
    entry = AppendedEntry(circle.version, "not decoded")
    journals.receive(circle.id, encode(entry))
    journals.follow(circle.id)
    journals.receive(circle.id, encode(entry))
    assert changes == []
    assert journals.state(circle.id) == circle


async def test_the_last_state_of_a_journal_that_is_gone_remains(node: Node) -> None:
    circle, changes = await founded(node), changes_of(node)
    journals = node.services.circles.journals
    journals.follow(circle.id)
    await node.redis.delete(keys.circle(circle.id))
    assert await journals.load(circle.id) is None
    assert journals.state(circle.id) == circle
    assert changes == [circle.id], "the change is reported"


async def test_a_journal_is_followed_until_the_last_follower_is_gone(node: Node) -> None:
    circle, changes = (await founded(node)).id, changes_of(node)
    journals = node.services.circles.journals
    journals.follow(circle)
    journals.follow(circle)
    journals.unfollow(circle)
    assert journals.size == 1
    await muted(node, circle, is_muted=True)
    journals.unfollow(circle)
    assert journals.size == 0
    assert journals.state(circle) is None
    await muted(node, circle, is_muted=False)
    assert changes == [circle]
    assert topic(circle) not in node.bus._topics
