"""The registrations of nodes, and their expiry."""

from __future__ import annotations

import pytest

from server.base.core import keys
from server.base.nodes.nodes_store import NodeStore
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.base.journals.entries import now
from tests.base.redis.servers import until_equal


@pytest.fixture
def nodes(database: Database) -> NodeStore:
    return NodeStore(database)


async def test_a_node_is_alive_until_its_registration_expires(
    nodes: NodeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "NODE_LIFE_S", 1)
    assert await nodes.renew("b") == ["b"]
    assert sorted(await nodes.renew("a")) == ["a", "b"]
    assert await nodes.alive(now()) == ["a", "b"]

    async def renewed() -> list[str]:
        await nodes.renew("b")
        return await nodes.alive(now())

    await until_equal(renewed, ["b"])
    await nodes.renew("a")
    assert await nodes.alive(now()) == ["a", "b"]


async def test_a_node_without_its_registration_is_not_alive(
    nodes: NodeStore, other_database: Database
) -> None:
    for name in ("a", "b", "a"):
        await nodes.renew(name)
    await NodeStore(other_database).drop("a")
    await NodeStore(other_database).drop("never")
    assert await nodes.alive(now()) == ["b"]


async def test_expired_registrations_are_deleted(
    redis: Client, nodes: NodeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await redis.zadd(keys.NODES, {f"dead {number}": now() - 1 for number in range(50)})
    await nodes.renew("alive")
    assert await redis.zcard(keys.NODES) == 1
    assert 0 < await redis.ttl(keys.NODES) <= keys.NODE_LIFE_S
    monkeypatch.setattr(keys, "NODE_LIFE_S", 1)
    await nodes.renew("alive")
    await until_equal(lambda: redis.exists(keys.NODES), 0)
