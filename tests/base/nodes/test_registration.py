"""Registration: a node is listed while it runs, and only then."""

from __future__ import annotations

import pytest

from server.base.nodes import registration as module
from server.base.nodes.nodes_store import NodeStore
from server.base.nodes.registration import Registration
from server.base.redis.database import Database
from tests.base.journals.entries import now
from tests.base.redis.servers import running, until, until_equal, work_of
from tests.conftest import node as running_node
from tests.nodes import Node


async def test_a_node_is_listed_while_it_runs(redis_url: str, database: Database) -> None:
    nodes = NodeStore(database)
    async with running_node(redis_url) as port:
        await until(lambda: nodes.alive(now()))
        (name,) = await nodes.alive(now())
        assert f":{port}/" in name
    assert await nodes.alive(now()) == []


async def test_a_registration_is_renewed(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RENEW_EVERY", 0.01)
    registration = Registration(node.services.node_store, node.services.held_store)
    nodes = NodeStore(node.database)
    async with running(work_of(registration)):
        for _ in range(3):
            await until_equal(lambda: nodes.alive(now()), [registration.name])
            await nodes.drop(registration.name)
    assert await nodes.alive(now()) == []


def test_node_names_are_unique(node: Node) -> None:
    stores = node.services.node_store, node.services.held_store
    assert len({Registration(*stores).name for _ in range(10)}) == 10


def test_a_node_counts_as_dead_when_it_is_missing_twice(node: Node) -> None:
    """All registrations may have expired during an outage of Redis."""
    registration = Registration(node.services.node_store, node.services.held_store)
    changes: list[tuple[set[str], set[str]]] = []
    registration.changed.subscribe(lambda come, gone: changes.append((come, gone)))
    registration._update(["a", "b"])
    registration._update([])
    registration._update(["a", "b"])
    registration._update(["a"])
    assert changes == [({"a", "b"}, set())]
    assert registration.is_alive("b")
    registration._update(["a"])
    assert changes[1:] == [(set(), {"b"})]
    assert not registration.is_alive("b")
    # The node was only slow.
    registration.note_alive("b")
    assert registration.is_alive("b")
    registration._update([])
    assert registration.is_alive(registration.id)
