"""The time: Redis's, so that all nodes agree on it."""

from __future__ import annotations

import asyncio
import time
from typing import Final, NamedTuple

import structlog
from redis.asyncio import RedisCluster

from server.core.refusal import UnavailableError
from server.stop import Stop
from server.store import keys
from server.store.connection import answering, owner_of
from server.store.database import Database

SAMPLE_EVERY = 5.0
"""Seconds between two looks at Redis's clock."""

FRESH_FOR = 20.0
"""Seconds after a look for which Redis counts as there."""

CONFIRMED_FOR = 0.5
"""Seconds after a look for which it need not be repeated to show what was hidden until now."""

SLOWEST_SAMPLE = 1.0
"""Seconds of a round trip after which what it brought is no longer the time."""

SLOWEST_CHECK = 2.0
"""Seconds of a round trip after which it does not even bear out the time that is known."""

FURTHEST_BACK: Final = 250
"""Milliseconds by which a correction lets the time stand still; by more, it goes back."""

DRIFT = 0.0005
"""Seconds that two machines' clocks drift apart in a second, at most."""

log = structlog.get_logger()


class _Bounds(NamedTuple):
    """Between which offsets, in seconds, Redis's clock is to this machine's monotonic one.

    A look proves them: Redis told the time after it was asked, and before its answer came.
    """

    low: float
    high: float
    sent: float

    def at(self, now: float) -> _Bounds:
        """Return them as wide as drifting may have made them by now."""
        drift = DRIFT * max(0.0, now - self.sent)
        return _Bounds(self.low - drift, self.high + drift, self.sent)


class Clock:
    """Redis's clock, between looks carried on by this machine's monotonic one.

    A look changes it only where it proves it wrong, so that a slow one does no harm. A small
    correction never lets it go back: it stands still meanwhile.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._offset = 0.0
        self._bounds: _Bounds | None = None
        self._heard = -FRESH_FOR
        self._told = 0
        self._current: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    def now(self) -> int:
        """Return the time in Unix milliseconds; `sample` must have succeeded once."""
        now = int((self._monotonic() + self._offset) * 1000)
        if 0 < self._told - now <= FURTHEST_BACK:
            return self._told
        self._told = now
        return now

    def is_fresh(self) -> bool:
        """Return whether Redis has answered lately."""
        return self._monotonic() - self._heard < FRESH_FOR

    async def confirm(self) -> None:
        """See to it that the time is not ahead, unless a look has just done so.

        A clock that has jumped ahead since takes that look for an older one than it is. So the
        time is ahead by `CONFIRMED_FOR` at most when this returns.

        Raises:
            UnavailableError: Redis does not answer, or too slowly to tell the time.
        """
        if not self._is_known(self._monotonic(), CONFIRMED_FOR):
            await self.sample()

    async def sample(self) -> None:
        """Look at Redis's clock. All who ask before a look is sent share it.

        Raises:
            UnavailableError: Redis does not answer, or too slowly to tell the time.
        """
        if self._next is None:
            self._next = asyncio.create_task(self._look_after(self._current))
        await asyncio.shield(self._next)

    async def run(self, stop: Stop) -> None:
        """Look again and again, until told to stop. Without Redis the time goes on by itself."""
        while not stop.is_set:
            await stop.or_wait(asyncio.sleep(SAMPLE_EVERY))
            try:
                await self.sample()
            except UnavailableError as error:
                log.warning("clock_unseen", error=str(error))

    async def _look_after(self, previous: asyncio.Task[None] | None) -> None:
        """Look when the look before has ended; who asks from then on waits for another one."""
        if previous is not None and not previous.done():
            await asyncio.wait({previous})
        self._current, self._next = self._next, None
        await self._look()

    async def _look(self) -> None:
        sent = self._monotonic()
        told = await self._ask()
        received = self._monotonic()
        self._heard = received
        took = received - sent
        found = _Bounds(told - received, told - sent, sent)
        known = self._bounds.at(received) if self._bounds is not None else None
        fits = known is not None and known.low <= found.high and found.low <= known.high
        slowest = SLOWEST_CHECK if fits and self._is_known(sent, FRESH_FOR) else SLOWEST_SAMPLE
        # A clock that has been set back between has answers before questions.
        if not 0 <= took <= slowest:
            raise UnavailableError(f"Redis took {took:.1f} s to tell the time")
        if known is not None and fits:
            found = _Bounds(max(found.low, known.low), min(found.high, known.high), sent)
        self._bounds = found
        if not found.low <= self._offset <= found.high:
            self._offset = (found.low + found.high) / 2

    def _is_known(self, now: float, seconds: float) -> bool:
        """Return whether the last look that told the time is less than so long ago."""
        return self._bounds is not None and 0 <= now - self._bounds.sent < seconds

    def _monotonic(self) -> float:
        """Return this machine's time in seconds."""
        return time.monotonic()

    async def _ask(self) -> float:
        """Return Redis's time in Unix seconds. It is asked beside moves, not behind them."""
        client = self._database.client
        with answering():
            if isinstance(client, RedisCluster):
                await client.initialize()
                # Any one server's time will do, as long as all nodes ask the same one.
                server = owner_of(client, keys.NODES)
                seconds, micros = await client.time(target_nodes=server)
            else:
                seconds, micros = await client.time()
        return float(seconds + micros / 1e6)
