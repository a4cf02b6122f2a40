"""The closed loop: each player waits for the answer before the next move.

python -m deploy.bench.closed TASK, where TASK is a JSON object with the port, the process ids of
the server and its Redis (none for the floor), the number of sockets, and the seconds to measure.
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
from deploy.bench.client import Client, connect, gathered, masked
from deploy.bench.meter import Meter, spread
from deploy.bench.processes import LOAD_CORE, pin
from deploy.bench.races import GAMES, Attempt, greeted, race

WARM_UP = 0.7
PATIENCE = 10.0
"""Seconds for the last answers to come before more is set up."""

RESERVE = 3.0
"""How many times the moves of the warm-up's pace are made ready."""

ECHO = masked(b"\x96\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b")
"""What the floor is sent: as long as a move should be."""

LONG = 2_000
"""Moves of a game that could go on. A loop without pauses would otherwise measure how players come
into rooms, which has a row of its own, more than how they move."""

_AGAIN_AFTER = 0.05


class Racer:
    """A player who plays prepared attempts, one after the other.

    Attributes:
        times: seconds from each move to its answer.
        refused: moves that were refused; they are tried again.
        failed: moves that were answered with a snapshot, as none of these should be.
        exhausted: whether there was nothing more to play.
        waits: whether an answer is to come.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.attempts: deque[Attempt] = deque()
        self.times: list[float] = []
        self.refused = 0
        self.failed = 0
        self.exhausted = False
        self.waits = False
        self._frames: list[bytes] = []
        self._next = 0
        self._going = False
        self._at = 0.0

    @property
    def left(self) -> int:
        """How many moves are prepared."""
        return sum(len(attempt.frames) for attempt in self.attempts)

    async def enter(self) -> None:
        """Come into the room of the attempt that is next."""
        await self.client.ask(wire.join_room, self.attempts[0].room)
        self._frames, self._next = self.attempts[0].frames, 0

    def go(self) -> None:
        """Play until told to stop."""
        self._going = True
        self.client.take = self._take
        self._move()

    def stop(self) -> None:
        """Send no more moves."""
        self._going = False

    def put_back(self) -> None:
        """Keep what was not played of the attempt for later; the last answer has come."""
        self.client.quiet()
        if self.attempts:
            del self.attempts[0].frames[: self._next]

    def _take(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.kind(data, begin)
        if kind == wire.ANSWER:
            self.times.append(time.perf_counter() - self._at)
            self._move()
        elif kind == wire.REFUSAL:
            self.refused += 1
            self._next -= 1
            asyncio.get_running_loop().call_later(_AGAIN_AFTER, self._move)
        elif kind == wire.SNAPSHOT and wire.answers_move(data[begin:end]):
            self.failed += 1
            self.waits = False

    def _move(self) -> None:
        self.waits = self._going
        if not self._going:
            return
        if self._next < len(self._frames):
            self._at = time.perf_counter()
            self.client.write(self._frames[self._next])
            self._next += 1
        else:
            self._turn()

    def _turn(self) -> None:
        """Go on with the next attempt."""
        self.attempts.popleft()
        if not self.attempts:
            self.exhausted, self.waits = True, False
            return
        self.client.quiet()
        asyncio.ensure_future(self.enter()).add_done_callback(self._entered)

    def _entered(self, entering: asyncio.Future[None]) -> None:
        entering.result()
        self.client.take = self._take
        self._move()


class Echoer(Racer):
    """A socket of the floor."""

    async def enter(self) -> None:
        """There is nothing to enter."""

    def _take(self, *_: object) -> None:
        self.times.append(time.perf_counter() - self._at)
        self._move()

    def _move(self) -> None:
        self.waits = self._going
        if self._going:
            self._at = time.perf_counter()
            self.client.write(ECHO)


class Rooms:
    """Players by rooms of `seats`, each with rounds that are ready to be raced in."""

    def __init__(self, racers: list[Racer], seats: int) -> None:
        self._rooms = [racers[at : at + seats] for at in range(0, len(racers), seats)]
        self._made = list(range(len(self._rooms)))

    async def prepare(self, least: int) -> None:
        """Make rounds until everyone has so many moves ready."""

        async def make(number: int) -> None:
            racers = self._rooms[number]
            while min(racer.left for racer in racers) < least:
                game = GAMES[self._made[number] % len(GAMES)]
                self._made[number] += 1
                clients = [racer.client for racer in racers]
                attempts = await race(clients, game, LONG)
                for racer, attempt in zip(racers, attempts, strict=True):
                    racer.attempts.append(attempt)

        await gathered(len(self._rooms), make)


async def measured(task: dict[str, Any]) -> dict[str, Any]:
    """Return what the sockets of a task came to."""
    port, sockets, seconds = task["port"], task["sockets"], task["seconds"]
    racers: list[Racer]
    if task["redis"] is None:
        racers = [Echoer(client) for client in await gathered(sockets, lambda _: connect(port))]
        rooms = Rooms([], 1)
    else:
        racers = [Racer(client) for client in await gathered(sockets, lambda _: greeted(port))]
        rooms = Rooms(racers, task.get("seats", 2))
    await rooms.prepare(1)
    await _begin(racers)
    await _end(racers)
    fastest = max(len(racer.times) for racer in racers) / WARM_UP
    await rooms.prepare(int(fastest * (seconds + WARM_UP) * RESERVE))
    await _begin(racers)
    for racer in racers:
        racer.times.clear()
        racer.refused = 0
        racer.exhausted = False
    meter = Meter(task["pid"], task["redis"])
    await asyncio.sleep(seconds)
    shares = meter.shares()
    times = list(chain.from_iterable(racer.times for racer in racers))
    await _end(racers)
    return {
        "sockets": sockets,
        "rate": len(times) / shares["seconds"],
        "server_us": 1e6 * shares["server_share"] * shares["seconds"] / max(1, len(times)),
        **shares,
        **spread(times),
        "refused": sum(racer.refused for racer in racers),
        "failed": sum(racer.failed for racer in racers),
        "exhausted": sum(racer.exhausted for racer in racers),
    }


async def _begin(racers: list[Racer]) -> None:
    """Let all play, until they are warm."""
    await gathered(len(racers), lambda number: racers[number].enter())
    for racer in racers:
        racer.go()
    await asyncio.sleep(WARM_UP)


async def _end(racers: list[Racer]) -> None:
    """Let all stop, and wait for their last answers."""
    for racer in racers:
        racer.stop()
    deadline = time.monotonic() + PATIENCE
    while any(racer.waits for racer in racers) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    for racer in racers:
        racer.put_back()


if __name__ == "__main__":
    pin(LOAD_CORE)
    json.dump(uvloop.run(measured(json.loads(sys.argv[1]))), sys.stdout)
