"""Players who move after each answer or by the clock, and loads of such players."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, islice, repeat

from deploy.bench import wire
from deploy.bench.client import Client, connect, map_concurrently, masked, open_sessions
from deploy.bench.games import GAMES, frames, hinted, race, recorded
from deploy.bench.processes import Figures, LoadError, Meter, Server, spread

WARM_UP = 0.7
PACED_WARM_UP = 2.0
ANSWER_TIMEOUT = 60.0  # seconds to wait for the last answers

# The frame for the floor, as long as a typical move.
ECHO = masked(b"\x96\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b")

# The number of prepared moves of a player in a closed loop. It lasts for a measurement at 74,000
# moves a second on 50 sockets, more than a core serves; an attempt has at most 95 more.
MAX_GAME_MOVES = 4_000

# The number of bystanders, in rooms of two, whose answers are measured during another load, and
# their seconds per move, five times as fast as people.
BYSTANDERS, PACE = 20, 0.2

SEARCHES_END = 0.5  # idle seconds until the searcher counts as done
_TICK = 0.001  # the resolution of the clock in seconds


@cache
def long_games() -> tuple[str, ...]:
    """Return the games of closed loops; others have few moves before all cards are seen."""
    return tuple(game for game in GAMES if len(recorded(game, MAX_GAME_MOVES)) == MAX_GAME_MOVES)


class Player:
    """A connection that sends prepared frames, each answered by one payload."""

    def __init__(
        self,
        client: Client,
        frames: Iterable[bytes] = (),
        *,
        again: bool = False,
        echoes: bool = False,
    ) -> None:
        """Take over a connection.

        Args:
            again: whether to retry a refused frame, with the backoff of browsers
                (`client_js/src/retries.ts`), instead of stopping.
            echoes: whether every payload is an answer, rather than only answers to moves.
        """
        self.client = client
        self.frames = iter(frames)
        # Seconds from each frame's sending, or due time, to its answer.
        self.times: list[float] = []
        self.answered_at = 0.0  # the time of the last answer (`perf_counter`)
        self.size = 0  # of all answers, in bytes
        self.refused = 0  # frames that were refused, or not sent because an earlier one was
        # The sending or due times of frames in flight. A frame answered by a snapshot, which no
        # legal move in order is, stays there.
        self.due: deque[float] = deque()
        self._frame = b""
        self._again = again
        self._echoes = echoes
        self._refusals = 0
        self._played: asyncio.Future[None] | None = None
        client.handle_payload = self.handle

    async def play(self, frames: Iterable[bytes]) -> None:
        """Send all frames, each after the previous answer."""
        later, self.frames = self.frames, iter(frames)
        self._played = asyncio.get_running_loop().create_future()
        self.client.handle_payload = self.handle
        self._next()
        await self._played
        self._played, self.frames = None, later

    def move(self, due: float) -> None:
        """Send the next frame, with its due time (`perf_counter`)."""
        if self.refused and not self._again:
            self.refused += 1
            return
        self._frame, self._refusals = next(self.frames), 0
        self.due.append(due)
        self._send()

    def _send(self) -> None:
        self.client.write(self._frame)

    def _next(self) -> None:
        try:
            self.move(time.perf_counter())
        except StopIteration:
            assert self._played is not None
            self._played.set_result(None)

    def handle(self, data: bytes, begin: int, end: int) -> None:
        """Count an answer or a refusal, and go on playing."""
        kind = wire.ANSWER if self._echoes else wire.kind(data, begin)
        if kind == wire.ANSWER:
            self.answered_at = time.perf_counter()
            self.times.append(self.answered_at - self.due.popleft())
            self.size += end - begin
            if self._played is not None:
                self._next()
        elif kind == wire.REFUSAL:
            self.refused += 1
            self._refusals += 1
            if self._again:
                most = min(4.0, 0.45 * 2 ** max(0, self._refusals - 2))
                pause = random.uniform(0.2, most)  # noqa: S311
                asyncio.get_running_loop().call_later(pause, self._send)
            else:
                self.due.popleft()


async def closed_loop(server: Server, sockets: int, seconds: float) -> Figures:
    """Measure players who wait for each answer before the next move.

    Raises:
        LoadError: a player ran out of moves.
    """
    # Pairs take the games in turn, for the same mix of games at any number of players.
    players = await open_players(server, sockets, MAX_GAME_MOVES, long_games(), again=True)
    return await measured(server, players, seconds)


async def measured(server: Server, players: Sequence[Player], seconds: float) -> Figures:
    """Measure opened players for some seconds, after a warm-up.

    Raises:
        LoadError: a player ran out of moves.
    """
    playing = [asyncio.create_task(player.play(player.frames)) for player in players]
    await asyncio.sleep(WARM_UP)
    for player in players:
        player.times.clear()
    meter = Meter(server)
    await asyncio.sleep(seconds)
    found = _figures(players, meter.shares())
    for task in playing:
        if task.done():
            task.result()
            raise LoadError("a player had no move left")
        task.cancel()
    return found


async def open_loop(
    server: Server, sockets: int, seconds: float, interval: float, game: str = ""
) -> Figures:
    """Measure players who move every `interval` seconds, even without the last answer.

    They play the starts of all games, which cause no searches. With `game`, all play that game by
    hints, for as many searches as with people.
    """
    moves = int((seconds + PACED_WARM_UP) / interval) + 2
    players = await open_players(server, sockets, 0 if game else moves, [game] if game else GAMES)
    if game:
        # A start without pauses spreads the players evenly over the game's length.
        skipped = len(hinted(game)) - moves
        await asyncio.gather(
            *(
                player.play(islice(player.frames, skipped * number // sockets))
                for number, player in enumerate(players)
            )
        )
        searched = -1.0
        while searched < (searched := server.searched()):
            await asyncio.sleep(SEARCHES_END)
    step = interval / len(players)
    await move_in_turn(players, step, PACED_WARM_UP)
    for player in players:
        player.times.clear()
    meter = Meter(server)
    await move_in_turn(players, step, seconds, round(PACED_WARM_UP / step))
    shares = meter.shares()
    await last_answers(players)
    return {**_figures(players, shares), "lost": _lost(players)}


def _figures(players: Sequence[Player], shares: dict[str, float]) -> Figures:
    times = list(chain.from_iterable(player.times for player in players))
    return {
        "rate": len(times) / shares["seconds"],
        "server_us": 1e6 * shares["server_share"] * shares["seconds"] / max(1, len(times)),
        **shares,
        **spread(times),
        "refused": sum(player.refused for player in players),
    }


def _lost(players: Sequence[Player]) -> int:
    return sum(player.refused + len(player.due) for player in players)


async def open_players(
    server: Server, count: int, moves: int, games: Sequence[str], *, again: bool = False
) -> list[Player]:
    """Start races of two in each game in turn, and return the players.

    Each has `moves` moves, or with 0 a whole game by hints. An echo server gets endless frames
    instead.
    """
    if not server.redis:
        clients = await map_concurrently(count, lambda _: connect(server.port))
        return [Player(client, repeat(ECHO), echoes=True) for client in clients]

    async def racing(number: int) -> list[Player]:
        pair, game = await open_sessions(server.port, 2), games[number % len(games)]
        return [
            Player(client, frames(game, attempt.number, moves), again=again)
            for client, attempt in zip(pair, await race(pair, game), strict=True)
        ]

    return list(chain.from_iterable(await map_concurrently(count // 2, racing)))


async def move_in_turn(
    players: Sequence[Player], step: float, seconds: float, first: int = 0
) -> None:
    """Make players move in turn, one move every `step` seconds, for `seconds` seconds.

    The player at index `first`, modulo their number, moves first.
    """
    began = time.perf_counter()
    sent, moves = 0, round(seconds / step)
    while sent < moves:
        now = time.perf_counter() - began
        while sent < moves and sent * step <= now:
            # Times count from the due time, so that a stall affects all moves due meanwhile.
            players[(first + sent) % len(players)].move(began + sent * step)
            sent += 1
        await asyncio.sleep(max(_TICK, sent * step - now))


async def last_answers(players: Sequence[Player]) -> None:
    """Wait for the last answers, at most `ANSWER_TIMEOUT`."""
    deadline = time.monotonic() + ANSWER_TIMEOUT
    while any(player.due for player in players) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)


async def open_bystanders(server: Server) -> list[Player]:
    """Start the races of bystanders, and warm them up."""
    players = await open_players(server, BYSTANDERS, MAX_GAME_MOVES, ["deuces"])
    await bystand(players, 0.5)
    return players


async def bystand(players: Sequence[Player], seconds: float) -> list[float]:
    """Make bystanders play, and return their answer times from due times, in seconds.

    Raises:
        LoadError: a move was refused or not answered.
    """
    for player in players:
        player.times.clear()
    await move_in_turn(players, PACE / len(players), seconds)
    await last_answers(players)
    if _lost(players):
        raise LoadError("a bystander is refused, or not answered")
    return list(chain.from_iterable(player.times for player in players))


async def store_away(server: Server, racers: int, seconds: float) -> Figures:
    """Measure the delay between the end of a Redis outage and the acceptance of its moves.

    Each racer moves once during the outage, and retries a refused move as browsers do.
    """
    players = await open_players(server, racers, 1, GAMES, again=True)
    os.kill(server.redis, signal.SIGSTOP)
    try:
        await move_in_turn(players, 0.9 * seconds / racers, 0.9 * seconds)
        await asyncio.sleep(0.1 * seconds)
    finally:
        os.kill(server.redis, signal.SIGCONT)
    restored = time.perf_counter()
    await last_answers(players)
    now = time.perf_counter()
    waits = [(now if player.due else player.answered_at) - restored for player in players]
    return {"worst_s": max(waits)}
