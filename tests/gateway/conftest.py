"""Fixtures of the gateway's tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import uvloop

from server.base.net import limits
from server.rooms.core import commands
from tests.gateway.seats import HubNode, hubs_on
from tests.service.nodes import Node, SetClock, node_on


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run the tests on uvloop, as a node does, and those of its transports also on asyncio."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
        "uvloop": uvloop.new_event_loop,
        "asyncio": asyncio.new_event_loop,
    }
    if item.path.stem not in {"test_listener", "test_large"}:
        del loops["asyncio"]
    return loops


@pytest.fixture(autouse=True)
def short_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the countdown of a round to 50 ms."""
    monkeypatch.setattr(commands, "COUNTDOWN", 50)


@pytest.fixture
def clock() -> SetClock:
    """Return the clock of `node`."""
    return SetClock()


@pytest.fixture
async def node(redis_url: str, clock: SetClock) -> AsyncIterator[Node]:
    """Return the services of a node on an empty Redis, whose clock the test sets."""
    async with node_on(redis_url, clock) as node:
        yield node


@pytest.fixture
async def hub(node: Node) -> AsyncIterator[HubNode]:
    """Return the gateway of `node`, without sockets."""
    async with hubs_on(node) as (hub,):
        yield hub


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets limits by name, for good: nothing is added to their buckets.

    Those of addresses are what an address has if the operator says nothing else.
    """

    def set_(**at_once: float) -> None:
        for name, count in at_once.items():
            share = limits.ADDRESS_PLAYERS if name.startswith("ADDRESS") else 1
            monkeypatch.setattr(limits, name, limits.Rate(1e-6, count / share))

    return set_
