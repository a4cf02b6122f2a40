"""Sweepers: the nodes that share the work, and whether one of them is busy with players."""

from __future__ import annotations

import pytest

from server.base.core import keys
from server.base.outbox.sweepers_store import Share, SweeperStore
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.base.redis.servers import until_equal


async def test_a_sweeper_lists_the_others_until_their_entries_expire(
    database: Database, other_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = SweeperStore(database), SweeperStore(other_database)
    assert await first.renew(busy=False) == Share([first.name], busy=False)
    both = Share(sorted([first.name, second.name]), busy=False)
    assert await second.renew(busy=False) == both
    assert await first.renew(busy=False) == both
    await second.drop()
    assert await first.renew(busy=False) == Share([first.name], busy=False)
    monkeypatch.setattr(keys, "SWEEPER_LIFE_S", 1)
    await second.renew(busy=False)
    await until_equal(lambda: first.renew(busy=False), Share([first.name], busy=False))


async def test_one_busy_sweeper_makes_all_busy_for_a_while(
    redis: Client, database: Database, other_database: Database
) -> None:
    first, second = SweeperStore(database), SweeperStore(other_database)
    await first.renew(busy=True)
    assert (await second.renew(busy=False)).busy
    assert 0 < await redis.ttl(keys.BUSY) <= keys.BUSY_LIFE_S
    await redis.delete(keys.BUSY)
    assert not (await second.renew(busy=False)).busy
