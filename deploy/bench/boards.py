"""What one change of a leaderboard costs, and how soon everyone who watches it is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from deploy.bench import wire
from deploy.bench.client import Client, RefusedError, gathered
from deploy.bench.meter import Found, Measured
from deploy.bench.races import greeted

TOLD_WITHIN = 30.0
"""Seconds after which who has not been told of a change will not be."""


async def leaderboard(node: Measured, watchers: int) -> Found:
    """Measure changes of a leaderboard that many watch, with some of them on it."""
    game, changes = "deuces", 5
    clients = await gathered(watchers, lambda _: greeted(node.port))
    players = await gathered(changes + 20, lambda _: greeted(node.port))
    for player in players[changes:]:
        await _finish_daily(player, game)
    await gathered(watchers, lambda n: clients[n].ask(wire.watch_leaderboard, game))
    await asyncio.sleep(2)
    told: set[int] = set()
    last = 0.0

    def watch(number: int) -> Callable[[bytes, int, int], None]:
        def take(*_: object) -> None:
            nonlocal last
            told.add(number)
            last = time.perf_counter()

        return take

    for number, client in enumerate(clients):
        client.take = watch(number)
    costs, waits = [], []
    for player in players[:changes]:
        told.clear()
        spent = node.spent()
        at = await _finish_daily(player, game)
        while len(told) < watchers and time.perf_counter() - at < TOLD_WITHIN:
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        costs.append(node.spent() - spent)
        waits.append(1e3 * (last - at))
    costs.sort()
    waits.sort()
    return {"cost_ms": costs[changes // 2], "told_ms": waits[changes // 2], "told": len(told)}


async def _finish_daily(player: Client, game: str) -> float:
    """Let a player end the day's game, and return when that stood."""
    cards = None
    while cards is None:
        try:
            cards = await player.ask(wire.open_daily, game)
        except RefusedError as refusal:
            # The node looks at Redis's clock just then.
            if str(refusal) != "not_started":
                raise
    assert cards.handle is not None
    await player.ask(wire.resign, cards.handle, cards.seq + 1)
    return time.perf_counter()
