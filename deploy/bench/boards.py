"""The cost of a leaderboard: with very many rows to Redis, with many watchers to a node."""

from __future__ import annotations

import asyncio
import random
import re
import time
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

from deploy.bench import wire
from deploy.bench.client import Client, RefusedError, map_concurrently, masked
from deploy.bench.games import recorded
from deploy.bench.meter import Figures, MeasuredNode, spread
from deploy.bench.races import open_session
from engine.catalog import ruleset
from server.base.core.ids import PlayerId
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.play.core.result import pack
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

NOTIFY_TIMEOUT = 30.0
"""Seconds to wait until every watcher is notified of a change."""

EVERY = 0.05
"""Seconds between two entries while many watch."""

ENTRIES = 60

SETTLED = 2.0
"""Seconds after which the last change has been sent to everybody."""


async def million(node: MeasuredNode, entries: int, calls: int) -> Figures:
    """Measure the time that Redis itself takes for each use of a leaderboard with many rows.

    It is that of the slow log: without the network, and without the wait for other commands.

    Returns:
        For each use its `p50` and `p99`, in milliseconds: of `place`, an entry with its curve;
        `top`, which is what a tick reads: first rows, size and median; `deep`, a page anywhere;
        `around`, a player's row with its neighbours; `standing`, a player's rank and the size;
        and `rivals`, those among 100 players.
    """
    assert node.socket is not None
    redis: Any = connect(f"unix://{node.socket}")
    database = Database(redis)
    boards, chance = LeaderboardStore(database), random.Random(1)  # noqa: S311 - not a secret
    try:
        await _fill(redis, entries, chance)
        await redis.config_set("slowlog-log-slower-than", LOGGED)
        await redis.config_set("slowlog-max-len", 4 * calls)

        def player() -> PlayerId:
            return _player(chance.randrange(entries))

        def circle() -> list[PlayerId]:
            return list(dict.fromkeys(player() for _ in range(CIRCLE)))

        uses: dict[str, Callable[[int], Awaitable[object]]] = {
            "place": lambda n: boards.place(BOARD, _player(entries + n), _score(chance), CURVE),
            "top": lambda _: boards.rows(BOARD, 1, TOP),
            "deep": lambda _: boards.rows(BOARD, chance.randrange(1, entries - PAGE), PAGE),
            "around": lambda _: boards.around(BOARD, [player()], REACH),
            "standing": lambda _: boards.standing(BOARD, player()),
            "rivals": lambda _: boards.among(BOARD, [circle()], RIVALS),
        }
        found: Figures = {"rows": await redis.zcard(keys.leaderboard(BOARD))}
        for name, use in uses.items():
            await redis.slowlog_reset()
            for number in range(calls):
                await use(number)
            logged = await redis.slowlog_get(4 * calls)
            times = [
                each["duration"] / 1e6
                for each in logged
                if each["command"].split()[0].decode().upper() in SCRIPT_COMMANDS
            ]
            figures = spread(times + [LOGGED / 1e6] * (calls - len(times)))
            found |= {f"{name}_{quantile}": figures[quantile] for quantile in ("p50", "p99")}
        return found
    finally:
        await database.close()


async def _fill(redis: Any, entries: int, chance: random.Random) -> None:
    for begin in range(0, entries, CHUNK):
        rows = {
            _player(number): _score(chance) for number in range(begin, min(begin + CHUNK, entries))
        }
        await redis.zadd(keys.leaderboard(BOARD), rows)


def _player(number: int) -> PlayerId:
    return PlayerId(f"{number:016}")


def _score(chance: random.Random) -> int:
    return pack(chance.randrange(53), chance.randrange(3_600_000), chance.randrange(200))


async def leaderboard(node: MeasuredNode, watchers: int) -> Figures:
    """Measure changes of a leaderboard with many watchers.

    Returns:
        Medians: `cost_ms`, processor time of the node for a change; `notified_ms`, from the change
        to the last notification; and `notified`, how many were notified of the last change.
    """
    game, changes = "robert", 5
    clients = await map_concurrently(watchers, lambda _: open_session(node.port))
    players = await map_concurrently(changes + 20, lambda _: open_session(node.port))
    for player in players[changes:]:
        await finish_daily(player, game)
    await map_concurrently(watchers, lambda n: clients[n].ask(wire.watch_leaderboard, game))
    await asyncio.sleep(2)
    notified: set[int] = set()
    last = 0.0

    def handler_of(number: int) -> Callable[[bytes, int, int], None]:
        def handle(*_: object) -> None:
            nonlocal last
            notified.add(number)
            last = time.perf_counter()

        return handle

    for number, client in enumerate(clients):
        client.handle_payload = handler_of(number)
    costs, waits = [], []
    for player in players[:changes]:
        notified.clear()
        spent = node.spent()
        at = await finish_daily(player, game)
        while len(notified) < watchers and time.perf_counter() - at < NOTIFY_TIMEOUT:
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        costs.append(node.spent() - spent)
        waits.append(1e3 * (last - at))
    costs.sort()
    waits.sort()
    middle = changes // 2
    return {
        "cost_ms": costs[middle],
        "notified_ms": waits[middle],
        "notified": len(notified),
    }


async def viewers(node: MeasuredNode, watchers: int) -> Figures:
    """Measure how often a leaderboard is read and encoded while many watch it and many finish.

    Returns:
        `ticks`, in which something was sent to a watcher; `reads` and `encodings` in one of them;
        and `cost_ms` of the node for one.
    """
    game = "deuces"
    clients = await map_concurrently(watchers, lambda _: open_session(node.port))
    players = await map_concurrently(ENTRIES, lambda _: open_session(node.port))
    await map_concurrently(watchers, lambda n: clients[n].ask(wire.watch_leaderboard, game))
    await asyncio.sleep(SETTLED)
    ticks = 0

    def handle(*_: object) -> None:
        nonlocal ticks
        ticks += 1

    clients[0].handle_payload = handle
    reads, encodings, spent = *_counted(node.port), node.spent()
    for player in players:
        await finish_daily(player, game)
        await asyncio.sleep(EVERY)
    await asyncio.sleep(SETTLED)
    reads_after, encodings_after = _counted(node.port)
    return {
        "ticks": ticks,
        "reads": (reads_after - reads) / ticks,
        "encodings": (encodings_after - encodings) / ticks,
        "cost_ms": (node.spent() - spent) / ticks,
    }


def _counted(port: int) -> tuple[float, float]:
    """Return how often the node has read leaderboards, and encoded changes, by its metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port + 1}/metrics") as response:
        text = response.read().decode()
    names = ("samedeal_leaderboard_reads", "samedeal_leaderboard_changes")
    found = [re.search(rf"^{name}_total (\S+)", text, re.MULTILINE) for name in names]
    reads, encodings = (float(each[1]) for each in found if each is not None)
    return reads, encodings


async def finish_daily(player: Client, game: str) -> float:
    """Open a player's daily and resign it; return the time (`perf_counter`) of the answer."""
    cards = None
    while cards is None:
        try:
            cards = await player.ask(wire.open_daily, game)
        except RefusedError as refusal:
            # The node has not read Redis's clock yet.
            if str(refusal) != "not_started":
                raise
    assert cards.handle is not None
    # One who has not moved does not come onto the leaderboard.
    played = recorded(game)[:5]
    for payload in wire.moves(ruleset(game), cards.handle, cards.seq + 1, played):
        player.write(masked(payload))
    await player.ask(wire.resign, cards.handle, cards.seq + 1 + len(played))
    return time.perf_counter()
