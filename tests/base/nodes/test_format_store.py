"""The format of the store: a release does not start on a store that it cannot read."""

from __future__ import annotations

import pytest

from server.base.core import keys
from server.base.core.refusal import UnsuitableError
from server.base.nodes import format_store
from server.base.nodes.format_store import NEWEST, FormatStore, check_format
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.conftest import ALONE, node


async def test_a_new_store_is_accepted_unchanged(database: Database, redis: Client) -> None:
    await check_format(database)
    assert await FormatStore(database).read() is None
    assert await redis.get(keys.FORMAT) is None


async def test_the_format_is_raised_and_never_lowered(database: Database, redis: Client) -> None:
    formats = FormatStore(database)
    for number, kept in ((2, "2"), (1, "2"), (11, "11"), (2, "11")):
        await formats.raise_to(number)
        assert await redis.get(keys.FORMAT) == kept


@ALONE
async def test_a_node_starts_on_a_store_of_its_format(redis: Client, redis_url: str) -> None:
    await redis.set(keys.FORMAT, NEWEST)
    async with node(redis_url):
        pass


@ALONE
@pytest.mark.parametrize(
    ("key", "value", "oldest", "said"),
    [
        ("signing-key", "0" * 64, 0, r"development version before 1\.0"),
        ("format", "2", 0, r"development version before 1\.0"),
        (keys.FORMAT, NEWEST + 1, 0, "A newer release"),
        (keys.FORMAT, NEWEST, NEWEST + 1, f"is of format {NEWEST}, .* from {NEWEST + 1} on"),
    ],
)
async def test_a_node_does_not_start_on_a_store_of_another_format(
    redis: Client,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    key: str,
    value: str | int,
    oldest: int,
    said: str,
) -> None:
    await redis.set(key, value)
    monkeypatch.setattr(format_store, "OLDEST", oldest or format_store.OLDEST)
    with pytest.raises(UnsuitableError, match=said):
        async with node(redis_url):
            pytest.fail("the node has started")
    assert await redis.keys() == [key]
