"""The rate at which commands are sent: that which the server takes from a player."""

from __future__ import annotations

import asyncio

RATE = 20.0
"""The cost of commands that a player may send in a second for long."""

BURST = 100.0
"""The cost of those that may come at once."""


class Budget:
    """A token bucket that is filled at `RATE`, up to `BURST`."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = 0.0
        self._turn = asyncio.Lock()

    async def spend(self, cost: float) -> None:
        """Take the cost of a command, and wait until there is so much. Callers come in turn."""
        async with self._turn:
            loop = asyncio.get_running_loop()
            earned = (loop.time() - self._at) * self._rate
            self._left = min(self._burst, self._left + earned) - cost
            self._at = loop.time()
            if self._left < 0:
                await asyncio.sleep(-self._left / self._rate)
