"""The cost of a leaderboard: with very many rows to Redis, with many watchers to a node."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import Any

from deploy.bench.client import Client, map_concurrently, open_sessions
from deploy.bench.games import FIRST_ENTRY, frames
from deploy.bench.players import Figures
from deploy.bench.processes import Server, spread
from server.base.core.ids import PlayerId
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.play.core.result import pack
from server.protocol import attempts, dailies, leaderboards
from server.results.core import keys
from server.results.core.boards import BoardId
from server.results.leaderboards import REACH, RIVALS, TOP
from server.results.leaderboards_store import LeaderboardStore

BOARD = BoardId("day", "robert", 20_778, "ranked")

CHUNK = 5_000
"""Rows that are written by one command."""

CURVE = [f"{100 * second}:{second}" for second in range(37)]
"""The fields of the day's curves that a run counts in."""

PAGE = 50
CIRCLE = 100
"""Players of whom the rows of rivals are looked up."""

LOGGED = 10
"""Microseconds from which on the slow log has a command: fewer, and it has those of scripts too."""

SCRIPT_COMMANDS = ("EVAL", "EVALSHA")

CHANGES, OTHERS = 5, 20
"""Changes that are measured one by one, and rows that are on the board before."""

NOTIFY_TIMEOUT = 30.0
"""Seconds to wait until every watcher is notified of a change."""

EVERY = 0.05
"""Seconds between two entries while many watch."""

ENTRIES = 60

SETTLED = 2.0
"""Seconds after which the last change has been sent to everybody."""


async def million(server: Server, entries: int, calls: int) -> Figures:
    """Measure the time that Redis itself takes for each use of a leaderboard with many rows.

    It is that of the slow log: without the network, and without the wait for other commands.

    Returns:
        For each use its `p50` and `p99`, in milliseconds: of `place`, an entry with its curve;
        `top`, which is what a tick reads: first rows, size and median; `deep`, a page anywhere;
        `around`, a player's row with its neighbours; `standing`, a player's rank and the size;
        and `rivals`, those among 100 players.
    """
    redis: Any = connect(f"unix://{server.socket}")
    database = Database(redis)
    boards, chance = LeaderboardStore(database), random.Random(1)  # noqa: S311 - not a secret

    def player(number: int | None = None) -> PlayerId:
        return PlayerId(f"{chance.randrange(entries) if number is None else number:016}")

    def score() -> int:
        return pack(chance.randrange(53), chance.randrange(3_600_000), chance.randrange(200))

    def circle() -> list[PlayerId]:
        return list(dict.fromkeys(player() for _ in range(CIRCLE)))

    uses: dict[str, Callable[[int], Awaitable[object]]] = {
        "place": lambda n: boards.place(BOARD, player(entries + n), score(), CURVE),
        "top": lambda _: boards.rows(BOARD, 1, TOP),
        "deep": lambda _: boards.rows(BOARD, chance.randrange(1, entries - PAGE), PAGE),
        "around": lambda _: boards.around(BOARD, [player()], REACH),
        "standing": lambda _: boards.standing(BOARD, player()),
        "rivals": lambda _: boards.among(BOARD, [circle()], RIVALS),
    }
    try:
        for begin in range(0, entries, CHUNK):
            numbers = range(begin, min(begin + CHUNK, entries))
            await redis.zadd(keys.leaderboard(BOARD), {player(n): score() for n in numbers})
        await redis.config_set("slowlog-log-slower-than", LOGGED)
        await redis.config_set("slowlog-max-len", 4 * calls)
        found: Figures = {"rows": await redis.zcard(keys.leaderboard(BOARD))}
        for name, use in uses.items():
            await redis.slowlog_reset()
            for number in range(calls):
                await use(number)
            times = [
                each["duration"] / 1e6
                for each in await redis.slowlog_get(4 * calls)
                if each["command"].split()[0].decode().upper() in SCRIPT_COMMANDS
            ]
            figures = spread(times + [LOGGED / 1e6] * (calls - len(times)))
            found |= {f"{name}_{quantile}": figures[quantile] for quantile in ("p50", "p99")}
        return found
    finally:
        await database.close()


class Viewers:
    """Sessions that watch a leaderboard.

    Attributes:
        notified: how often each was sent something since it began to watch.
        last: when one was last (`perf_counter`).
    """

    def __init__(self, clients: Sequence[Client]) -> None:
        self.notified = [0] * len(clients)
        self.last = 0.0
        for number, client in enumerate(clients):
            client.handle_payload = self._handler_of(number)

    @classmethod
    async def open(cls, port: int, count: int, game: str) -> Viewers:
        """Open the sessions on a node, and let them watch the day's leaderboard of a game."""
        clients = await open_sessions(port, count)
        await map_concurrently(count, lambda n: clients[n].ask(leaderboards.WatchLeaderboard, game))
        await asyncio.sleep(SETTLED)
        return cls(clients)

    def _handler_of(self, number: int) -> Callable[[bytes, int, int], None]:
        def handle(*_: object) -> None:
            self.notified[number] += 1
            self.last = time.perf_counter()

        return handle


async def leaderboard(server: Server, watchers: int) -> Figures:
    """Measure changes of a leaderboard with many watchers.

    Returns:
        Medians: `cost_ms`, processor time of the node for a change; `notified_ms`, from the change
        to the last notification; and `notified`, how many were notified of every change.
    """
    game = "robert"
    players = await open_sessions(server.port, CHANGES + OTHERS)
    for player in players[CHANGES:]:
        await finish_daily(player, game)
    viewers = await Viewers.open(server.port, watchers, game)
    costs, waits = [], []
    for change, player in enumerate(players[:CHANGES], 1):
        spent = server.spent()
        at = await finish_daily(player, game)
        while min(viewers.notified) < change and time.perf_counter() - at < NOTIFY_TIMEOUT:
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        costs.append(server.spent() - spent)
        waits.append(1e3 * (viewers.last - at))
    notified = sum(count >= CHANGES for count in viewers.notified)
    return {"cost_ms": median(costs), "notified_ms": median(waits), "notified": notified}


async def viewers(server: Server, watchers: int) -> Figures:
    """Measure how often a leaderboard is read and encoded while many watch it and many finish.

    Returns:
        `ticks`, in which something was sent to a watcher; `reads` and `encodings` in one of them;
        and `cost_ms` of the node for one.
    """
    game = "deuces"
    players = await open_sessions(server.port, ENTRIES)
    watching = await Viewers.open(server.port, watchers, game)

    def counted() -> list[float]:
        counters = ("leaderboard_reads", "leaderboard_changes")
        return [*(sum(server.counted(each).values()) for each in counters), server.spent()]

    before = counted()
    for player in players:
        await finish_daily(player, game)
        await asyncio.sleep(EVERY)
    await asyncio.sleep(SETTLED)
    ticks = watching.notified[0]
    each = [(after - was) / ticks for after, was in zip(counted(), before, strict=True)]
    return {"ticks": ticks, **dict(zip(("reads", "encodings", "cost_ms"), each, strict=True))}


async def finish_daily(player: Client, game: str) -> float:
    """Open a player's daily and resign it; return the time (`perf_counter`) of the answer."""
    cards: attempts.Attempt = await player.ask(dailies.OpenDaily, game)
    # One who has not moved does not come onto the leaderboard.
    played = frames(game, cards.number, 5)
    player.write(b"".join(played))
    await player.ask(attempts.Resign, cards.number, FIRST_ENTRY + len(played))
    return time.perf_counter()
