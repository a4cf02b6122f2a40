"""A node's HTTP interface on a real store, with an answer for every operation."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from engine.catalog import daily_games
from server.base.core import days
from server.base.journals import store as journals_store
from tests.builders import ADA, BOB, CYD, START
from tests.challenges.test_challenges import made, played, raced
from tests.clients.site import GAME, SETTLED, Site, play_daily, site_on
from tests.conftest import server_alone
from tests.deals.certified import pooled
from tests.generators.operations import Operation, operations_in
from tests.nodes import Node, SetClock, node_on

REFILL_MS = 60_000
"""Milliseconds after which a client can pay for all operations twice."""


@asynccontextmanager
async def populated(folder: Path) -> AsyncIterator[tuple[Site, dict[str, str]]]:
    """Run a node; yield its HTTP interface, and values of fields in paths."""
    # The clock is set to a day in the far future.
    vars(journals_store)["CLOCK_TOLERANCE_MS"] = 10**15
    servers = server_alone()
    try:
        async with node_on(next(servers), SetClock()) as node:
            values = await _play(node)
            async with site_on(node, folder) as site:
                await site.ask(f"/api/archive/{values['file']}")
                await node.services.archive.wait()
                yield site, values
    finally:
        next(servers, None)


async def _play(node: Node) -> dict[str, str]:
    """Play a closed day with certified deals, a race and a challenge; return their ids."""
    # Deals of the first days are not certified.
    await node.dailies.draw_ahead()
    for game in daily_games():
        await node.services.pool_store.put(pooled(game))
    await node.dailies.draw_ahead()
    day = days.day_at(START) + days.UNCERTIFIED_AHEAD + 1
    later = (day - days.day_at(START)) * days.DAY
    await node.services.histories.keep(ADA, START)
    await raced(node, ADA, BOB, CYD)
    node.clock.time = START + later
    run = await play_daily(node, ADA)
    for player in (BOB, CYD):
        await play_daily(node, player, moves=4)
    challenge = await made(node, named=[BOB, CYD])
    for player in (ADA, BOB):
        await played(node, challenge.id, player)
    node.clock.time = SETTLED + later
    await node.sweep()
    await node.apply_effects()
    date = days.date_text(day)
    return {
        "date": date,
        "game": GAME,
        "scope": "day",
        "period": date,
        "file": f"{date}.jsonl.gz",
        "deal": run.partition(".")[0],
        "run": run,
        "player": ADA,
        "challenge": challenge.id,
    }


async def asked(site: Site, values: dict[str, str]) -> list[Operation]:
    """Request every operation, after letting clients' budgets refill."""
    site.node.clock.time += REFILL_MS
    document = await _answer(site, "/openapi.json")
    return [
        each._replace(answer=await _answer(site, each.url))
        for each in operations_in(document, values)
    ]


async def _answer(site: Site, url: str) -> Any:
    reply = await site.get(url)
    assert reply.status == 200, (url, reply.body)
    return reply.json if "json" in reply.headers["Content-Type"] else reply.body


def shown(operation: Operation) -> Any:
    """Return an answer as the programs that read it print it."""
    if operation.is_file:
        return {"file": operation.answer.hex()}
    return operation.answer


def differences(read: Any, sent: Any, at: str = "") -> list[str]:
    """Return where what a program has read differs from what the node has sent.

    Some programs print no fields that are null.
    """
    if isinstance(read, dict) and isinstance(sent, dict):
        missing = sent.keys() - read.keys()
        found = [f"{at}.{name} is missing" for name in missing if sent[name] is not None]
        found += [f"{at}.{name} was not sent" for name in read.keys() - sent.keys()]
        both = sent.keys() & read.keys()
        return found + [
            d for name in both for d in differences(read[name], sent[name], f"{at}.{name}")
        ]
    if isinstance(read, list) and isinstance(sent, list) and len(read) == len(sent):
        pairs = enumerate(zip(read, sent, strict=True))
        return [d for number, (r, s) in pairs for d in differences(r, s, f"{at}[{number}]")]
    same = read == sent and isinstance(read, bool) == isinstance(sent, bool)
    return [] if same else [f"{at} is {json.dumps(read)[:60]}, not {json.dumps(sent)[:60]}"]
