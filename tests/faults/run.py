"""One run: a stage, players on it, faults that happen to it, and the check when all is quiet."""

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

from tests.faults import injection, kept, ledger, nodelog, plans
from tests.faults.balancer import Balancer
from tests.faults.checker import check
from tests.faults.complaint import Complaint
from tests.faults.injection import Injector
from tests.faults.kept import Kept
from tests.faults.plans import Table
from tests.faults.player import Player, World
from tests.faults.stage import Stage, Store, running_stage, running_store

SETTLED_WITHIN = 20.0
"""Seconds after the last player has left within which every effect has been applied."""

LOOK_EVERY = 0.3


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is to be.

    Attributes:
        faults: how many.
        seed: where all choices come from; how the processes take turns does not.
        redis: `alone` or `cluster`.
        players: how many play at a time.
        pause: seconds from fault to fault, on average.
        pace: seconds from one thing that a player says to the next, on average.
        share: a round lasts this part of its limit.
        finish: seconds after the last fault within which every player has come to an end.
        broken: whether the nodes acknowledge before they append.
        kinds: the kinds of fault; all if `None`.
        release: an earlier release, of which one of the nodes is; none if `None`.
    """

    faults: int
    seed: int
    redis: str = "alone"
    players: int = 24
    pause: float = 0.55
    pace: float = 0.25
    share: int = 5
    finish: float = 90.0
    broken: bool = False
    kinds: tuple[str, ...] | None = None
    release: str | None = None


@dataclass(slots=True)
class Report:
    """What came of a run."""

    seconds: float
    counts: Counter[str]
    complaints: list[Complaint] = field(default_factory=list)


async def run(settings: Settings, folder: Path, say: Callable[[str], None]) -> Report:
    """Run it all, leaving the nodes' logs in a folder, and with complaints what was kept."""
    begun = time.monotonic()
    world = World(port=0)
    async with (
        _store(settings.redis) as store,
        running_stage(
            store, folder, settings.share, broken=settings.broken, release=settings.release
        ) as stage,
    ):
        stuck = await _act(settings, stage, world, say)
        found = await _settled(stage)
    say("checking")
    verdict = await asyncio.to_thread(check, found, world.ledgers, ledger.now())
    # What is said of the same thing for the same reason is said once.
    complaints = list(dict.fromkeys([*stuck, *_said_by(world, stage), *verdict.complaints]))
    counts = world.counts + verdict.counts
    counts["players"] = settings.players
    counts["identities"] = len(world.ledgers)
    if complaints:
        _leave_evidence(folder, complaints, found, world)
    return Report(time.monotonic() - begun, counts, complaints)


@asynccontextmanager
async def _store(kind: str) -> AsyncIterator[Store]:
    """Run a Redis until the block is left, also if that is while it starts."""
    context = running_store(kind)
    starting = asyncio.create_task(asyncio.to_thread(context.__enter__))
    try:
        yield await asyncio.shield(starting)
    finally:
        await asyncio.wait({starting})
        if starting.exception() is None:
            await asyncio.to_thread(context.__exit__, None, None, None)


async def _act(
    settings: Settings, stage: Stage, world: World, say: Callable[[str], None]
) -> list[Complaint]:
    """Let players play while faults happen; return who was stuck at the end."""
    balancer = Balancer(
        [node.port for node in stage.nodes], random.Random(f"{settings.seed}:balancer")
    )
    async with balancer.listening():
        world.port = balancer.port
        tables: asyncio.Queue[Table] = asyncio.Queue()
        players = [
            Player(number, world, rng)
            for number, rng in enumerate(plans.rngs(settings.seed, settings.players))
        ]
        lives = [asyncio.create_task(plans.live(p, tables, settings.pace)) for p in players]
        injector = Injector(stage, balancer, world)
        reporter = asyncio.create_task(_report(world, say))
        faults = injection.planned(
            settings.faults,
            settings.seed,
            settings.pause,
            cluster=stage.store.cluster is not None,
            kinds=settings.kinds,
        )
        try:
            await injector.inject(faults)
            await injector.healed()
            say("no more faults: the players come to an end")
            world.duplicate = world.reorder = 0
            world.closing = True
            await asyncio.wait(lives, timeout=settings.finish)
            return [
                Complaint("stuck", f"player {player.number}", player.doing)
                for player, life in zip(players, lives, strict=True)
                if not life.done()
            ]
        finally:
            reporter.cancel()
            for life in lives:
                if life.done() and not life.cancelled() and (error := life.exception()):
                    world.complaints.append(f"a player broke down: {error!r}")
                life.cancel()
            await injector.stop()
            await asyncio.gather(reporter, *lives, return_exceptions=True)


async def _report(world: World, say: Callable[[str], None]) -> None:
    """Say now and then how it goes."""
    begun = time.monotonic()
    while True:
        await asyncio.sleep(15)
        faults = sum(n for name, n in world.counts.items() if name.startswith("fault: "))
        say(
            f"{time.monotonic() - begun:.0f} s: {faults} faults, {world.counts['sessions']} "
            f"sessions, {world.counts['commands']} commands"
        )


async def _settled(stage: Stage) -> Kept:
    """Return what Redis holds once nothing is left to be done, or has not been done in time."""
    deadline = time.monotonic() + SETTLED_WITHIN
    while True:
        await asyncio.sleep(LOOK_EVERY)
        clients = await stage.aside(stage.store.clients)
        found = await stage.aside(kept.read, clients)
        for client in clients:
            client.close()
        late = any(due < ledger.now() for due in found.due.values())
        if not (found.effects or late) or time.monotonic() > deadline:
            return found


def _said_by(world: World, stage: Stage) -> list[Complaint]:
    """Return what players and nodes have complained of themselves."""
    complaints = [Complaint("broken", "what a player was told", text) for text in world.complaints]
    for node in stage.nodes:
        world.counts["nodes that ended by themselves"] += node.crashes
        log = node.log.read_text(errors="replace").splitlines()
        complaints += [
            Complaint("broken", f"node {node.number}", text) for text in nodelog.errors(log)
        ]
    return complaints


def _leave_evidence(
    folder: Path, complaints: Iterable[Complaint], found: Kept, world: World
) -> None:
    """Write down what an investigation needs: complaints, journals, and every ledger."""
    (folder / "complaints.txt").write_text("".join(f"{each}\n" for each in complaints))
    with (folder / "journals.jsonl").open("w") as out:
        for name, entries in (*found.attempts.items(), *found.rooms.items()):
            out.write(json.dumps({"name": name, "entries": entries}) + "\n")
    with (folder / "ledgers.jsonl").open("w") as out:
        for each in world.ledgers:
            for way, lines in (("said", each.said()), ("heard", each.heard())):
                for at, message in lines:
                    line = {"player": each.player, "at": at, way: message}
                    out.write(json.dumps(line) + "\n")


def table(report: Report) -> Sequence[str]:
    """Return the lines of a report."""
    rows = [("seconds", f"{report.seconds:.0f}")]
    faults = {n: c for n, c in report.counts.items() if n.startswith("fault: ")}
    rows.append(("faults", str(sum(faults.values()))))
    rows += [(f"  {name.removeprefix('fault: ')}", str(faults[name])) for name in sorted(faults)]
    others = sorted(report.counts.keys() - faults.keys())
    rows += [(name, str(report.counts[name])) for name in others]
    lines = [f"{name:<34}{value:>9}" for name, value in rows]
    if not report.complaints:
        return [*lines, "", "Nothing was lost, doubled or invented, and every player got on."]
    return [*lines, "", f"{len(report.complaints)} complaints:", *map(str, report.complaints)]
