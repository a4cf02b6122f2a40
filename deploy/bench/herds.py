"""The cost of many players who do the same at once: restart, midnight, a popular link, a circle."""

from __future__ import annotations

import asyncio
import time

from deploy.bench.client import Client, map_concurrently, open_session, open_sessions
from deploy.bench.crowds import crowd_challenges
from deploy.bench.games import GAMES, race
from deploy.bench.processes import Figures, Server, restarted
from engine.catalog import daily_games
from server.base.core.ids import ChallengeId
from server.challenges import messages as challenges
from server.circles import messages as circles
from server.dailies import messages as dailies
from server.play import messages as attempts

VISITORS = 400  # the number of players who open a popular link
SETTLED = 1.5  # seconds until a node is idle, longer than views are shared


async def restart(server: Server, racers: int) -> Figures:
    """Restart a node, and let all racers reconnect and open their attempts at once.

    Returns:
        `back_s`, the time from when the new node listens until the last racer has its cards, and
        `racer_us`, the new node's processor time for each.
    """
    clients = await open_sessions(server.port, racers)
    pairs = list(zip(clients[::2], clients[1::2], strict=True))
    begun = await map_concurrently(len(pairs), lambda n: race(pairs[n], GAMES[n % len(GAMES)]))
    opened = [attempt for both in begun for attempt in both]
    players = [client for pair in pairs for client in pair]
    with restarted(server) as again:
        spent, at = again.spent(), time.perf_counter()

        async def return_(number: int) -> None:
            client = await open_session(again.port, players[number].token)
            await client.ask(attempts.OpenAttempt, opened[number].attempt)

        await map_concurrently(racers, return_, racers)
        seconds = time.perf_counter() - at
        return {"back_s": seconds, "racer_us": 1e6 * (again.spent() - spent) / racers}


async def midnight(server: Server, players: int) -> Figures:
    """Let all players open each of the day's dailies at once.

    Returns:
        `open_us`, the node's processor time for a daily, and `all_s`, the time for all of them.
    """
    clients = await open_sessions(server.port, players)
    games = daily_games()

    async def open_all(number: int) -> None:
        for game in games:
            await clients[number].ask(dailies.OpenDaily, game)

    await asyncio.sleep(SETTLED)
    spent, at = server.spent(), time.perf_counter()
    await map_concurrently(players, open_all, players)
    seconds = time.perf_counter() - at
    return {"open_us": 1e6 * (server.spent() - spent) / (players * len(games)), "all_s": seconds}


async def popular_link(server: Server, few: int, many: int) -> Figures:
    """Let visitors open challenges that `few` and `many` players have begun.

    Returns:
        `few_us` and `many_us`, the node's processor time for a visitor, `few_bytes` and
        `many_bytes`, the length of the answer, and the ratios `us` and `bytes` of many to few.
    """
    clients = await open_sessions(server.port, VISITORS)
    found: Figures = {}
    for name, players in (("few", few), ("many", many)):
        link = ChallengeId(f"{name:0<16}")
        await crowd_challenges(clients[0], server.socket, players, [link])

        async def visit(number: int, link: str = link) -> int:
            await clients[number].ask(challenges.WatchChallenge, link)
            return clients[number].size

        await asyncio.sleep(SETTLED)
        spent = server.spent()
        sizes = await map_concurrently(VISITORS, visit, VISITORS)
        found[f"{name}_us"] = 1e6 * (server.spent() - spent) / VISITORS
        found[f"{name}_bytes"] = sum(sizes) / VISITORS
    ratios = {name: found[f"many_{name}"] / found[f"few_{name}"] for name in ("us", "bytes")}
    return found | ratios


async def circle(server: Server, members: int) -> Figures:
    """Let all members of a circle look at its table and feed at once.

    Returns:
        `table_us` and `feed_us`, the node's processor time for each member, and `table_reads` and
        `feed_reads`, the commands of its Redis for each.
    """
    owner, *others = await open_sessions(server.port, members)
    founded: circles.Circle = await owner.ask(circles.CreateCircle, "Friends", "k" * 8)

    async def join(number: int) -> None:
        await others[number].ask(circles.JoinCircle, founded.link)

    await map_concurrently(len(others), join)
    looks = {
        "table": lambda client: client.ask(circles.GetCircleTable, founded.circle, "day"),
        "feed": lambda client: client.ask(circles.GetCircleFeed, founded.circle),
    }
    found: Figures = {}
    for name, look in looks.items():
        await asyncio.sleep(SETTLED)
        clients: list[Client] = [owner, *others]
        commands, spent = server.commands(), server.spent()
        await asyncio.gather(*map(look, clients))
        found[f"{name}_us"] = 1e6 * (server.spent() - spent) / members
        found[f"{name}_reads"] = (server.commands() - commands) / members
    return found
