"""The plan of a player: activities with others, until the run closes."""

from __future__ import annotations

import asyncio
import random

from engine.catalog import daily_games, games
from tests.clients import plans
from tests.clients.plans import SHORTEST, Club, Dare, Table
from tests.faults.player import Player

GAMES = list(games())

QUICK = 0.15
"""Probability of looking for a quick match."""

CHALLENGED = 0.15
"""Probability of making or playing a challenge."""

GATHERED = 0.05
"""Probability of founding or joining a circle."""

SHARED = 0.3
"""Probability that a host shares the watch key of a new room."""

LOOKING_ON = (3.0, 8.0)
"""How long a player watches a room by its link, in seconds."""


async def play_until_closed(player: Player, tables: asyncio.Queue[Table]) -> None:
    """Play with others until the world closes."""
    rng = player.rng
    await player.become_new()
    dailies = rng.sample(daily_games(), len(daily_games()))
    while not player.world.closing:
        if player.world.links and rng.random() < 0.15:
            await look_on(player)
        elif rng.random() < QUICK:
            await race_quickly(player)
        elif rng.random() < CHALLENGED:
            await challenge(player)
        elif rng.random() < GATHERED:
            await gather(player)
        elif rng.random() < 0.6:
            await race(player, tables)
        elif dailies:
            await plans.play_dailies(player, dailies.pop())
        else:
            await player.become_new()
            dailies = rng.sample(daily_games(), len(daily_games()))
    player.doing = "leaving"
    await player.leave()
    player.doing = "done"


def _key(player: Player) -> str:
    return f"{player.rng.getrandbits(64):016x}"


async def race(player: Player, tables: asyncio.Queue[Table]) -> None:
    """Race at a table with a free seat, or at a new one."""
    rng = player.rng
    if tables.empty():
        seats = rng.choice((1, 2, 2, 3, 4))
        terms = plans.terms(rng) | {"limit": SHORTEST * rng.choice((1, 2))}
        table = Table(seats=seats, rounds=rng.randint(1, 3), key=_key(player), **terms)
        for _ in range(seats - 1):
            tables.put_nowait(table)
        code = await plans.open_room(player, table)
        table.code.set_result(code)
        if rng.random() < SHARED:
            shared = await player.ask("GetWatchKey", code=code)
            if shared is not None and shared["type"] == "WatchKey":
                player.world.links.append((code, shared["key"]))
    else:
        table = tables.get_nowait()
    await plans.race(player, table, host=False)


async def look_on(player: Player) -> None:
    """Watch a room by its link for a while."""
    code, key = player.rng.choice(list(player.world.links))
    player.doing = f"watching room {code}"
    answer = await player.ask("WatchRound", code=code, key=key)
    if answer is None or answer["type"] != "Watched":
        return
    player.world.counts["rooms watched by a link"] += 1
    await player.pause(*LOOKING_ON)
    await player.ask("StopWatching")


async def race_quickly(player: Player) -> None:
    """Race in a quick match of one of few games, so that players meet."""
    await plans.race_quickly(player, player.rng.choice(GAMES[:2]))


async def challenge(player: Player) -> None:
    """Make a challenge, or play one of the latest."""
    rng, links = player.rng, player.world.challenges
    if not links or rng.random() < 0.4:
        terms = plans.terms(rng)
        dare = Dare(terms["game"], terms["variant"], terms["help"], _key(player), named=False)
        links.append(await plans.make_challenge(player, dare, ()))
    await plans.play_challenges(player, rng.choice(list(links)))
    await player.ask("ListChallenges", seen=rng.random() < 0.5)
    await player.ask("UnwatchChallenge")


async def gather(player: Player) -> None:
    """Found a circle, or meet in one of the latest."""
    rng, circles = player.rng, player.world.circles
    if not circles or rng.random() < 0.3:
        club = Club(_key(player), [player])
        await plans.found(player, club)
        circles.append(club)
    else:
        club = rng.choice(list(circles))
        club.guests.append(player)
    await plans.gather(player, club)
    await player.ask("UnwatchCircle")


def rngs(seed: int, count: int) -> list[random.Random]:
    """Return `count` random number generators, all derived from one seed."""
    return [random.Random(f"{seed}:{number}") for number in range(count)]
