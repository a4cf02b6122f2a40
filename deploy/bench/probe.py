"""Sessions that ping a node while something else loads it, to measure how long they wait."""

from __future__ import annotations

import asyncio
import time

from deploy.bench import wire
from deploy.bench.client import Client, LostError, RefusedError
from deploy.bench.meter import spread
from deploy.bench.races import open_session

INTERVAL = 0.01
"""Seconds between two pings."""

SESSIONS = 10
"""How many sessions take turns, so that each stays below its rate limit."""


class Probe:
    """Measures how long a node takes to answer pings."""

    def __init__(self, clients: list[Client]) -> None:
        self._clients = clients

    @classmethod
    async def open(cls, port: int) -> Probe:
        """Open the sessions on a node."""
        return cls([await open_session(port) for _ in range(SESSIONS)])

    async def run(self, seconds: float) -> dict[str, float]:
        """Ping for so many seconds; return quantiles of the times to the pongs, in milliseconds.

        `lag` is the longest delay of a ping behind its schedule, in milliseconds: a delay of the
        load generator, and not of the node. `unanswered` counts pings without a pong.
        """
        began = time.perf_counter()
        times: list[float] = []
        unanswered, lag = 0, 0.0

        async def ask(number: int) -> None:
            nonlocal unanswered, lag
            due = began + number * INTERVAL
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            sent = time.perf_counter()
            lag = max(lag, sent - due)
            try:
                await self._clients[number % SESSIONS].ask(wire.ping)
            except (RefusedError, LostError):
                unanswered += 1
            times.append(time.perf_counter() - sent)

        await asyncio.gather(*(ask(number) for number in range(round(seconds / INTERVAL))))
        return {**spread(times), "unanswered": unanswered, "lag": 1e3 * lag}
