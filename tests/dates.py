"""The date of the tests: by which clock nodes run, if not by that of Redis.

With `AT=2048-02-29T12:00` it is that time, in UTC, when a site or a test starts. It may only be
ahead, since what expires does so by Redis's time.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

import pytest

from server.base.journals import store as journals_store
from server.base.redis.clock import RedisClock

DAY = 86_400.0
"""Seconds."""

LONGEST = 1_200.0
"""Seconds that a site may be needed: no day ends in that time, unless a test lets it end."""

TOLERANCE = 100 * 366 * 86_400_000
"""Milliseconds by which entries may be ahead of Redis's own time, which the scripts that append
compare with."""

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
    """Return the Unix time that `AT` asks for, in seconds; `None` if it asks for none."""
    at = os.environ.get("AT")
    return datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp() if at else None


def ahead_now() -> float:
    """Return by how many seconds the clocks of sites that start now are ahead."""
    at, now = asked(), time.time()
    if at is not None:
        assert at > now, "what AT asks for is over"
        return at - now
    left = DAY - now % DAY
    return left if left < LONGEST else 0.0


def ahead_at_noon() -> float:
    """Return by how many seconds a clock is ahead at which it is noon, on the next day at most."""
    return (DAY / 2 - time.time()) % DAY


def moved(ahead: float) -> tuple[str, ...]:
    """Return the arguments of Python that run `samedeal` by a clock so many seconds ahead."""
    if not ahead:
        return ("-m", "tests.unhurried")
    program = _MOVED.replace("= TOLERANCE", f"= {TOLERANCE}").replace("AHEAD", str(ahead))
    return ("-c", program)


def move_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes in this process run by the clock that `AT` asks for."""
    if asked() is None:
        return
    ahead = ahead_now()

    async def read_moved(clock: RedisClock) -> float:
        return await _read_time(clock) + ahead

    monkeypatch.setattr(RedisClock, "_read_time", read_moved)
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", TOLERANCE)


def keep_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nodes run by Redis's own time, whatever `AT` asks for: for tests of their difference."""
    monkeypatch.setattr(RedisClock, "_read_time", _read_time)
