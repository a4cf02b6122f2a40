"""Parts of the client that need no server: rate limit, clock, and backoff."""

from __future__ import annotations

import asyncio
import time

import pytest

from samedeal_client.budget import BURST, RATE, Budget
from samedeal_client.client import Client
from samedeal_client.clock import Clock
from samedeal_client.connection import FIRST_WAIT, MAX_WAIT, MIN_WAIT, QUICK_WAIT, wait_before
from server.base.net import limits


async def test_commands_beyond_the_burst_wait() -> None:
    budget, began = Budget(rate=1_000.0, burst=10.0), time.monotonic()
    await asyncio.gather(*(budget.spend(1.0) for _ in range(60)))
    assert time.monotonic() - began >= 0.049


def test_the_rate_matches_the_servers() -> None:
    assert limits.PLAYER_COMMANDS == (RATE, BURST)


def test_the_clock_uses_the_shortest_round_trip() -> None:
    clock, now = Clock(), time.monotonic()
    clock.measure(5_000_000, now - 0.1, now)
    assert clock.now() == pytest.approx(5_000_050, abs=1_000)
    clock.measure(9_000_000, now - 0.01, now)
    assert clock.now() == pytest.approx(9_000_005, abs=1_000)
    clock.measure(1_000_000, now - 0.1, now)
    assert clock.now() == pytest.approx(9_000_005, abs=1_000)
    clock.restart()
    clock.measure(1_000_000, now - 0.1, now)
    assert clock.now() == pytest.approx(1_000_050, abs=1_000)


@pytest.mark.parametrize(
    ("failures", "penalized", "least", "most"),
    [
        (0, False, 0.0, FIRST_WAIT),
        (1, False, MIN_WAIT, QUICK_WAIT),
        (2, False, MIN_WAIT, QUICK_WAIT),
        (4, False, MIN_WAIT, 4 * QUICK_WAIT),
        (1_000, False, MIN_WAIT, MAX_WAIT),
        (0, True, MIN_WAIT, MAX_WAIT),
    ],
)
def test_backoff_is_bounded(failures: int, penalized: bool, least: float, most: float) -> None:
    waits = [wait_before(failures, penalized=penalized) for _ in range(200)]
    assert least <= min(waits) <= max(waits) <= most


@pytest.mark.parametrize(
    "url", ["https://example.org", "http://a/socket", "a/socket", "//a/socket"]
)
def test_a_url_that_is_not_a_websockets_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=f"must start with wss:// or ws://: {url}"):
        Client(url)


def test_a_scheme_may_be_in_capitals() -> None:
    Client("WS://localhost/socket")
