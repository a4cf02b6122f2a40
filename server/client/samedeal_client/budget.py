"""Client-side rate limiting, matching the server's rate limit per player."""

from __future__ import annotations

import asyncio

RATE = 20.0  # sustained cost of commands per second
BURST = 100.0  # maximum cost of a burst


class Budget:
    """A token bucket filled at `RATE`, up to `BURST`."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = 0.0
        self._turn = asyncio.Lock()

    async def spend(self, cost: float) -> None:
        """Wait for and take the cost of a command, in order of arrival."""
        async with self._turn:
            loop = asyncio.get_running_loop()
            earned = (loop.time() - self._at) * self._rate
            self._left = min(self._burst, self._left + earned) - cost
            self._at = loop.time()
            if self._left < 0:
                await asyncio.sleep(-self._left / self._rate)
