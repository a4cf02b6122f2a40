"""Fixtures of the store: a directory for a Redis of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from server.store.connection import Client, connect
from server.store.database import Database
from tests.conftest import database_on
from tests.store.servers import short_directory


@pytest.fixture
def data() -> Iterator[Path]:
    """Return a directory with a short path."""
    with short_directory() as made:
        yield made


@pytest.fixture
async def other_redis(redis_url: str, redis: Client) -> AsyncIterator[Client]:
    """Return the client of another node on the same Redis."""
    assert redis is not None, "the other node comes second"
    client = connect(redis_url)
    yield client
    await client.aclose()


@pytest.fixture
async def other(other_redis: Client) -> AsyncIterator[Database]:
    """Return the database as another node has it."""
    database = database_on(other_redis)
    yield database
    await database.close()
