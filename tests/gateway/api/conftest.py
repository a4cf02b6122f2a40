"""Fixtures of the tests of the HTTP interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from server.base.journals import store as journals_store
from tests.conftest import server_alone
from tests.gateway.api.site import Site, site_on
from tests.service.nodes import Node


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """Run a single Redis: what differs on a cluster is tested with the store and the services."""
    yield from server_alone()


@pytest.fixture(autouse=True)
def any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept entries at the time that a test sets, however far it is from Redis's."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE", 10**15)


@pytest.fixture
async def site(node: Node, tmp_path: Path) -> AsyncIterator[Site]:
    """Return the HTTP interface of `node`."""
    await node.dailies.draw_ahead()
    async with site_on(node, tmp_path) as site:
        yield site
