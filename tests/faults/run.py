"""A run: a stage, its players and faults, and the check at the end."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients.plans import Table
from tests.faults import injection, ledger, nodelog, plans, stored
from tests.faults.balancer import Balancer
from tests.faults.checker import check
from tests.faults.complaint import Complaint
from tests.faults.injection import Injector
from tests.faults.node import CHALLENGE_OPEN, QUICK_LIMIT
from tests.faults.player import Player, World
from tests.faults.room_history import Nodes
from tests.faults.stage import ABSENCE, COUNTDOWNS, WATCH_DELAY_MS, Stage, running_stage
from tests.faults.stored import Stored
from tests.faults.stores import Store, running_store

SETTLED_WITHIN = 40.0
"""Seconds after the last player has left within which all effects must be applied."""

PLAYED_WITHIN = 60.0
"""Seconds allowed for the first player to open a session."""

POLL_EVERY = 0.3

EXPECTED = {
    "private": {"embedded_redis_died", "embedded_redis_not_started", "EOFError: Ran out of input"}
}
"""Expected errors in the nodes' logs, by kind of Redis.

The private store may be killed, also during its start, and a starting worker may find its
supervisor killed.
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Attributes:
        seed: determines all choices, but not the scheduling of the processes.
        redis: `alone`, `cluster`, or `private`, with a single node.
        workers: number of processes of the single node.
        pause: mean seconds between faults.
        pace: mean seconds between a player's commands.
        share: divisor of the rooms' time limits.
        finish: seconds after the last fault within which every player must finish.
        broken: whether the nodes acknowledge before they append.
        kinds: the kinds of fault; all if `None`.
    """

    faults: int
    seed: int
    redis: str = "alone"
    workers: int = 1
    players: int = 24
    pause: float = 0.55
    pace: float = 0.25
    share: int = 5
    finish: float = 90.0
    broken: bool = False
    kinds: tuple[str, ...] | None = None


@dataclass(slots=True)
class Report:
    """The outcome of a run."""

    seconds: float
    counts: Counter[str]
    complaints: list[Complaint] = field(default_factory=list)


async def run(settings: Settings, folder: Path, log: Callable[[str], None]) -> Report:
    """Run all of it.

    Write the nodes' logs to a folder and, if there are complaints, the evidence.
    """
    begun = time.monotonic()
    world = World(port=0)
    async with (
        store_running(settings.redis, settings.workers) as store,
        running_stage(store, folder, settings.share, broken=settings.broken) as stage,
    ):
        stuck = await _run_players(settings, stage, world, log)
        found = await stored_when_settled(stage)
        world.complaints += await stage.in_thread(store.refused)
    log("checking")
    nodes = Nodes(ABSENCE, 3 * ABSENCE, ABSENCE // 2, ABSENCE, watch_delay=WATCH_DELAY_MS)
    verdict = await asyncio.to_thread(check, found, world.ledgers, ledger.now(), nodes)
    # Report equal complaints once.
    complaints = list(
        dict.fromkeys([*stuck, *reported_by(world, stage, settings.redis), *verdict.complaints])
    )
    counts = world.counts + verdict.counts
    counts["players"] = settings.players
    counts["identities"] = len(world.ledgers)
    if complaints:
        write_evidence(folder, complaints, found, world)
    return Report(time.monotonic() - begun, counts, complaints)


@asynccontextmanager
async def store_running(kind: str, workers: int = 1) -> AsyncIterator[Store]:
    context = running_store(kind, workers)
    starting = asyncio.create_task(asyncio.to_thread(context.__enter__))
    try:
        yield await asyncio.shield(starting)
    finally:
        await asyncio.wait({starting})
        if starting.exception() is None:
            await asyncio.to_thread(context.__exit__, None, None, None)


async def _run_players(
    settings: Settings, stage: Stage, world: World, log: Callable[[str], None]
) -> list[Complaint]:
    """Run the players under faults; return complaints about stuck players."""
    balancer = Balancer(
        [node.port for node in stage.nodes], random.Random(f"{settings.seed}:balancer")
    )
    async with balancer.listening():
        world.port = balancer.port
        tables: asyncio.Queue[Table] = asyncio.Queue()
        players = [
            Player(number, world, rng, settings.pace)
            for number, rng in enumerate(plans.rngs(settings.seed, settings.players))
        ]
        tasks = [asyncio.create_task(plans.play_until_closed(p, tables)) for p in players]
        injector = Injector(stage, balancer, world)
        reporter = asyncio.create_task(_report(world, log))
        faults = injection.planned(
            settings.faults,
            settings.seed,
            settings.pause,
            injection.weights_in(settings.redis, settings.workers),
            settings.kinds,
        )
        try:
            await _until_played(world)
            await injector.inject(faults)
            await injector.wait_until_healed()
            log("no more faults: all players finish")
            world.duplicate = world.reorder = 0
            world.closing = True
            await asyncio.wait(tasks, timeout=settings.finish)
            return [
                Complaint("stuck", f"player {player.number}", player.doing)
                for player, task in zip(players, tasks, strict=True)
                if not task.done()
            ]
        finally:
            reporter.cancel()
            for task in tasks:
                if task.done() and not task.cancelled() and (error := task.exception()):
                    world.complaints.append(f"a player raised an exception: {error!r}")
                task.cancel()
            await injector.stop()
            await asyncio.gather(reporter, *tasks, return_exceptions=True)


async def _until_played(world: World) -> None:
    """Wait for the first session: a port is bound before the workers behind it can serve."""
    async with asyncio.timeout(PLAYED_WITHIN):
        while not world.counts["sessions"]:
            await asyncio.sleep(0.1)


async def _report(world: World, log: Callable[[str], None]) -> None:
    begun = time.monotonic()
    while True:
        await asyncio.sleep(15)
        faults = sum(n for name, n in world.counts.items() if name.startswith("fault: "))
        log(
            f"{time.monotonic() - begun:.0f} s: {faults} faults, {world.counts['sessions']} "
            f"sessions, {world.counts['commands']} commands"
        )


async def stored_when_settled(stage: Stage) -> Stored:
    """Return the contents of Redis when nothing is due any more, or when time is up.

    A bot whose opponent vanished plays until its quick match's deadline, and challenges stay open
    until their dates.
    """
    deadline = time.monotonic() + SETTLED_WITHIN
    last = ledger.now() + max(max(COUNTDOWNS) + QUICK_LIMIT, CHALLENGE_OPEN)
    was_settled = False
    while True:
        await asyncio.sleep(POLL_EVERY)
        clients = await stage.in_thread(stage.store.clients)
        found = await stage.in_thread(stored.read, clients)
        for client in clients:
            client.close()
        overdue = any(due < max(ledger.now(), last) for due in found.due.values())
        is_settled = not (found.effects or overdue)
        # Keys are read one by one, so a first reading may catch half of a recent change.
        if (is_settled and was_settled) or time.monotonic() > deadline:
            return found
        was_settled = is_settled


def reported_by(world: World, stage: Stage, redis: str) -> list[Complaint]:
    """Return the players' complaints, and the errors in the nodes' logs for a kind of Redis."""
    complaints = [Complaint("broken", "a player", text) for text in world.complaints]
    for node in stage.nodes:
        world.counts["nodes that crashed"] += node.crashes
        log = node.log.read_text(errors="replace").splitlines()
        complaints += [
            Complaint("broken", f"node {node.number}", text)
            for text in nodelog.errors(log, EXPECTED.get(redis, ()))
        ]
    return complaints


def write_evidence(
    folder: Path, complaints: Iterable[Complaint], found: Stored, world: World
) -> None:
    (folder / "complaints.txt").write_text("".join(f"{each}\n" for each in complaints))
    with (folder / "journals.jsonl").open("w") as out:
        for name, entries in (*found.attempts.items(), *found.rooms.items()):
            out.write(json.dumps({"name": name, "entries": entries}) + "\n")
    with (folder / "ledgers.jsonl").open("w") as out:
        for each in world.ledgers:
            for direction, lines in (("sent", each.commands()), ("received", each.events())):
                for at, message in lines:
                    line = {"player": each.player, "at": at, direction: message}
                    # Watched boards have piles of bytes.
                    out.write(json.dumps(line, default=bytes.hex) + "\n")


def table(report: Report) -> Sequence[str]:
    rows = [("seconds", f"{report.seconds:.0f}")]
    faults = {n: c for n, c in report.counts.items() if n.startswith("fault: ")}
    rows.append(("faults", str(sum(faults.values()))))
    rows += [(f"  {name.removeprefix('fault: ')}", str(faults[name])) for name in sorted(faults)]
    others = sorted(report.counts.keys() - faults.keys())
    rows += [(name, str(report.counts[name])) for name in others]
    lines = [f"{name:<34}{value:>9}" for name, value in rows]
    if not report.complaints:
        return [*lines, "", "Nothing was lost, duplicated or invented, and every player finished."]
    return [*lines, "", f"{len(report.complaints)} complaints:", *map(str, report.complaints)]
