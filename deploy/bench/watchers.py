"""The cost of watchers to a race's node, and how soon the mover is answered beside them."""

from __future__ import annotations

import asyncio
import re
import time
import urllib.request
from collections.abc import Callable

from deploy.bench import wire
from deploy.bench.client import Client, map_concurrently
from deploy.bench.meter import Figures, MeasuredNode, spread
from deploy.bench.races import Attempt, open_session, race

GAME = "deuces"

PACE = 0.13
"""Seconds between two moves of the one player who goes on.

No multiple of it is what the counters or the watchers wait for: those of earlier moves would always
be sent together with the next move, and not at any time between two.
"""

MOVES = 100

SEATS = 8
"""Runners of the race; all but one give up at once, and watch without a delay."""

SETTLED = 3.0
"""Seconds after the last move until everybody has been sent it, a delay of one second included."""


async def watching(node: MeasuredNode, watchers: int) -> Figures:
    """Measure a race with many watchers, and the same race without any.

    Returns:
        `encodings` of a move, `writes` to a watcher for a move (the most of any watcher),
        `overtaken` moves that anybody saw before the mover had the answer, `cost_ms` of the node
        for a move, and the times to the mover's answers in milliseconds: `p50`, `p99`, and
        `alone_p50`, `alone_p99` without watchers.
    """
    players, attempts = await _race(node.port)
    alone = await _play(node, players[0], attempts[0], MOVES)
    key = await players[0].ask(wire.get_watch_key, attempts[0].room)
    assert key.key is not None
    guests = await map_concurrently(watchers - SEATS + 1, lambda _: open_session(node.port))
    everybody = [*players[1:], *guests]
    await map_concurrently(
        len(everybody),
        lambda number: everybody[number].ask(wire.watch_round, attempts[0].room, key.key),
    )
    await asyncio.sleep(SETTLED)
    counts = [0] * len(everybody)
    first: dict[int, float] = {}

    def handler_of(number: int) -> Callable[[bytes, int, int], None]:
        def handle(data: bytes, begin: int, end: int) -> None:
            if wire.kind(data, begin) == wire.WATCHED_MOVE:
                counts[number] += 1
                seq = wire.watched_seq(data[begin:end])
                if seq not in first:
                    first[seq] = time.perf_counter()

        return handle

    for number, client in enumerate(everybody):
        client.handle_payload = handler_of(number)
    before = _encoded(node.port)
    watched = await _play(node, players[0], attempts[0], MOVES, from_=MOVES)
    await asyncio.sleep(SETTLED)
    answered = watched["answered"]
    return {
        "encodings": (_encoded(node.port) - before) / MOVES,
        "writes": max(counts) / MOVES,
        "unsent": sum(count < MOVES for count in counts),
        "overtaken": sum(first.get(seq, at) < at for seq, at in answered.items()),
        "cost_ms": watched["cost_ms"],
        "alone_cost_ms": alone["cost_ms"],
        **{name: watched[name] for name in ("p50", "p99")},
        **{f"alone_{name}": alone[name] for name in ("p50", "p99")},
        "p50_ratio": watched["p50"] / alone["p50"],
    }


async def _race(port: int) -> tuple[list[Client], list[Attempt]]:
    """Start a race, and let all but the first player give up."""
    players = [await open_session(port) for _ in range(SEATS)]
    attempts = await race(players, GAME, 2 * MOVES)
    for player, attempt in zip(players[1:], attempts[1:], strict=True):
        await player.ask(wire.resign, attempt.handle, 2)
    await asyncio.sleep(1)
    return players, attempts


async def _play(
    node: MeasuredNode, player: Client, attempt: Attempt, count: int, from_: int = 0
) -> Figures:
    """Play moves at a pace; return the times to the answers, and what a move cost the node."""
    times: list[float] = []
    answered: dict[int, float] = {}
    sent = 0.0
    done = asyncio.Event()

    def handle(data: bytes, begin: int, _end: int) -> None:
        if wire.kind(data, begin) == wire.ANSWER:
            now = time.perf_counter()
            times.append(now - sent)
            # The start is entry 1.
            answered[from_ + len(times) + 1] = now
            done.set()

    player.handle_payload = handle
    spent, began = node.spent(), time.perf_counter()
    for number, frame in enumerate(attempt.frames[from_ : from_ + count]):
        await asyncio.sleep(max(0.0, began + number * PACE - time.perf_counter()))
        done.clear()
        sent = time.perf_counter()
        player.write(frame)
        await done.wait()
    await asyncio.sleep(SETTLED / 2)
    cost = (node.spent() - spent) / count
    player.reset_handler()
    return {**spread(times), "cost_ms": cost, "answered": answered}


def _encoded(port: int) -> float:
    """Return how many entries the node has encoded for watchers, by its metrics."""
    address = f"http://127.0.0.1:{port + 1}/metrics"
    with urllib.request.urlopen(address) as response:
        text = response.read().decode()
    found = re.search(r"^samedeal_watched_entries_total (\S+)", text, re.MULTILINE)
    assert found is not None, "the node counts them"
    return float(found[1])
