"""The date of the tests: the clock of nodes, Redis's by default.

`AT=2048-02-29T12:00` sets the starting time of a test or site, in UTC. It must be in the
future, since keys expire by Redis's time.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

import pytest

from server.base.journals import store as journals_store
from server.base.redis.clock import RedisClock

DAY = 86_400.0
"""Seconds per day."""

LONGEST = 1_200.0
"""Maximum lifetime of a site in seconds; no day ends within it, unless a test ends it."""

TOLERANCE = 100 * 366 * 86_400_000
"""Milliseconds that entries may be ahead of Redis's time, which the appending scripts check."""

_MOVED = """
from tests.unhurried import run
from server.base.journals import store as journal
from server.base.redis.clock import RedisClock
read = RedisClock._read_time
async def moved(clock):
    return await read(clock) + AHEAD
RedisClock._read_time = moved
journal.CLOCK_TOLERANCE_MS = TOLERANCE
run()
"""


_read_time = RedisClock._read_time


def asked() -> float | None:
    """Return the Unix time set by `AT`, in seconds; `None` if it is not set."""
    at = os.environ.get("AT")
    return datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp() if at else None


def ahead_now() -> float:
    """Return the offset, in seconds, of the clocks of sites that start now."""
    at, now = asked(), time.time()
    if at is not None:
        assert at > now, "what AT asks for is over"
        return at - now
    left = DAY - now % DAY
    return left if left < LONGEST else 0.0


def ahead_at_noon() -> float:
    """Return the seconds to the next noon."""
    return (DAY / 2 - time.time()) % DAY


def moved(ahead: float) -> tuple[str, ...]:
    """Return the arguments that run `samedeal` with its clock set ahead by this many seconds."""
    if not ahead:
        return ("-m", "tests.unhurried")
    program = _MOVED.replace("= TOLERANCE", f"= {TOLERANCE}").replace("AHEAD", str(ahead))
    return ("-c", program)


def move_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the clock of nodes in this process to `AT`."""
    if asked() is None:
        return
    ahead = ahead_now()

    async def read_moved(clock: RedisClock) -> float:
        return await _read_time(clock) + ahead

    monkeypatch.setattr(RedisClock, "_read_time", read_moved)
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", TOLERANCE)


def keep_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use Redis's own time whatever `AT` says, for tests of their difference."""
    monkeypatch.setattr(RedisClock, "_read_time", _read_time)
