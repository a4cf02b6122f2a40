"""The format of the store: a release does not start on one that is newer than it can read."""

from __future__ import annotations

import pytest

from server.core.refusal import UnsuitableError
from server.store import format as module
from server.store import keys
from server.store.connection import Client
from server.store.database import Database
from server.store.format import NEWEST, WRITTEN, check_format
from tests.conftest import ALONE, node


async def test_a_store_without_a_format_is_accepted_and_left_as_it_is(
    database: Database, redis: Client
) -> None:
    await check_format(database)
    assert await redis.get(keys.FORMAT) is None


async def test_a_release_stores_the_format_that_it_writes_and_never_lowers_it(
    database: Database, redis: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEWEST", 3)
    for written, kept in ((2, "2"), (1, "2"), (3, "3")):
        monkeypatch.setattr(module, "WRITTEN", written)
        await check_format(database)
        assert await redis.get(keys.FORMAT) == kept
    monkeypatch.setattr(module, "WRITTEN", 2)
    monkeypatch.setattr(module, "NEWEST", 2)
    with pytest.raises(UnsuitableError, match="of format 3"):
        await check_format(database)


@ALONE
async def test_a_node_does_not_start_on_a_newer_store(redis: Client, redis_url: str) -> None:
    assert WRITTEN <= NEWEST
    await redis.set(keys.FORMAT, NEWEST + 1)
    with pytest.raises(UnsuitableError, match="A newer release"):
        async with node(redis_url):
            pytest.fail("the node has started")
