"""Players who move at once when they are answered, or by the clock, and the loads they make up."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count, repeat
from math import ceil
from typing import Any

from deploy.bench import wire
from deploy.bench.client import (
    Client,
    connect,
    map_concurrently,
    masked,
    open_session,
    open_sessions,
)
from deploy.bench.games import GAMES, Attempt, race, recorded
from deploy.bench.processes import Meter, Server, spread
from server.protocol import rooms, session

Figures = dict[str, Any]
"""Measured values, by name."""

WARM_UP = 0.7
PACED_WARM_UP = 2.0
ANSWER_TIMEOUT = 10.0
"""Seconds to wait for the last answers."""

FASTEST = 100_000
"""Moves a second for which a closed loop prepares: more than one core serves."""

ECHO = masked(b"\x96\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b")
"""The frame that is sent to the floor, as long as a typical move."""

MAX_GAME_MOVES = 2_000
"""The most moves of a recorded game. With short games, a loop without pauses would mostly measure
how players join rooms, which has a row of its own."""

LONG = tuple(game for game in GAMES if len(recorded(game, MAX_GAME_MOVES)) == MAX_GAME_MOVES)
"""The games that closed loops play: the others have few moves until all cards have been seen."""

PROBES, PROBE_INTERVAL = 10, 0.01
"""Sessions that ping in turn, so that each stays below its rate limit, and seconds between two
pings."""

AWAY_TIMEOUT = 60.0
"""Seconds after which moves that were made without Redis are counted as unanswered."""

_TICK = 0.001
"""The least seconds between two looks at the clock."""


def soon(_refusals: int) -> float:
    """Return the pause of one who sends a refused move again at once."""
    return 0.05


def backoff(refusals: int) -> float:
    """Return the pause after a refusal that browsers make, as in `client_js/src/retries.ts`."""
    return random.uniform(0.2, min(4.0, 0.45 * 2 ** max(0, refusals - 2)))  # noqa: S311


class Player:
    """A connection that sends prepared frames, each answered by one payload.

    Attributes:
        times: seconds from when each frame was sent, or due, to its answer.
        answered_at: when the last answer came (`perf_counter`).
        sizes: the length of each answer, in bytes.
        sent: how many frames were sent, those again that were refused.
        refused: how many frames were refused, or not sent since an earlier one was.
        failed: how many moves were answered with a snapshot, which a legal move in order never is,
            unless it was accepted and the answer was lost.
        due: when those in flight were sent, or due.
    """

    def __init__(
        self,
        client: Client,
        frames: Iterable[bytes] = (),
        *,
        pause: Callable[[int], float] | None = None,
        echoes: bool = False,
    ) -> None:
        """Take over a connection.

        Args:
            client: the connection.
            frames: what is sent.
            pause: gives the seconds until a refused frame is sent again, given how often it has
                been refused; without it, nothing is sent any more.
            echoes: whether any payload is an answer, and not only those of moves.
        """
        self.client = client
        self.times: list[float] = []
        self.answered_at = 0.0
        self.sizes: list[int] = []
        self.sent = self.refused = self.failed = 0
        self.due: deque[float] = deque()
        self._frames = iter(frames)
        self._frame = b""
        self._pause = pause
        self._echoes = echoes
        self._refusals = 0
        self._played: asyncio.Future[None] | None = None
        client.handle_payload = self._handle

    async def play(self, frames: Iterable[bytes]) -> None:
        """Send frames, each when the one before is answered, until all are."""
        self._frames = iter(frames)
        self._played = asyncio.get_running_loop().create_future()
        self.client.handle_payload = self._handle
        self._next()
        await self._played
        self._played = None
        self.client.reset_handler()

    def move(self, due: float) -> None:
        """Send the next frame, which was due at this time (`perf_counter`)."""
        if self.refused and self._pause is None:
            self.refused += 1
            return
        self._frame, self._refusals = next(self._frames), 0
        self.due.append(due)
        self._send()

    def _send(self) -> None:
        self.sent += 1
        self.client.write(self._frame)

    def _next(self) -> None:
        """Continue `play`."""
        try:
            self.move(time.perf_counter())
        except StopIteration:
            assert self._played is not None
            self._played.set_result(None)

    def _handle(self, data: bytes, begin: int, end: int) -> None:
        kind = wire.ANSWER if self._echoes else wire.kind(data, begin)
        if kind == wire.ANSWER:
            self.answered_at = time.perf_counter()
            self.times.append(self.answered_at - self.due.popleft())
            self.sizes.append(end - begin)
            if self._played is not None:
                self._next()
        elif kind == wire.REFUSAL:
            self.refused += 1
            self._refusals += 1
            if self._pause is not None:
                loop = asyncio.get_running_loop()
                loop.call_later(self._pause(self._refusals), self._send)
            else:
                self.due.popleft()
        elif kind == wire.SNAPSHOT and wire.answers_move(data[begin:end]):
            self.answered_at = time.perf_counter()
            self.due.popleft()
            self.failed += 1


async def closed_loop(server: Server, sockets: int, seconds: float, seats: int = 2) -> Figures:
    """Measure players who each wait for the answer before the next move.

    Each group of `seats` plays one game again and again, so that the mix of games is the same
    however many play.
    """
    if not server.redis:
        echoers = await map_concurrently(sockets, lambda _: connect(server.port))
        players = [Player(client, echoes=True) for client in echoers]
        attempts: list[list[Attempt]] = []
    else:
        clients = await open_sessions(server.port, sockets)
        groups = [clients[at : at + seats] for at in range(0, sockets, seats)]
        rounds = ceil(FASTEST * (seconds + WARM_UP) / sockets / MAX_GAME_MOVES)

        async def prepare(number: int) -> list[list[Attempt]]:
            group, game = groups[number], LONG[number % len(LONG)]
            return [await race(group, game, MAX_GAME_MOVES) for _ in range(rounds)]

        prepared = await map_concurrently(len(groups), prepare)
        attempts = [list(each) for group in prepared for each in zip(*group, strict=True)]
        players = [Player(client, pause=soon) for client in clients]
    done = 0

    async def enter(number: int, attempt: Attempt) -> None:
        players[number].client.reset_handler()
        await players[number].client.ask(rooms.JoinRoom, attempt.room)

    async def play(number: int) -> None:
        nonlocal done
        if not attempts:
            await players[number].play(repeat(ECHO))
        for at, attempt in enumerate(attempts[number]):
            if at:
                await enter(number, attempt)
            await players[number].play(attempt.frames)
        done += 1

    await map_concurrently(len(attempts), lambda number: enter(number, attempts[number][0]))
    playing = [asyncio.create_task(play(number)) for number in range(sockets)]
    await asyncio.sleep(WARM_UP)
    for player in players:
        player.times.clear()
    meter = Meter(server)
    await asyncio.sleep(seconds)
    found = _figures(players, meter.shares())
    for task in playing:
        if task.done():
            task.result()
        task.cancel()
    return {**found, "exhausted": done}


async def open_loop(server: Server, sockets: int, seconds: float, interval: float) -> Figures:
    """Measure players who move every `interval` seconds, whether or not the last answer has come.

    A time is measured from when the move was due, so that a server that stalls is charged for all
    moves that were due meanwhile.
    """
    if not server.redis:
        echoers = await map_concurrently(sockets, lambda _: connect(server.port))
        players = [Player(client, repeat(ECHO), echoes=True) for client in echoers]
    else:
        moves = int((seconds + PACED_WARM_UP) / interval) + 2
        players = await open_players(server.port, sockets, moves, GAMES)
    step = interval / len(players)
    await move_in_turn(players, step, PACED_WARM_UP)
    for player in players:
        player.times.clear()
    meter = Meter(server)
    await move_in_turn(players, step, seconds, round(PACED_WARM_UP / step))
    shares = meter.shares()
    await last_answers(players)
    found = _figures(players, shares)
    return {**found, "unanswered": sum(len(player.due) for player in players)}


def _figures(players: Sequence[Player], shares: dict[str, float]) -> Figures:
    times = list(chain.from_iterable(player.times for player in players))
    return {
        "rate": len(times) / shares["seconds"],
        "server_us": 1e6 * shares["server_share"] * shares["seconds"] / max(1, len(times)),
        **shares,
        **spread(times),
        "refused": sum(player.refused for player in players),
        "failed": sum(player.failed for player in players),
    }


async def open_players(
    port: int,
    number: int,
    moves: int,
    games: Sequence[str],
    pause: Callable[[int], float] | None = None,
) -> list[Player]:
    """Start races of two; return the players, who can make so many moves each."""

    async def racing(number: int) -> list[Player]:
        pair = [await open_session(port), await open_session(port)]
        attempts = await race(pair, games[number % len(games)], moves)
        return [
            Player(client, attempt.frames, pause=pause)
            for client, attempt in zip(pair, attempts, strict=True)
        ]

    return list(chain.from_iterable(await map_concurrently(number // 2, racing)))


async def move_in_turn(
    players: Sequence[Player], step: float, seconds: float, first: int = 0, *, by_sent: bool = False
) -> None:
    """Let players move in turn for so many seconds, one move every `step` seconds.

    Args:
        players: the players.
        step: seconds between two moves.
        seconds: how long.
        first: the index of the player who moves first, modulo their number.
        by_sent: whether times are measured from when a move was sent, and not from when it was due,
            so that what delays the load generator does not count.
    """
    began = time.perf_counter()
    sent, moves = 0, round(seconds / step)
    while sent < moves:
        now = time.perf_counter() - began
        while sent < moves and sent * step <= now:
            due = time.perf_counter() if by_sent else began + sent * step
            players[(first + sent) % len(players)].move(due)
            sent += 1
        await asyncio.sleep(max(_TICK, sent * step - now))


async def last_answers(players: Sequence[Player], seconds: float = ANSWER_TIMEOUT) -> None:
    """Wait for the last answers, so many seconds at most."""
    deadline = time.monotonic() + seconds
    while any(player.due for player in players) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)


class Probe:
    """Sessions that ping a node while something else loads it, to measure how long they wait."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self._players = [
            Player(each, (masked(wire.pack(session.Ping(id_))) for id_ in count(2)), echoes=True)
            for each in clients
        ]

    @classmethod
    async def open(cls, port: int) -> Probe:
        """Open the sessions on a node."""
        return cls(await open_sessions(port, PROBES))

    async def run(self, seconds: float) -> Figures:
        """Ping for so many seconds; return quantiles of the times to the pongs, in milliseconds."""
        for player in self._players:
            player.times.clear()
        await move_in_turn(self._players, PROBE_INTERVAL, seconds, by_sent=True)
        await last_answers(self._players)
        unanswered = sum(len(player.due) for player in self._players)
        return {
            **spread([t for each in self._players for t in each.times]),
            "unanswered": unanswered,
        }


async def store_away(server: Server, racers: int, seconds: float) -> Figures:
    """Measure how long after an outage of Redis the moves made during it are accepted.

    Redis is stopped with SIGSTOP for so many seconds; each racer moves once during that time, and
    sends a refused move again as browsers do.
    """
    players = await open_players(server.port, racers, 1, GAMES, backoff)
    os.kill(server.redis, signal.SIGSTOP)
    try:
        await move_in_turn(players, 0.9 * seconds / racers, 0.9 * seconds)
        await asyncio.sleep(0.1 * seconds)
        early = sum(not player.due for player in players)
    finally:
        os.kill(server.redis, signal.SIGCONT)
    restored = time.perf_counter()
    await last_answers(players, AWAY_TIMEOUT)
    now = time.perf_counter()
    waits = [(now if player.due else player.answered_at) - restored for player in players]
    return {
        **spread(waits),
        "worst_s": max(waits),
        "early": early,
        "unanswered": sum(len(player.due) for player in players),
        "sends": sum(player.sent for player in players),
    }
