"""The cost of a leaderboard's change to a node, and how soon its subscribers are notified."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from deploy.bench import wire
from deploy.bench.client import Client, RefusedError, map_concurrently
from deploy.bench.meter import Figures, MeasuredNode
from deploy.bench.races import open_session

NOTIFY_TIMEOUT = 30.0
"""Seconds to wait until every watcher is notified of a change."""


async def leaderboard(node: MeasuredNode, watchers: int) -> Figures:
    """Measure changes of a leaderboard with many watchers.

    Returns:
        Medians: `cost_ms`, processor time of the node for a change; `notified_ms`, from the change
        to the last notification; and `notified`, how many were notified of the last change.
    """
    game, changes = "deuces", 5
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
    await player.ask(wire.resign, cards.handle, cards.seq + 1)
    return time.perf_counter()
