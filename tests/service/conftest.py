"""Fixtures for the tests of services: two nodes on one Redis, and their clock."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from server.base.journals import store as journals_store
from tests.service.nodes import Node, SetClock, node_on


@pytest.fixture(autouse=True)
def any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept entries at the time that a test sets, however far it is from Redis's."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE", 10**15)


@pytest.fixture
def clock() -> SetClock:
    """Return the clock of all nodes."""
    return SetClock()


@pytest.fixture
async def node(redis_url: str, clock: SetClock) -> AsyncIterator[Node]:
    """Return a node on an empty Redis."""
    async with node_on(redis_url, clock) as node:
        yield node


@pytest.fixture
async def other(redis_url: str, clock: SetClock) -> AsyncIterator[Node]:
    """Return another node on the same Redis."""
    async with node_on(redis_url, clock) as node:
        yield node
