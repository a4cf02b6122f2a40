"""How players and visitors fare beside an attack, in turns with times without, and what it costs.

In each turn the bystanders are measured alone, beside the same attack on a server that does nothing
(the control: what the attacking process takes of the machine), and beside the attack on the node.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
import urllib.request
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path

from redis.asyncio import Redis

from deploy.bench.attacks import ATTACKS
from deploy.bench.meter import Figures, MeasuredNode, spread
from deploy.bench.open import PacedPlayer, last_answers, open_players, send_moves
from deploy.bench.processes import LoadError, free_port, kept_awake, memory

TURNS = 3

SECONDS = 3.0
"""Seconds of each measurement."""

SETTLED = 0.3
"""Seconds after an attack until the next measurement."""

PAIRS = 10
"""Bystanders, in rooms of two."""

PACE = 0.2
"""Seconds between two moves of a bystander: five times as fast as people."""

VISIT = 0.1
"""Seconds between two visits by HTTP."""

LOOKS = 10
"""How often the node's memory is looked at in an attack."""

MOVES = 1_000

_ALONE, _CONTROL, _ATTACK = "alone", "control", "attack"
_COUNTER = re.compile(r"^samedeal_(?:refusals|limited)_total\{(.*)\} (\S+)$", re.MULTILINE)


async def hostile(node: MeasuredNode, attack: str) -> Figures:
    """Measure bystanders beside an attack.

    Returns:
        In milliseconds, the times to the answers of moves, from when they were due, as `p50` and
        `p99`, and of visits as `visit_p99`, each with `alone_`, `control_` or `attack_` before it;
        `ratio`, of the p99 beside the attack to the larger one of the others; `control_ratio`, of
        the control's to the one alone; `share` of a core that the node used for the attack;
        `grown`, the most bytes by which the node's memory grew in an attack, and `each`
        connection's share; `kept`, by how much it was larger in the end; `logged` bytes, and
        `stored`, those that Redis has more; `refused`, how often by reason.
    """
    assert node.socket is not None
    bystanders = await open_players(node.port, 2 * PAIRS, MOVES, ["deuces"], at_once=4)
    log = Path(node.socket).with_name("node.log")
    await _bystand(bystanders, node.port)
    moves: dict[str, list[float]] = {_ALONE: [], _CONTROL: [], _ATTACK: []}
    visits: dict[str, list[float]] = {_ALONE: [], _CONTROL: [], _ATTACK: []}
    taken = dict.fromkeys(moves, 0.0)
    redis = Redis(unix_socket_path=node.socket)
    before, logged, stored = memory(node.pid), log.stat().st_size, await _used(redis)
    refused = _refused(node.port)
    grown = 0

    async def measured(phase: str) -> None:
        spent = node.spent()
        played, visited = await _bystand(bystanders, node.port)
        taken[phase] += node.spent() - spent
        moves[phase] += played
        visits[phase] += visited
        await asyncio.sleep(SETTLED)

    with kept_awake():
        async with running("--nowhere", port := free_port()):
            for turn in range(TURNS):
                await measured(_ALONE)
                async with running(attack, port, 2 * turn + 1):
                    await measured(_CONTROL)
                start = memory(node.pid)
                async with running(attack, node.port, 2 * turn + 2):
                    looked = asyncio.create_task(_largest(node.pid))
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
        "grown": grown,
        "each": grown / ATTACKS[attack].sockets,
        "kept": memory(node.pid) - before,
        "logged": log.stat().st_size - logged,
        "stored": await _used(redis) - stored,
        "refused": dict(_refused(node.port) - refused),
    }


async def _bystand(players: list[PacedPlayer], port: int) -> tuple[list[float], list[float]]:
    """Play and visit for a while; return the times in seconds of moves, and of visits.

    Raises:
        LoadError: a move was refused, or not answered.
    """
    for player in players:
        player.times.clear()
    visiting = asyncio.create_task(_visit(port, time.perf_counter() + SECONDS))
    await send_moves(players, PACE / len(players), SECONDS)
    visits = await visiting
    await last_answers(players)
    if any(player.refused or player.due for player in players):
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


@asynccontextmanager
async def running(*arguments: str | int) -> AsyncIterator[None]:
    """Run `deploy.bench.attacks` in the block."""
    given = ["-m", "deploy.bench.attacks", *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(sys.executable, *given, stdin=PIPE, stdout=PIPE)
    assert process.stdout is not None
    try:
        # It is ready: to start it is no part of the attack.
        await process.stdout.readline()
        yield
    finally:
        process.kill()
        await process.wait()


async def _largest(pid: int) -> int:
    """Return the largest of some looks at a process's memory, in bytes."""
    found = []
    for _ in range(LOOKS):
        await asyncio.sleep(SECONDS / LOOKS)
        found.append(memory(pid))
    return max(found)


async def _used(redis: Redis) -> int:
    return int((await redis.info("memory"))["used_memory_dataset"])


def _refused(port: int) -> Counter[str]:
    """Return what a node has refused, and limited, by its labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port + 1}/metrics") as response:
        text = response.read().decode()
    return Counter({labels: int(float(count)) for labels, count in _COUNTER.findall(text)})
