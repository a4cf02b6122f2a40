"""The open loop: each player moves by the clock, whether or not the last answer has come.

A time is from when the move was due to its answer, so that a server that stands still is charged
for all that waits meanwhile.

python -m deploy.bench.open TASK, where TASK is a JSON object with the port, the process ids of the
server and its Redis (none for the floor), the number of sockets, the seconds between two moves of
a socket, and the seconds to measure.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from itertools import chain
from typing import Any

import uvloop

from deploy.bench import wire
from deploy.bench.client import Client, connect, gathered
from deploy.bench.closed import ECHO
from deploy.bench.meter import Meter, spread
from deploy.bench.processes import LOAD_CORE, pin
from deploy.bench.races import GAMES, greeted_pair, race

WARM_UP = 2.0
PATIENCE = 10.0
"""Seconds for the last answers to come."""

_TURN = 0.001


class Walker:
    """A player who moves at a pace.

    Attributes:
        times: seconds from when each move was due to its answer.
        refused: moves that were not taken; after one the player moves no more.
    """

    def __init__(self, client: Client, frames: list[bytes] | None) -> None:
        self.times: list[float] = []
        self.refused = 0
        self.due: deque[float] = deque()
        self._client = client
        self._frames = frames
        self._next = 0

    def move(self, due: float) -> None:
        """Send the next move, that was due then."""
        if self.refused:
            self.refused += 1
            return
        self.due.append(due)
        if self._frames is None:
            self._client.write(ECHO)
        else:
            self._client.write(self._frames[self._next])
            self._next += 1

    def listen(self) -> None:
        """Take the answers."""
        self._client.take = self._take if self._frames is not None else self._echoed

    def _take(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.kind(data, begin)
        if kind == wire.ANSWER:
            self.times.append(time.perf_counter() - self.due.popleft())
        elif kind == wire.REFUSAL or (kind == wire.SNAPSHOT and wire.answers_move(data[begin:end])):
            self.due.popleft()
            self.refused += 1

    def _echoed(self, *_: object) -> None:
        self.times.append(time.perf_counter() - self.due.popleft())


async def measured(task: dict[str, Any]) -> dict[str, Any]:
    """Return what the sockets of a task came to."""
    walkers = await _walkers(task)
    step = task["interval"] / len(walkers)
    for walker in walkers:
        walker.listen()
    await _walk(walkers, step, WARM_UP)
    for walker in walkers:
        walker.times.clear()
    meter = Meter(task["pid"], task["redis"])
    await _walk(walkers, step, task["seconds"], round(WARM_UP / step))
    shares = meter.shares()
    deadline = time.monotonic() + PATIENCE
    while any(walker.due for walker in walkers) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    times = list(chain.from_iterable(walker.times for walker in walkers))
    return {
        "sockets": len(walkers),
        "interval": task["interval"],
        "rate": len(times) / shares["seconds"],
        "server_us": 1e6 * shares["server_share"] * shares["seconds"] / max(1, len(times)),
        **shares,
        **spread(times),
        "refused": sum(walker.refused for walker in walkers),
        "unanswered": sum(len(walker.due) for walker in walkers),
    }


async def _walkers(task: dict[str, Any]) -> list[Walker]:
    port, sockets = task["port"], task["sockets"]
    if task["redis"] is None:
        return [Walker(each, None) for each in await gathered(sockets, lambda _: connect(port))]
    moves = int((task["seconds"] + WARM_UP) / task["interval"]) + 2

    async def racing(number: int) -> list[Walker]:
        pair = await greeted_pair(port)
        attempts = await race(pair, GAMES[number % len(GAMES)], moves)
        return [
            Walker(client, attempt.frames) for client, attempt in zip(pair, attempts, strict=True)
        ]

    return list(chain.from_iterable(await gathered(sockets // 2, racing)))


async def _walk(walkers: list[Walker], step: float, seconds: float, first: int = 0) -> None:
    """Let one player after the other move, each `step` seconds after the one before."""
    began = time.perf_counter()
    sent, count = 0, round(seconds / step)
    while sent < count:
        now = time.perf_counter() - began
        while sent < count and sent * step <= now:
            walkers[(first + sent) % len(walkers)].move(began + sent * step)
            sent += 1
        await asyncio.sleep(_TURN)


if __name__ == "__main__":
    pin(LOAD_CORE)
    json.dump(uvloop.run(measured(json.loads(sys.argv[1]))), sys.stdout)
