"""One soak: players, periodic samples, faults, and a check of the remains."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from redis.exceptions import RedisError

from tests.clients.plans import Table
from tests.faults import ledger, plans
from tests.faults.balancer import Balancer
from tests.faults.checker import Verdict, check
from tests.faults.complaint import Complaint
from tests.faults.injection import Fault, Injector
from tests.faults.player import World
from tests.faults.room_history import Nodes
from tests.faults.run import reported_by, store_running, stored_when_settled, write_evidence
from tests.faults.stage import ABSENCE, WATCH_DELAY_MS, Stage
from tests.faults.stored import Stored
from tests.faults.stores import Store
from tests.soak.figures import NodeFigures, Observed, Sample, StoreFigures, of_store
from tests.soak.judge import Course, is_quiet, judge
from tests.soak.people import Person
from tests.soak.report import line

NODES = 2

COUNTDOWN_MS = 300
"""Milliseconds from the host's start to the first card."""

KINDS = ("node killed", "Redis held", "node restarted", "Redis killed")
"""The faults of a soak, in rotation."""

PAUSE = 180.0
"""The most seconds between faults. Their traces must be gone by then."""

HOLD = 10.0
"""The longest hold of Redis, in seconds."""

QUIET_WITHIN = 60.0
"""Seconds after the last player has left within which all traces must be gone.

A killed node's registration expires after fifteen seconds, and absent players lose their seats
after six.
"""

POLL_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a soak.

    Attributes:
        seconds: duration of play.
        seed: determines the players' choices, but not the scheduling of the processes.
        redis: `alone` or `cluster`.
        pace: mean seconds between a player's commands.
        every: seconds between samples.
        finish: seconds within which every player must finish at the end.
        share: divisor of the rooms' time limits.
    """

    seconds: float
    players: int
    seed: int
    redis: str = "alone"
    pace: float = 2.0
    every: float = 30.0
    finish: float = 120.0
    share: int = 1
    kinds: tuple[str, ...] = KINDS


@dataclass(slots=True)
class Report:
    """The outcome of a soak."""

    course: Course
    counts: Counter[str]
    complaints: list[Complaint] = field(default_factory=list)


def planned(seconds: float, seed: int, kinds: Sequence[str]) -> list[Fault]:
    pause = min(PAUSE, seconds / (len(kinds) + 1))
    rng = random.Random(seed)
    in_turn = islice(cycle(kinds), round(seconds / pause) - 1)
    return [Fault(kind, pause, rng.getrandbits(32)) for kind in in_turn]


async def run(settings: Settings, folder: Path, log: Callable[[str], None]) -> Report:
    """Run a soak; write the nodes' logs to a folder and, if there are complaints, the evidence."""
    world = World(port=0)
    async with (
        store_running(settings.redis) as store,
        _running_stage(store, folder, settings) as (stage, nodes),
    ):
        began = await _figures(nodes, collect=True)
        samples, stuck = await _run_people(settings, stage, nodes, world, log)
        found = await stored_when_settled(stage)
        log("all players have left")
        verdict = await asyncio.to_thread(_checked, found, world)
        dailies = sum(member.startswith("a:") for member in found.due)
        await _until_quiet(store, nodes, dailies)
        left = await _figures(nodes)
        collected = await _figures(nodes, collect=True)
        stored = await _of_store(store)
        for node in nodes:
            if not await node.end():
                world.complaints.append(f"node {node.number} does not end on SIGTERM")
        ended = await _of_store(store)
        refused = await asyncio.to_thread(store.refused)
        world.complaints += [f"Redis refused a node: {each}" for each in refused]
        reported = reported_by(world, stage, settings.redis)
    course = Course(began, samples, left, collected, stored, ended)
    judged = [Complaint("left", "the soak", text) for text in judge(course, NODES, dailies)]
    # Report equal complaints once.
    complaints = list(dict.fromkeys([*stuck, *reported, *verdict.complaints, *judged]))
    if complaints:
        write_evidence(folder, complaints, found, world)
    return Report(course, world.counts + verdict.counts, complaints)


def _checked(found: Stored, world: World) -> Verdict:
    nodes = Nodes(ABSENCE, 3 * ABSENCE, ABSENCE // 2, ABSENCE, watch_delay=WATCH_DELAY_MS)
    return check(found, world.ledgers, ledger.now(), nodes)


@asynccontextmanager
async def _running_stage(
    store: Store, folder: Path, settings: Settings
) -> AsyncIterator[tuple[Stage, Sequence[Observed]]]:
    """Run nodes within the context, and yield their stage and the nodes."""
    options = [*store.options(), "--page", str(folder), "--share", str(settings.share)]
    options += ["--countdown", str(COUNTDOWN_MS), "--absence", str(ABSENCE)]
    # All players share an address.
    options += [
        "--watch-delay",
        str(WATCH_DELAY_MS),
        "--address-players",
        str(10 * settings.players),
    ]
    nodes = [Observed(number, options, folder) for number in range(NODES)]
    stage = Stage(store, nodes)
    watch = asyncio.create_task(stage.watch())
    try:
        for node in nodes:
            node.start()
        for node in nodes:
            await node.until_listening()
        yield stage, nodes
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        for node in nodes:
            node.kill()


async def _run_people(
    settings: Settings,
    stage: Stage,
    nodes: Sequence[Observed],
    world: World,
    log: Callable[[str], None],
) -> tuple[list[Sample], list[Complaint]]:
    """Run the players under faults until they leave; return samples and stuck players."""
    ports = [node.port for node in nodes]
    tables: asyncio.Queue[Table] = asyncio.Queue()
    people = [
        Person(number, world, rng, ports, settings.pace)
        for number, rng in enumerate(plans.rngs(settings.seed, settings.players))
    ]
    tasks = [asyncio.create_task(person.live(tables)) for person in people]
    faults = planned(settings.seconds, settings.seed, settings.kinds)
    # The stage requires a balancer, but no player connects through it.
    balancer = Balancer(ports, random.Random(settings.seed))
    injector = Injector(stage, balancer, world, hold=min(HOLD, faults[0].pause / 2))
    samples: list[Sample] = []
    observer = asyncio.create_task(_observe(stage.store, nodes, world, samples, settings, log))
    injecting = asyncio.create_task(injector.inject(faults))
    try:
        await asyncio.sleep(settings.seconds)
        await injecting
        await injector.wait_until_healed()
        log("no more faults: all players finish")
        observer.cancel()
        world.closing = True
        await asyncio.wait(tasks, timeout=settings.finish)
        stuck = [
            Complaint("stuck", f"player {person.number}", person.doing)
            for person, task in zip(people, tasks, strict=True)
            if not task.done()
        ]
        return samples, stuck
    finally:
        for task in tasks:
            if task.done() and not task.cancelled() and (error := task.exception()):
                world.complaints.append(f"a player raised an exception: {error!r}")
        ours = [observer, injecting, *tasks]
        for task in ours:
            task.cancel()
        await injector.stop()
        await asyncio.gather(*ours, return_exceptions=True)
        for person in people:
            await person.leave()


async def _observe(  # noqa: PLR0917 - what figures are of
    store: Store,
    nodes: Sequence[Observed],
    world: World,
    samples: list[Sample],
    settings: Settings,
    log: Callable[[str], None],
) -> None:
    begun = time.monotonic()
    while True:
        await asyncio.sleep(settings.every)
        stored: StoreFigures | None = None
        if not store.lock.locked():
            # A fault may kill it meanwhile.
            with suppress(RedisError, OSError):
                stored = await _of_store(store)
        found = await _figures(nodes)
        sample = Sample(time.monotonic() - begun, found, stored, time.process_time())
        log(line(sample, samples[-1] if samples else None, world.counts))
        samples.append(sample)


async def _figures(nodes: Sequence[Observed], *, collect: bool = False) -> dict[int, NodeFigures]:
    found = await asyncio.gather(*(node.figures(collect=collect) for node in nodes))
    return {number: each for number, each in enumerate(found) if each is not None}


async def _of_store(store: Store) -> StoreFigures:
    """Return the store's figures."""
    return await asyncio.to_thread(lambda: of_store(store.clients()))


async def _until_quiet(store: Store, nodes: Sequence[Observed], dailies: int) -> None:
    deadline = time.monotonic() + QUIET_WITHIN
    while time.monotonic() < deadline:
        found = await _figures(nodes)
        if len(found) == NODES and is_quiet(await _of_store(store), found.values(), dailies):
            return
        await asyncio.sleep(POLL_EVERY)
