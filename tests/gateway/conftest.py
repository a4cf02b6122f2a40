"""Fixtures of the gateway's tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

from server.core import race_commands


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run the tests on uvloop, as a node does, and those of the listener also on asyncio."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
        "uvloop": uvloop.new_event_loop,
        "asyncio": asyncio.new_event_loop,
    }
    if "test_listener" not in item.nodeid:
        del loops["asyncio"]
    return loops


@pytest.fixture(autouse=True)
def short_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the countdown of a round to 50 ms."""
    monkeypatch.setattr(race_commands, "COUNTDOWN", 50)
