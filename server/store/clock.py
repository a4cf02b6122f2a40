"""The time: Redis's, so that all nodes agree on it."""

from __future__ import annotations

import asyncio
import time

import structlog

from server.core.refusal import UnavailableError
from server.stop import Stop
from server.store import keys
from server.store.database import Database

SAMPLE_EVERY = 5.0
"""Seconds between two looks at Redis's clock."""

FRESH_FOR = 20.0
"""Seconds after a look for which Redis counts as there."""

SLOWEST_SAMPLE = 1.0
"""Seconds of a round trip after which what it brought is no longer the time."""

log = structlog.get_logger()


class Clock:
    """Redis's clock, between looks carried on by this machine's monotonic one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._offset = 0.0
        self._sampled = -FRESH_FOR

    def now(self) -> int:
        """Return the time in Unix milliseconds; `sample` must have succeeded once."""
        return int((time.monotonic() + self._offset) * 1000)

    def is_fresh(self) -> bool:
        """Return whether Redis has answered lately."""
        return time.monotonic() - self._sampled < FRESH_FOR

    async def sample(self) -> None:
        """Look at Redis's clock, taking half of the round trip for the way back.

        Raises:
            UnavailableError: Redis does not answer, or too slowly to tell the time.
        """
        sent = time.monotonic()
        # Any one server's time will do, as long as all nodes ask the same one.
        ((seconds, micros),) = await self._database.ask(lambda redis, _: redis.time(), keys.NODES)
        received = time.monotonic()
        self._sampled = received
        if received - sent > SLOWEST_SAMPLE:
            raise UnavailableError(f"Redis took {received - sent:.1f} s to tell the time")
        self._offset = seconds + micros / 1e6 - (sent + received) / 2

    async def run(self, stop: Stop) -> None:
        """Look again and again, until told to stop. Without Redis the time goes on by itself."""
        while not stop.told:
            await stop.or_wait(asyncio.sleep(SAMPLE_EVERY))
            try:
                await self.sample()
            except UnavailableError as error:
                log.warning("clock_unseen", error=str(error))
