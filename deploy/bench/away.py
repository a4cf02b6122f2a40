"""How soon all play again after Redis was away."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time

from deploy.bench import wire
from deploy.bench.client import Client, gathered
from deploy.bench.meter import Found, Measured, spread
from deploy.bench.races import GAMES, greeted_pair, race

QUICK, SHORTEST, LONGEST = 0.45, 0.2, 4.0
"""Seconds of a client's pauses after a move that was refused, as in `client_js/src/retries.ts`."""

GIVEN_UP_AFTER = 60.0


class Racer:
    """A player who tries a move until it stands.

    Attributes:
        stood: when the last move was answered, or `None` while one is under way.
        tries: how often moves were sent.
    """

    def __init__(self, client: Client, frames: list[bytes]) -> None:
        self.stood: float | None = None
        self.tries = 0
        self._client = client
        self._frames = iter(frames)
        self._frame = b""
        self._refusals = 0
        client.take = self._take

    def move(self) -> None:
        """Play the next move."""
        self.stood, self._refusals = None, 0
        self._frame = next(self._frames)
        self._send()

    def _send(self) -> None:
        self.tries += 1
        self._client.write(self._frame)

    def _take(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.kind(data, begin)
        if kind == wire.REFUSAL:
            most = min(LONGEST, QUICK * 2 ** max(0, self._refusals - 2))
            pause = random.uniform(SHORTEST, most)  # noqa: S311 - not a secret
            self._refusals += 1
            asyncio.get_running_loop().call_later(pause, self._send)
        elif kind == wire.ANSWER or (kind == wire.SNAPSHOT and wire.answers_move(data[begin:end])):
            # A snapshot answers a move that stands, though its answer was lost.
            self.stood = time.monotonic()


async def store_away(node: Measured, racers: int, seconds: float) -> Found:
    """Measure how long after Redis is back all racers' moves stand, who have moved meanwhile."""
    assert node.redis is not None
    loop = asyncio.get_running_loop()

    async def racing(number: int) -> list[Racer]:
        pair = await greeted_pair(node.port)
        attempts = await race(pair, GAMES[number % len(GAMES)])
        return [
            Racer(client, attempt.frames) for client, attempt in zip(pair, attempts, strict=True)
        ]

    pairs = await gathered(racers // 2, racing)
    playing = [racer for pair in pairs for racer in pair]
    os.kill(node.redis, signal.SIGSTOP)
    try:
        for racer in playing:
            loop.call_later(random.uniform(0, 0.9 * seconds), racer.move)  # noqa: S311
        await asyncio.sleep(seconds)
        early = sum(racer.stood is not None for racer in playing)
    finally:
        os.kill(node.redis, signal.SIGCONT)
    back = time.monotonic()
    while any(racer.stood is None for racer in playing):
        if time.monotonic() - back > GIVEN_UP_AFTER:
            break
        await asyncio.sleep(0.02)
    waits = [(racer.stood or time.monotonic()) - back for racer in playing]
    unanswered = sum(racer.stood is None for racer in playing)
    tries = sum(racer.tries for racer in playing)
    return {**spread(waits), "early": early, "unanswered": unanswered, "tries": tries}
