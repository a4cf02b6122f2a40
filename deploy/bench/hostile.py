"""The effect of an attack on other players, and its cost.

Each turn measures the bystanders alone, during the same attack on an idle server (the control,
which shows the load of the attacking process), and during the attack on the node.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from deploy.bench.attacks import ATTACKS
from deploy.bench.client import open_sessions
from deploy.bench.crowds import crowd_challenges
from deploy.bench.players import bystand, open_bystanders
from deploy.bench.processes import (
    LOAD_CORE,
    SERVER_CORE,
    Figures,
    Server,
    beside,
    free_port,
    spread,
)

TURNS = 3
SECONDS = 3.0  # the duration of a measurement in seconds
SETTLED = 0.3  # seconds between an attack and the next measurement


async def hostile(server: Server, attack: str) -> Figures:
    """Measure bystanders during an attack.

    Returns:
        `alone_p99`, `control_p99` and `attack_p99`, the answer times of moves from their due time
        in milliseconds, and `worst`, the maximum during the attack; `ratio`, the attack's p99
        relative to the larger of the others; `share`, the node's use of a core for the attack;
        `grown_mib`, the maximum growth of the node's memory.
    """
    if ATTACKS[attack].crowded:
        (creator,) = await open_sessions(server.port, 1)
        await crowd_challenges(creator, server.socket)
    players = await open_bystanders(server)
    times: dict[str, list[float]] = {"alone": [], "control": [], "attack": []}
    spent = dict.fromkeys(times, 0.0)
    memory = server.memory("VmHWM")

    async def measure(phase: str) -> None:
        before = server.spent()
        times[phase] += await bystand(players, SECONDS)
        spent[phase] += server.spent() - before
        await asyncio.sleep(SETTLED)

    async with AsyncExitStack() as stack:
        for core in (SERVER_CORE, LOAD_CORE):
            await stack.enter_async_context(beside("awake", core))
        await stack.enter_async_context(beside("nowhere", port := free_port()))
        for turn in range(TURNS):
            await measure("alone")
            async with beside(attack, port, 2 * turn + 1):
                await measure("control")
            async with beside(attack, server.port, 2 * turn + 2):
                await measure("attack")
            await asyncio.sleep(SETTLED)
    alone, control, attacked = (spread(found)["p99"] for found in times.values())
    return {
        "alone_p99": alone,
        "control_p99": control,
        "attack_p99": attacked,
        "worst": 1e3 * max(times["attack"]),
        "ratio": attacked / max(alone, control),
        "share": (spent["attack"] - spent["alone"]) / (SECONDS * TURNS),
        "grown_mib": (server.memory("VmHWM") - memory) / 2**20,
    }
