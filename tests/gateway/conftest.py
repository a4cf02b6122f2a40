"""Fixtures of the gateway's tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

from server.core import race


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run the gateway on the event loop that a node has, and what is close to it on both."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
        "uvloop": uvloop.new_event_loop,
        "asyncio": asyncio.new_event_loop,
    }
    if "test_listener" not in item.nodeid:
        del loops["asyncio"]
    return loops


@pytest.fixture(autouse=True)
def short_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn the cards up soon after the host's start."""
    monkeypatch.setattr(race, "COUNTDOWN", 50)
