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
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis

from deploy.bench import wire
from deploy.bench.attacks import ATTACKS
from deploy.bench.client import Client, PayloadHandler, map_concurrently
from deploy.bench.meter import Figures, MeasuredNode, spread
from deploy.bench.processes import LoadError, free_port, kept_awake, memory
from deploy.bench.races import Attempt, open_session_pair, race

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

PATIENCE = 10.0
"""Seconds for the last answers."""

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
    pairs = await map_concurrently(PAIRS, lambda _: open_session_pair(node.port), 4)
    players = [each for pair in pairs for each in pair]
    races = await map_concurrently(PAIRS, lambda n: race(pairs[n], "deuces", MOVES), 4)
    bystanders = Bystanders(players, [each for pair in races for each in pair], node.port)
    log = Path(node.socket).with_name("node.log")
    await bystanders.measure(SECONDS)
    moves: dict[str, list[float]] = {_ALONE: [], _CONTROL: [], _ATTACK: []}
    visits: dict[str, list[float]] = {_ALONE: [], _CONTROL: [], _ATTACK: []}
    taken = dict.fromkeys(moves, 0.0)
    redis = Redis(unix_socket_path=node.socket)
    before, logged, stored = memory(node.pid), log.stat().st_size, await _used(redis)
    refused = _refused(node.port)
    grown = 0

    async def measured(phase: str) -> None:
        spent = node.spent()
        played, visited = await bystanders.measure(SECONDS)
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


class Bystanders:
    """Players who move at a pace, and a visitor of the node by HTTP.

    Args:
        players: the players.
        attempts: an attempt of each.
        port: the node's.
    """

    def __init__(self, players: list[Client], attempts: list[Attempt], port: int) -> None:
        self._port = port
        self._due: list[deque[float]] = [deque() for _ in players]
        self._times: list[float] = []
        self._players = [
            (client, iter(attempt.frames))
            for client, attempt in zip(players, attempts, strict=True)
        ]
        for client, due in zip(players, self._due, strict=True):
            client.handle_payload = self._handler(due)

    def _handler(self, due: deque[float]) -> PayloadHandler:
        def handle(data: bytes, begin: int, end: int) -> None:
            what = wire.kind(data, begin)
            if what == wire.ANSWER:
                self._times.append(time.perf_counter() - due.popleft())
            elif what == wire.REFUSAL:
                raise LoadError(f"a bystander is refused: {data[begin:end]!r}")

        return handle

    async def measure(self, seconds: float) -> tuple[list[float], list[float]]:
        """Play and visit for so many seconds; return the times in seconds of moves, and of visits.

        Raises:
            LoadError: not every move was answered.
        """
        self._times = []
        began = time.perf_counter()
        visiting = asyncio.create_task(self._visit(began + seconds))
        number = 0
        while (at := number * PACE / len(self._players)) < seconds:
            await asyncio.sleep(max(0.0, began + at - time.perf_counter()))
            turn = number % len(self._players)
            client, frames = self._players[turn]
            self._due[turn].append(began + at)
            client.write(next(frames))
            number += 1
        visits = await visiting
        async with asyncio.timeout(PATIENCE):
            while any(self._due):
                await asyncio.sleep(0.01)
        return self._times, visits

    async def _visit(self, until: float) -> list[float]:
        times = []
        while (due := time.perf_counter()) < until:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
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
