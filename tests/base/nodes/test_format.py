"""The format is raised only when no node of an older release is left."""

from __future__ import annotations

from server.base.core import keys
from server.base.nodes.format import ALONE_FOR_MS, Format
from server.base.nodes.format_store import NEWEST
from server.base.work.background import Background
from tests.nodes import Node, SetClock

DAY = 86_400_000
NEXT = NEWEST + 1
"""The format of a made-up next release."""


def format_of(node: Node, newest: int) -> Format:
    """Return the format as a node of another release manages it on the same store."""
    services = node.services
    return Format(services.format_store, services.node_store, services.clock, Background(), newest)


async def shown(node: Node, format_: Format) -> tuple[str | None, int]:
    """Return the stored format, and the one that a node writes."""
    found = await node.redis.get(keys.FORMAT)
    return None if found is None else str(found), format_.written


async def test_a_new_store_has_the_newest_format_immediately(node: Node) -> None:
    await node.services.format.refresh()
    assert await shown(node, node.services.format) == (str(NEWEST), NEWEST)


async def test_the_older_format_is_written_while_an_older_node_runs(
    node: Node, clock: SetClock
) -> None:
    await node.services.format.refresh()
    newer = format_of(node, NEXT)
    await node.redis.zadd(keys.NODES, {node.registration.name: clock.time + 100 * DAY})
    for _ in range(3):
        clock.time += ALONE_FOR_MS
        await newer.refresh()
    assert await shown(node, newer) == (str(NEWEST), NEWEST)
    # A node of the same release does not count as an older one.
    await node.redis.zrem(keys.NODES, node.registration.name)
    name = node.registration.name.replace(f"/{NEWEST}#", f"/{NEXT}#")
    await node.redis.zadd(keys.NODES, {name: clock.time + 100 * DAY})
    await newer.refresh()
    clock.time += ALONE_FOR_MS - 1
    await newer.refresh()
    assert newer.written == NEWEST
    clock.time += 1
    await newer.refresh()
    assert await shown(node, newer) == (str(NEXT), NEXT)
    # An existing older node continues unchanged and never lowers the format.
    older = format_of(node, NEWEST)
    await older.refresh()
    assert await shown(node, older) == (str(NEXT), NEWEST)


async def test_raising_the_format_waits_for_a_disconnected_older_node(
    node: Node, clock: SetClock
) -> None:
    await node.services.format.refresh()
    newer = format_of(node, NEXT)
    await newer.refresh()
    clock.time += ALONE_FOR_MS - 1
    await node.redis.zadd(keys.NODES, {node.registration.name: clock.time + 15_000})
    await newer.refresh()
    clock.time += 15_001
    await newer.refresh()
    clock.time += ALONE_FOR_MS - 1
    await newer.refresh()
    assert await shown(node, newer) == (str(NEWEST), NEWEST)
    clock.time += 1
    await newer.refresh()
    assert await shown(node, newer) == (str(NEXT), NEXT)
