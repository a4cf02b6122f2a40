"""Sessions that ask for the time again and again, to see how others fare."""

from __future__ import annotations

import asyncio
import time

from deploy.bench import wire
from deploy.bench.client import Client, LostError, RefusedError
from deploy.bench.meter import spread
from deploy.bench.races import greeted

EVERY = 0.01
"""Seconds between two questions."""

SESSIONS = 10
"""How many sessions take turns, so that none of them asks for more than it may."""


class Probe:
    """Measures how long a node leaves others waiting."""

    def __init__(self, clients: list[Client]) -> None:
        self._clients = clients

    @classmethod
    async def beside(cls, port: int) -> Probe:
        """Open the sessions."""
        return cls([await greeted(port) for _ in range(SESSIONS)])

    async def run(self, seconds: float) -> dict[str, float]:
        """Ask for so long, by the clock, and return how long the answers took, in milliseconds.

        `lag` is how much too late a question was sent at worst, which is the load's own fault.
        """
        began = time.perf_counter()
        times: list[float] = []
        unanswered, lag = 0, 0.0

        async def ask(number: int) -> None:
            nonlocal unanswered, lag
            due = began + number * EVERY
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            sent = time.perf_counter()
            lag = max(lag, sent - due)
            try:
                await self._clients[number % SESSIONS].ask(wire.ping)
            except (RefusedError, LostError):
                unanswered += 1
            times.append(time.perf_counter() - sent)

        await asyncio.gather(*(ask(number) for number in range(round(seconds / EVERY))))
        return {**spread(times), "unanswered": unanswered, "lag": 1e3 * lag}
