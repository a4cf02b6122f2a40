"""The time: Redis's, so that all nodes agree on it."""

from __future__ import annotations

import asyncio
import time

from redis.asyncio import Redis

from server.store.connection import answering

SAMPLE_EVERY = 10.0
"""Seconds between two looks at Redis's clock."""


class Clock:
    """Redis's clock, between looks carried on by this machine's monotonic one."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._offset = 0.0

    def now(self) -> int:
        """Return the time in Unix milliseconds; `sample` must have succeeded once."""
        return int((time.monotonic() + self._offset) * 1000)

    async def sample(self) -> None:
        """Look at Redis's clock, taking half of the round trip for the way back.

        Raises:
            StoreUnavailableError: Redis does not answer.
        """
        sent = time.monotonic()
        with answering():
            seconds, micros = await self._redis.time()
        received = time.monotonic()
        self._offset = seconds + micros / 1e6 - (sent + received) / 2

    async def run(self) -> None:
        """Look again and again, until cancelled; an error is raised to whoever runs this."""
        while True:
            await asyncio.sleep(SAMPLE_EVERY)
            await self.sample()
