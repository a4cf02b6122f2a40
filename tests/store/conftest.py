"""Fixtures of the store: a second node on the same Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.conftest import client_of, database_on


@pytest.fixture
async def other_redis(redis_url: str, redis: Client) -> AsyncIterator[Client]:
    """Return the client of another node on the same Redis."""
    assert redis is not None, "the first client is created before this one"
    async with client_of(redis_url) as client:
        yield client


@pytest.fixture
async def other(other_redis: Client) -> AsyncIterator[Database]:
    """Return the database of another node."""
    database = database_on(other_redis)
    yield database
    await database.close()
