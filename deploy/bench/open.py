"""The open loop: each player moves by the clock, whether or not the last answer has arrived.

A time is measured from when the move was due, so that a server that stalls is charged for all moves
that were due meanwhile.

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
from collections.abc import Sequence
from itertools import chain
from typing import Any

import uvloop

from deploy.bench import wire
from deploy.bench.client import Client, connect, map_concurrently
from deploy.bench.closed import ECHO
from deploy.bench.meter import Figures, Meter, spread
from deploy.bench.processes import LOAD_CORE, pin
from deploy.bench.races import GAMES, open_session_pair, race

WARM_UP = 2.0
ANSWER_TIMEOUT = 10.0
"""Seconds to wait for the last answers."""

_TICK = 0.001
"""The least seconds between two looks at the clock."""


class PacedPlayer:
    """A player who moves at fixed times.

    Attributes:
        times: seconds from when each move was due to its answer.
        refused: how many moves were refused; after the first one, all count as refused.
        due: when the moves in flight were due.
    """

    def __init__(self, client: Client, frames: list[bytes] | None) -> None:
        self.times: list[float] = []
        self.refused = 0
        self.due: deque[float] = deque()
        self._client = client
        self._frames = frames
        self._next = 0
        client.handle_payload = self._handle if frames is not None else self._handle_echo

    def move(self, due: float) -> None:
        """Send the next move, which was due at this time (`perf_counter`)."""
        if self.refused:
            self.refused += 1
            return
        self.due.append(due)
        if self._frames is None:
            self._client.write(ECHO)
        else:
            self._client.write(self._frames[self._next])
            self._next += 1

    def _handle(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.kind(data, begin)
        if kind == wire.ANSWER:
            self.times.append(time.perf_counter() - self.due.popleft())
        elif kind == wire.REFUSAL or (kind == wire.SNAPSHOT and wire.answers_move(data[begin:end])):
            self.due.popleft()
            self.refused += 1

    def _handle_echo(self, *_: object) -> None:
        self.times.append(time.perf_counter() - self.due.popleft())


async def measure(task: dict[str, Any]) -> Figures:
    """Run the load that a task describes, and return its figures."""
    sockets = task["sockets"]
    if task["redis"] is None:
        opened = await map_concurrently(sockets, lambda _: connect(task["port"]))
        players = [PacedPlayer(each, None) for each in opened]
    else:
        moves = int((task["seconds"] + WARM_UP) / task["interval"]) + 2
        players = await open_players(task["port"], sockets, moves, GAMES)
    step = task["interval"] / len(players)
    await send_moves(players, step, WARM_UP)
    for player in players:
        player.times.clear()
    meter = Meter(task["pid"], task["redis"])
    await send_moves(players, step, task["seconds"], round(WARM_UP / step))
    shares = meter.shares()
    await last_answers(players)
    times = list(chain.from_iterable(player.times for player in players))
    return {
        "sockets": len(players),
        "interval": task["interval"],
        "rate": len(times) / shares["seconds"],
        "server_us": 1e6 * shares["server_share"] * shares["seconds"] / max(1, len(times)),
        **shares,
        **spread(times),
        "refused": sum(player.refused for player in players),
        "unanswered": sum(len(player.due) for player in players),
    }


async def open_players(
    port: int, count: int, moves: int, games: Sequence[str], at_once: int = 32
) -> list[PacedPlayer]:
    """Start races of two; return the players, who can make so many moves each."""

    async def racing(number: int) -> list[PacedPlayer]:
        pair = await open_session_pair(port)
        attempts = await race(pair, games[number % len(games)], moves)
        return [
            PacedPlayer(client, attempt.frames)
            for client, attempt in zip(pair, attempts, strict=True)
        ]

    return list(chain.from_iterable(await map_concurrently(count // 2, racing, at_once)))


async def last_answers(players: Sequence[PacedPlayer]) -> None:
    """Wait for the last answers, `ANSWER_TIMEOUT` at most."""
    deadline = time.monotonic() + ANSWER_TIMEOUT
    while any(player.due for player in players) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)


async def send_moves(
    players: list[PacedPlayer], step: float, seconds: float, first: int = 0
) -> None:
    """Let the players move in turn for so many seconds, one move every `step` seconds.

    Args:
        players: the players.
        step: seconds between two moves.
        seconds: how long.
        first: the index of the player who moves first, modulo their number.
    """
    began = time.perf_counter()
    sent, count = 0, round(seconds / step)
    while sent < count:
        now = time.perf_counter() - began
        while sent < count and sent * step <= now:
            players[(first + sent) % len(players)].move(began + sent * step)
            sent += 1
        await asyncio.sleep(max(_TICK, sent * step - now))


if __name__ == "__main__":
    pin(LOAD_CORE)
    json.dump(uvloop.run(measure(json.loads(sys.argv[1]))), sys.stdout)
