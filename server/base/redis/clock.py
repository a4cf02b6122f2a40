"""Redis's time, shared by all nodes.

A node samples it with `TIME`, and extrapolates with its own monotonic clock.
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
"""Seconds between samples of Redis's time."""

FRESH_FOR = 20.0
"""Seconds after a sample during which a slower one may confirm it."""

CONFIRMED_FOR = 0.5
"""Seconds after a sample during which `confirm` does not take another."""

SLOWEST_SAMPLE = 1.0
"""Maximum round trip, in seconds, of a sample that sets the time."""

SLOWEST_CHECK = 2.0
"""Maximum round trip, in seconds, of a sample that confirms the known time."""

MAX_HELD_BACK_MS: Final = 250
"""Largest backward correction, in milliseconds, made by holding the time.

A larger correction moves the time back.
"""

DRIFT = 0.0005
"""Largest drift between the clocks of two machines, in seconds per second."""


class _Bounds(NamedTuple):
    """Bounds of the offset between Redis's clock and this machine's monotonic clock, in seconds.

    A sample proves them: Redis read its clock between `sent` and the arrival of the reply.

    Attributes:
        low: the smallest possible offset.
        high: the largest possible offset.
        sent: the monotonic time when the last sample was requested.
    """

    low: float
    high: float
    sent: float

    def widened(self, now: float) -> _Bounds:
        """Return the bounds widened by the possible drift until a monotonic time."""
        drift = DRIFT * max(0.0, now - self.sent)
        return _Bounds(self.low - drift, self.high + drift, self.sent)


class RedisClock:
    """Redis's clock, extrapolated between samples with this machine's monotonic clock.

    The offset is changed only if it is outside the bounds proved by a sample, so slow samples are
    harmless. For a small backward correction, the time is held until it is right.

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
        """Return the time in Unix milliseconds. Requires a successful `sample` before."""
        now = int((self._monotonic() + self._offset) * 1000)
        if 0 < self._last_returned - now <= MAX_HELD_BACK_MS:
            return self._last_returned
        self._last_returned = now
        return now

    async def confirm(self) -> int:
        """Return the time, after a sample unless one was taken within `CONFIRMED_FOR` seconds.

        The returned time is ahead of Redis's by at most `CONFIRMED_FOR` seconds, even if the
        monotonic clock has jumped ahead, since the jump makes the last sample look older. This does
        not hold for a later `now`.

        Raises:
            UnavailableError: Redis does not answer, or too slowly.
        """
        if not self._is_sampled_within(self._monotonic(), CONFIRMED_FOR):
            await self.sample()
        return self.now()

    async def sample(self) -> None:
        """Sample Redis's time. Callers waiting for the same sample share it.

        Raises:
            UnavailableError: Redis does not answer, or too slowly.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._sample_after(self._current))
        # The shield prevents one cancelled caller from cancelling the sample for the others.
        await asyncio.shield(self._next)

    def run_in(self, background: Background) -> None:
        """Sample the time every `SAMPLE_EVERY` seconds as background work of the node.

        While Redis is unavailable, only the monotonic clock advances the time.
        """
        background.forever("clock", self.sample, every=SAMPLE_EVERY, waits=True)

    async def _sample_after(self, previous: asyncio.Task[None] | None) -> None:
        """Take a sample when the previous one has ended; later callers wait for the next."""
        # A sample in flight may have been requested before this one's callers asked.
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
            # Both bounds are proved, so their intersection is too.
            found = _Bounds(max(found.low, known.low), min(found.high, known.high), sent)
        self._bounds = found
        if not found.low <= self._offset <= found.high:
            self._offset = (found.low + found.high) / 2

    def _is_sampled_within(self, now: float, seconds: float) -> bool:
        """Return whether the last valid sample was taken within `seconds`."""
        return self._bounds is not None and 0 <= now - self._bounds.sent < seconds

    async def _read_time(self) -> float:
        """Return Redis's time in Unix seconds. The command does not queue behind writes."""
        client = self._database.client
        with raising_unavailable():
            if isinstance(client, RedisCluster):
                await client.initialize()
                # Any server will do, provided that all nodes use the same one.
                server = owner_of(client, keys.NODES)
                seconds, micros = await client.time(target_nodes=server)
            else:
                seconds, micros = await client.time()
        return float(seconds + micros / 1e6)
