"""The cost of results for a node: watched leaderboards, and histories of many years."""

from __future__ import annotations

import asyncio
import time
from statistics import median

from redis import Redis

from deploy.bench.client import Client, map_concurrently, open_sessions
from deploy.bench.games import FIRST_ENTRY, frames
from deploy.bench.processes import Figures, Server
from deploy.bench.rows import cost_us, open_http
from engine.catalog import daily_games
from server.base.core.days import day_at
from server.dailies import messages as dailies
from server.play import messages as attempts
from server.players.core import keys
from server.results import messages as leaderboards
from server.results.core.excerpt import Excerpt
from server.results.core.history import DayResult
from server.results.core.history_fields import changes, whole_of

# The number of changes measured one by one, and of existing rows of the board.
CHANGES, OTHERS = 5, 20

SETTLED = 2.0  # seconds until a change has reached all watchers
LIVES = 20  # the number of measured players per length of history
RESULT = DayResult(27, 25, 400_000, 80, "stuck", 51, ranked=True)


async def leaderboard(server: Server, watchers: int, finishing: int) -> Figures:
    """Measure changes of a leaderboard with many watchers while players finish simultaneously.

    Returns:
        `cost_ms`, the node's median time for a change, in addition to that of the same finishes
        without watchers; `reads` and `encodings` of the leaderboard per tick with an update;
        `unsent`, the number of watchers with fewer updates than others.
    """
    game = "robert"
    players = await open_sessions(server.port, OTHERS + 2 * CHANGES * finishing)
    for player in players[:OTHERS]:
        await _finish_daily(player, game)

    async def finish_ms(begin: int) -> float:
        """Return the node's median time in which the players from `begin` on finish."""
        costs = []
        for at in range(begin, begin + CHANGES * finishing, finishing):
            spent = server.spent()
            finished = [_finish_daily(player, game) for player in players[at : at + finishing]]
            await asyncio.gather(*finished)
            await asyncio.sleep(SETTLED)
            costs.append(1e3 * (server.spent() - spent))
        return median(costs)

    clients = await open_sessions(server.port, watchers)
    await asyncio.sleep(SETTLED)
    alone = await finish_ms(OTHERS)
    sent = [0] * watchers

    async def watch(number: int) -> None:
        def handle(*_: object) -> None:
            sent[number] += 1

        await clients[number].ask(leaderboards.WatchLeaderboard, game)
        clients[number].handle_payload = handle

    await map_concurrently(watchers, watch)
    await asyncio.sleep(SETTLED)
    sent[:] = [0] * watchers
    reads, encodings = server.counted("leaderboard_reads"), server.counted("leaderboard_changes")
    watched = await finish_ms(OTHERS + CHANGES * finishing)
    ticks = max(sent)
    return {
        "cost_ms": watched - alone,
        "reads": (server.counted("leaderboard_reads") - reads) / ticks,
        "encodings": (server.counted("leaderboard_changes") - encodings) / ticks,
        "unsent": sum(each < ticks for each in sent),
    }


async def histories(server: Server, years: int) -> Figures:
    """Measure playing a daily, and opening the page of a player with years of dailies.

    Returns:
        `daily_ms`, the node's time for a daily from the cards to the result, and `page_ms`.
    """
    players = await open_sessions(server.port, LIVES)
    today = day_at(int(1e3 * time.time()))
    days = {(game, today - n): RESULT for game in daily_games() for n in range(1, 365 * years + 1)}
    results = changes(Excerpt(), Excerpt(days=days))
    totals = whole_of({name: text or "" for name, text in results.items()}).computed
    life = changes(Excerpt(), Excerpt(days=days, **totals._asdict()))
    with Redis(unix_socket_path=server.socket) as redis:
        for player in players:
            redis.hset(keys.history(player.player), mapping={"v": "1", **life})
    get = await open_http(server)
    daily = await cost_us(server, lambda n: _finish_daily(players[n], daily_games()[1]), LIVES)
    page = await cost_us(server, lambda n: get(f"/api/players/{players[n].player}"), LIVES)
    return {"daily_ms": daily / 1e3, "page_ms": page / 1e3}


async def _finish_daily(player: Client, game: str) -> None:
    cards: attempts.Attempt = await player.ask(dailies.OpenDaily, game)
    # Some moves make the result ranked.
    played = frames(game, cards.number, 5)
    player.write(b"".join(played))
    await player.ask(attempts.Resign, cards.number, FIRST_ENTRY + len(played))
