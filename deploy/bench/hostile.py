"""How players and visitors fare beside an attack, in turns with times without, and what it costs.

In each turn the bystanders are measured alone, beside the same attack on a server that does nothing
(the control: what the attacking process takes of the machine), and beside the attack on the node.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack
from itertools import chain

from redis import Redis

from deploy.bench.attacks import ATTACKS
from deploy.bench.players import Figures, Player, last_answers, move_in_turn, open_players
from deploy.bench.processes import (
    LOAD_CORE,
    SERVER_CORE,
    LoadError,
    Server,
    beside,
    free_port,
    spread,
)

TURNS = 3

SECONDS = 3.0
"""Seconds of each measurement."""

SETTLED = 0.3
"""Seconds after an attack until the next measurement."""

BYSTANDERS = 20
"""Players, in rooms of two."""

PACE = 0.2
"""Seconds between two moves of a bystander: five times as fast as people."""

VISIT = 0.1
"""Seconds between two visits by HTTP."""

LOOKS = 10
"""How often the node's memory is looked at in an attack."""

MOVES = 1_000

_ALONE, _CONTROL, _ATTACK = "alone", "control", "attack"


async def hostile(server: Server, attack: str) -> Figures:
    """Measure bystanders beside an attack.

    Returns:
        In milliseconds, the times to the answers of moves, from when they were due, as `p50` and
        `p99`, and of visits as `visit_p99`, each with `alone_`, `control_` or `attack_` before it;
        `ratio`, of the p99 beside the attack to the larger one of the others; `control_ratio`, of
        the control's to the one alone; `share` of a core that the node used for the attack;
        `grown_mib`, the most MiB by which the node's memory grew in an attack, and `each`
        connection's share; `kept`, by how much it was larger in the end; `logged` bytes, and
        `stored`, those that Redis has more; `refused`, how often by reason.
    """
    players = await open_players(server.port, BYSTANDERS, MOVES, ["deuces"])
    await _bystand(players, server.port)
    moves: dict[str, list[float]] = {_ALONE: [], _CONTROL: [], _ATTACK: []}
    visits: dict[str, list[float]] = {_ALONE: [], _CONTROL: [], _ATTACK: []}
    taken = dict.fromkeys(moves, 0.0)
    memory, before, refused, grown = server.memory(), _kept(server), _refused(server), 0

    async def measured(phase: str) -> None:
        spent = server.spent()
        played, visited = await _bystand(players, server.port)
        taken[phase] += server.spent() - spent
        moves[phase] += played
        visits[phase] += visited
        await asyncio.sleep(SETTLED)

    async with AsyncExitStack() as stack:
        for core in (SERVER_CORE, LOAD_CORE):
            await stack.enter_async_context(beside("awake", core))
        await stack.enter_async_context(beside("nowhere", port := free_port()))
        for turn in range(TURNS):
            await measured(_ALONE)
            async with beside(attack, port, 2 * turn + 1):
                await measured(_CONTROL)
            start = server.memory()
            async with beside(attack, server.port, 2 * turn + 2):
                looked = asyncio.create_task(_largest(server))
                await measured(_ATTACK)
                grown = max(grown, await looked - start)
            await asyncio.sleep(SETTLED)
    times = {phase: spread(found) for phase, found in moves.items()}
    alone, control, attacked = (times[phase]["p99"] for phase in (_ALONE, _CONTROL, _ATTACK))
    return {
        **{f"{phase}_{what}": times[phase][what] for phase in times for what in ("p50", "p99")},
        **{f"{phase}_visit_p99": spread(found)["p99"] for phase, found in visits.items()},
        "ratio": attacked / max(alone, control),
        "control_ratio": control / alone,
        "share": (taken[_ATTACK] - taken[_ALONE]) / (1e3 * SECONDS * TURNS),
        "grown_mib": grown / 2**20,
        "each": grown / ATTACKS[attack].sockets,
        "kept": server.memory() - memory,
        **{what: after - before[what] for what, after in _kept(server).items()},
        "refused": dict(_refused(server) - refused),
    }


async def _bystand(players: list[Player], port: int) -> tuple[list[float], list[float]]:
    """Play and visit for a while; return the times in seconds of moves, and of visits.

    Raises:
        LoadError: a move was refused, or not answered.
    """
    for player in players:
        player.times.clear()
    visiting = asyncio.create_task(_visit(port, time.perf_counter() + SECONDS))
    await move_in_turn(players, PACE / len(players), SECONDS)
    visits = await visiting
    await last_answers(players)
    if any(player.refused or player.failed or player.due for player in players):
        raise LoadError("a bystander is refused, or not answered")
    return list(chain.from_iterable(player.times for player in players)), visits


async def _visit(port: int, until: float) -> list[float]:
    times = []
    while (due := time.perf_counter()) < until:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        times.append(time.perf_counter() - due)
        writer.close()
        await asyncio.sleep(max(0.0, due + VISIT - time.perf_counter()))
    return times


async def _largest(server: Server) -> int:
    """Return the largest of some looks at a process's memory, in bytes."""
    found = []
    for _ in range(LOOKS):
        await asyncio.sleep(SECONDS / LOOKS)
        found.append(server.memory())
    return max(found)


def _kept(server: Server) -> dict[str, int]:
    """Return the bytes of a node's log, and of what its Redis has stored."""
    with Redis(unix_socket_path=server.socket) as redis:
        memory = redis.info("memory")
    assert isinstance(memory, dict)
    log = server.home / "node.log"
    return {"logged": log.stat().st_size, "stored": memory["used_memory_dataset"]}


def _refused(server: Server) -> Counter[str]:
    """Return what a node has refused, and limited, by its labels."""
    return Counter(server.counted("(?:refusals|limited)"))
