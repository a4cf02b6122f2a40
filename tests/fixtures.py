"""Fixtures of services, of a node's gateway, and of the HTTP interface, on a real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

import pytest
import uvloop

from server.base.journals import store as journals_store
from server.base.net import limits
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.rooms.core import commands
from tests.clients.seats import HubNode, hubs_on
from tests.clients.site import Site, site_on
from tests.conftest import client_of, database_on
from tests.nodes import Node, SetClock, node_on
from tests.redis_servers import Server, running_server

BOTH_LOOPS = pytest.mark.asyncio(loop_factories=["uvloop", "asyncio"])
"""Marks tests of transports, which run on both kinds of event loop that nodes support."""


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run tests on uvloop, like a node, unless marked otherwise."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"uvloop": uvloop.new_event_loop}
    marker = item.get_closest_marker("asyncio")
    if marker is not None and "loop_factories" in marker.kwargs:
        loops["asyncio"] = asyncio.new_event_loop
    return loops


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a redis-server that the test can stop."""
    with running_server() as server:
        yield server


@pytest.fixture
async def other_redis(redis_url: str, redis: Client) -> AsyncIterator[Client]:
    """Return the client of another node on the same Redis."""
    assert redis is not None, "the first client is created before this one"
    async with client_of(redis_url) as client:
        yield client


@pytest.fixture
async def other_database(other_redis: Client) -> AsyncIterator[Database]:
    """Return the database of another node."""
    database = database_on(other_redis)
    yield database
    await database.close()


@pytest.fixture
def any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept entries at any time set by a test, however far from Redis's."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)


@pytest.fixture
def clock(any_time: None) -> SetClock:
    """Return the clock shared by all nodes of services, set by the test."""
    return SetClock()


@pytest.fixture
async def node(redis_url: str, clock: SetClock) -> AsyncIterator[Node]:
    """Return the services of a node on an empty Redis."""
    async with node_on(redis_url, clock) as node:
        yield node


@pytest.fixture
async def other(redis_url: str, clock: SetClock) -> AsyncIterator[Node]:
    """Return the services of another node on the same Redis."""
    async with node_on(redis_url, clock) as node:
        yield node


@pytest.fixture
def short_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the countdown of a round to 50 ms."""
    monkeypatch.setattr(commands, "COUNTDOWN_MS", 50)


@pytest.fixture
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the rate limit, so that moves can be sent without a pause."""
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(1_000, 10_000))


@pytest.fixture
async def loop_faults() -> list[str]:
    """Return a list of the exceptions that the event loop is told of."""
    faults: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: faults.append(str(context["exception"]))
    )
    return faults


@pytest.fixture
async def hub(node: Node, short_countdown: None) -> AsyncIterator[HubNode]:
    """Return `node`'s gateway, without sockets."""
    async with hubs_on(node) as (hub,):
        yield hub


@pytest.fixture
async def hubs(node: Node, other: Node, short_countdown: None) -> AsyncIterator[list[HubNode]]:
    """Return the gateways of `node` and `other`, without sockets."""
    async with hubs_on(node, other) as hubs:
        yield hubs


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets rate limits by name, without refill.

    Addresses' limits are those without operator settings.
    """

    def set_(**at_once: float) -> None:
        for name, count in at_once.items():
            share = limits.ADDRESS_PLAYERS if name.startswith("ADDRESS") else 1
            monkeypatch.setattr(limits, name, limits.Rate(1e-6, count / share))

    return set_


@pytest.fixture
async def site(node: Node, tmp_path: Path) -> AsyncIterator[Site]:
    """Return `node`'s HTTP interface."""
    await node.dailies.draw_ahead()
    async with site_on(node, tmp_path) as site:
        yield site
