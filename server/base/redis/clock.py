"""The time of Redis, which all nodes agree on.

A node takes samples of it with `TIME`, and goes on from them by its own monotonic clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from redis.asyncio import RedisCluster

from server.base.core import keys
from server.base.core.refusal import UnavailableError
from server.base.redis.connection import owner_of, raising_unavailable
from server.base.redis.database import Database
from server.base.work.background import Background

SAMPLE_EVERY = 5.0
"""Seconds between two samples of Redis's time."""

FRESH_FOR = 20.0
"""Seconds after a sample for which a slower one may confirm it."""

CONFIRMED_FOR = 0.5
"""Seconds after a sample for which `confirm` takes no other one."""

SLOWEST_SAMPLE = 1.0
"""Longest round trip, in seconds, of a sample that may set the time."""

SLOWEST_CHECK = 2.0
"""Longest round trip, in seconds, of a sample that may confirm the time that is known."""

MAX_HELD_BACK_MS: Final = 250
"""Largest correction backwards, in milliseconds, that is made by not advancing for as long.

After a larger one, the time goes back.
"""

DRIFT = 0.0005
"""Largest drift between the clocks of two machines, in seconds a second."""


class _Bounds(NamedTuple):
    """Bounds of the offset between Redis's clock and this machine's monotonic one, in seconds.

    A sample proves them: Redis read its clock between `sent` and the arrival of the reply.

    Attributes:
        low: the smallest possible offset.
        high: the largest possible offset.
        sent: the monotonic time at which the last sample was requested.
    """

    low: float
    high: float
    sent: float

    def widened(self, now: float) -> _Bounds:
        """Return the bounds, widened by the drift that is possible until a monotonic time."""
        drift = DRIFT * max(0.0, now - self.sent)
        return _Bounds(self.low - drift, self.high + drift, self.sent)


class RedisClock:
    """Redis's clock, extrapolated between samples by this machine's monotonic clock.

    The offset between the two is changed only if it is outside the bounds that a sample proves, so
    that a slow sample does no harm. After a small correction backwards, the time does not advance
    until it is right.

    `monotonic` returns the time of this machine's monotonic clock in seconds.
    """

    def __init__(self, database: Database, monotonic: Callable[[], float] | None = None) -> None:
        self._database = database
        self._monotonic = monotonic or time.monotonic
        self._offset = 0.0
        self._bounds: _Bounds | None = None
        self._last_returned = 0
        self._current: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    def now(self) -> int:
        """Return the time in Unix milliseconds. Call it only after a `sample` that succeeded."""
        now = int((self._monotonic() + self._offset) * 1000)
        if 0 < self._last_returned - now <= MAX_HELD_BACK_MS:
            return self._last_returned
        self._last_returned = now
        return now

    async def confirm(self) -> int:
        """Return the time, after a sample unless there was one within `CONFIRMED_FOR` seconds.

        It is ahead of Redis's time by at most `CONFIRMED_FOR` seconds: a monotonic clock that has
        jumped ahead since a sample makes that sample seem older. That holds of the time that is
        returned, and not of what `now` returns after a wait.

        Raises:
            UnavailableError: Redis does not answer, or not fast enough.
        """
        if not self._is_sampled_within(self._monotonic(), CONFIRMED_FOR):
            await self.sample()
        return self.now()

    async def sample(self) -> None:
        """Take a sample of Redis's time. Callers that wait for the same sample share it.

        Raises:
            UnavailableError: Redis does not answer, or not fast enough.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._sample_after(self._current))
        await asyncio.shield(self._next)

    def run_in(self, background: Background) -> None:
        """Have a sample taken every `SAMPLE_EVERY` seconds by the node's background work.

        While Redis is unavailable, the time goes on by the monotonic clock alone.
        """
        background.forever("clock", self.sample, every=SAMPLE_EVERY, waits=True)

    async def _sample_after(self, previous: asyncio.Task[None] | None) -> None:
        """Take a sample when the previous one has ended; later callers wait for the next one."""
        if previous is not None and not previous.done():
            await asyncio.wait({previous})
        self._current, self._next = self._next, None
        await self._sample_now()

    async def _sample_now(self) -> None:
        sent = self._monotonic()
        server_time = await self._read_time()
        received = self._monotonic()
        took = received - sent
        found = _Bounds(server_time - received, server_time - sent, sent)
        known = self._bounds.widened(received) if self._bounds is not None else None
        fits = known is not None and known.low <= found.high and found.low <= known.high
        slowest = (
            SLOWEST_CHECK if fits and self._is_sampled_within(sent, FRESH_FOR) else SLOWEST_SAMPLE
        )
        # The round trip is negative if the machine's clock was set back meanwhile.
        if not 0 <= took <= slowest:
            raise UnavailableError(f"Redis took {took:.1f} s to reply to TIME")
        if known is not None and fits:
            found = _Bounds(max(found.low, known.low), min(found.high, known.high), sent)
        self._bounds = found
        if not found.low <= self._offset <= found.high:
            self._offset = (found.low + found.high) / 2

    def _is_sampled_within(self, now: float, seconds: float) -> bool:
        """Return whether the last valid sample is newer than some seconds."""
        return self._bounds is not None and 0 <= now - self._bounds.sent < seconds

    async def _read_time(self) -> float:
        """Return Redis's time in Unix seconds. The command does not queue behind writes."""
        client = self._database.client
        with raising_unavailable():
            if isinstance(client, RedisCluster):
                await client.initialize()
                # Any server will do, as long as all nodes ask the same one.
                server = owner_of(client, keys.NODES)
                seconds, micros = await client.time(target_nodes=server)
            else:
                seconds, micros = await client.time()
        return float(seconds + micros / 1e6)
