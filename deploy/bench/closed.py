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
from deploy.bench.client import Client, connect, map_concurrently, masked
from deploy.bench.games import recorded
from deploy.bench.meter import Figures, Meter, spread
from deploy.bench.processes import LOAD_CORE, pin
from deploy.bench.races import GAMES, Attempt, open_session, race

WARM_UP = 0.7
ANSWER_TIMEOUT = 10.0
"""Seconds to wait for the last answers before the next attempts are prepared."""

RESERVE = 3.0
"""How many moves are prepared, as a multiple of those that the warm-up's rate needs."""

ECHO = masked(b"\x96\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b")
"""The frame that is sent to the floor, as long as a typical move."""

MAX_GAME_MOVES = 2_000
"""The most moves of a recorded game. With short games, a loop without pauses would mostly measure
how players join rooms, which has a row of its own."""

LONG = tuple(game for game in GAMES if len(recorded(game, MAX_GAME_MOVES)) == MAX_GAME_MOVES)
"""The games that are played: the others have few moves until all cards have been seen."""

_RETRY_DELAY = 0.05


class Racer:
    """A player who plays prepared attempts, one after another.

    Attributes:
        times: seconds from each move to its answer.
        refused: how many moves were refused; they are retried.
        failed: how many moves were answered with a snapshot, which a legal move in order never is.
        exhausted: whether all prepared attempts have been played.
        in_flight: whether a move is waiting for its answer.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.attempts: deque[Attempt] = deque()
        self.times: list[float] = []
        self.refused = 0
        self.failed = 0
        self.exhausted = False
        self.in_flight = False
        self._frames: list[bytes] = []
        self._next = 0
        self._playing = False
        self._sent_at = 0.0

    @property
    def moves_left(self) -> int:
        """How many prepared moves have not been played."""
        return sum(len(attempt.frames) for attempt in self.attempts)

    async def join_room(self) -> None:
        """Join the room of the next attempt."""
        await self.client.ask(wire.join_room, self.attempts[0].room)
        self._frames, self._next = self.attempts[0].frames, 0

    def start(self) -> None:
        """Send moves until `stop` is called."""
        self._playing = True
        self.client.handle_payload = self._handle
        self._move()

    def stop(self) -> None:
        """Stop sending moves; one may still be in flight."""
        self._playing = False

    def put_back(self) -> None:
        """Keep the unplayed moves of the current attempt; no move may be in flight."""
        self.client.reset_handler()
        if self.attempts:
            del self.attempts[0].frames[: self._next]

    def _handle(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.kind(data, begin)
        if kind == wire.ANSWER:
            self.times.append(time.perf_counter() - self._sent_at)
            self._move()
        elif kind == wire.REFUSAL:
            self.refused += 1
            self._next -= 1
            asyncio.get_running_loop().call_later(_RETRY_DELAY, self._move)
        elif kind == wire.SNAPSHOT and wire.answers_move(data[begin:end]):
            self.failed += 1
            self.in_flight = False

    def _move(self) -> None:
        self.in_flight = self._playing
        if not self._playing:
            return
        if self._next < len(self._frames):
            self._sent_at = time.perf_counter()
            self.client.write(self._frames[self._next])
            self._next += 1
        else:
            self._next_attempt()

    def _next_attempt(self) -> None:
        """Continue with the next attempt."""
        self.attempts.popleft()
        if not self.attempts:
            self.exhausted, self.in_flight = True, False
            return
        self.client.reset_handler()
        asyncio.ensure_future(self.join_room()).add_done_callback(self._joined)

    def _joined(self, joining: asyncio.Future[None]) -> None:
        joining.result()
        self.client.handle_payload = self._handle
        self._move()


class Echoer(Racer):
    """A connection to the floor, which sends one frame again and again."""

    async def join_room(self) -> None:
        """Do nothing: the floor has no rooms."""

    def _handle(self, *_: object) -> None:
        self.times.append(time.perf_counter() - self._sent_at)
        self._move()

    def _move(self) -> None:
        self.in_flight = self._playing
        if self._playing:
            self._sent_at = time.perf_counter()
            self.client.write(ECHO)


class Rooms:
    """The players in groups of `seats`, and the rounds that are prepared for each group.

    A group plays one game again and again, so that the mix of games is the same however many play.
    """

    def __init__(self, racers: list[Racer], seats: int) -> None:
        self._rooms = [racers[at : at + seats] for at in range(0, len(racers), seats)]

    async def prepare(self, min_moves: int) -> None:
        """Start rounds until every player has at least this many moves prepared."""

        async def make(number: int) -> None:
            racers = self._rooms[number]
            while min(racer.moves_left for racer in racers) < min_moves:
                game = LONG[number % len(LONG)]
                clients = [racer.client for racer in racers]
                attempts = await race(clients, game, MAX_GAME_MOVES)
                for racer, attempt in zip(racers, attempts, strict=True):
                    racer.attempts.append(attempt)

        await map_concurrently(len(self._rooms), make)


async def measure(task: dict[str, Any]) -> Figures:
    """Run the load that a task describes, and return its figures."""
    port, sockets, seconds = task["port"], task["sockets"], task["seconds"]
    racers: list[Racer]
    if task["redis"] is None:
        racers = [
            Echoer(client) for client in await map_concurrently(sockets, lambda _: connect(port))
        ]
        rooms = Rooms([], 1)
    else:
        racers = [
            Racer(client)
            for client in await map_concurrently(sockets, lambda _: open_session(port))
        ]
        rooms = Rooms(racers, task.get("seats", 2))
    await rooms.prepare(1)
    await _start(racers)
    await _stop(racers)
    fastest = max(len(racer.times) for racer in racers) / WARM_UP
    await rooms.prepare(int(fastest * (seconds + WARM_UP) * RESERVE))
    await _start(racers)
    for racer in racers:
        racer.times.clear()
        racer.refused = 0
        racer.exhausted = False
    meter = Meter(task["pid"], task["redis"])
    await asyncio.sleep(seconds)
    shares = meter.shares()
    times = list(chain.from_iterable(racer.times for racer in racers))
    await _stop(racers)
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


async def _start(racers: list[Racer]) -> None:
    """Start all players, and return when the warm-up is over."""
    await map_concurrently(len(racers), lambda number: racers[number].join_room())
    for racer in racers:
        racer.start()
    await asyncio.sleep(WARM_UP)


async def _stop(racers: list[Racer]) -> None:
    """Stop all players, and wait for their last answers."""
    for racer in racers:
        racer.stop()
    deadline = time.monotonic() + ANSWER_TIMEOUT
    while any(racer.in_flight for racer in racers) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    for racer in racers:
        racer.put_back()


if __name__ == "__main__":
    pin(LOAD_CORE)
    json.dump(uvloop.run(measure(json.loads(sys.argv[1]))), sys.stdout)
