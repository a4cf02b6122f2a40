"""How soon all moves are accepted after an outage of Redis."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time

from deploy.bench import wire
from deploy.bench.client import Client, map_concurrently
from deploy.bench.meter import Figures, MeasuredNode, spread
from deploy.bench.races import GAMES, open_session_pair, race

MAX_FIRST_PAUSE, MIN_PAUSE, MAX_PAUSE = 0.45, 0.2, 4.0
"""Bounds of the backoff after a refused move, in seconds, as in `client_js/src/retries.ts`."""

TIMEOUT = 60.0
"""Seconds after which moves without an answer are counted as unanswered."""


class Racer:
    """A player who resends a move, with backoff, until it is accepted.

    Attributes:
        accepted_at: the monotonic time of the last move's answer, or `None` while one is in flight.
        sends: how many times moves were sent.
    """

    def __init__(self, client: Client, frames: list[bytes]) -> None:
        self.accepted_at: float | None = None
        self.sends = 0
        self._client = client
        self._frames = iter(frames)
        self._frame = b""
        self._refusals = 0
        client.handle_payload = self._handle

    def move(self) -> None:
        """Send the next move."""
        self.accepted_at, self._refusals = None, 0
        self._frame = next(self._frames)
        self._send()

    def _send(self) -> None:
        self.sends += 1
        self._client.write(self._frame)

    def _handle(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.kind(data, begin)
        if kind == wire.REFUSAL:
            most = min(MAX_PAUSE, MAX_FIRST_PAUSE * 2 ** max(0, self._refusals - 2))
            pause = random.uniform(MIN_PAUSE, most)  # noqa: S311 - not a secret
            self._refusals += 1
            asyncio.get_running_loop().call_later(pause, self._send)
        elif kind == wire.ANSWER or (kind == wire.SNAPSHOT and wire.answers_move(data[begin:end])):
            # A snapshot answers a move that was accepted but whose answer was lost.
            self.accepted_at = time.monotonic()


async def store_away(node: MeasuredNode, racers: int, seconds: float) -> Figures:
    """Measure how long after an outage of Redis the moves made during it are accepted.

    Redis is stopped with SIGSTOP for so many seconds; each racer moves once during that time.
    """
    assert node.redis is not None
    loop = asyncio.get_running_loop()

    async def racing(number: int) -> list[Racer]:
        pair = await open_session_pair(node.port)
        attempts = await race(pair, GAMES[number % len(GAMES)])
        return [
            Racer(client, attempt.frames) for client, attempt in zip(pair, attempts, strict=True)
        ]

    pairs = await map_concurrently(racers // 2, racing)
    playing = [racer for pair in pairs for racer in pair]
    os.kill(node.redis, signal.SIGSTOP)
    try:
        for racer in playing:
            loop.call_later(random.uniform(0, 0.9 * seconds), racer.move)  # noqa: S311
        await asyncio.sleep(seconds)
        early = sum(racer.accepted_at is not None for racer in playing)
    finally:
        os.kill(node.redis, signal.SIGCONT)
    restored = time.monotonic()
    while any(racer.accepted_at is None for racer in playing):
        if time.monotonic() - restored > TIMEOUT:
            break
        await asyncio.sleep(0.02)
    waits = [(racer.accepted_at or time.monotonic()) - restored for racer in playing]
    unanswered = sum(racer.accepted_at is None for racer in playing)
    sends = sum(racer.sends for racer in playing)
    return {**spread(waits), "early": early, "unanswered": unanswered, "sends": sends}
