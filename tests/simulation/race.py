"""One race from a seed: a world, players in it, and the check when all is quiet."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import structlog

from engine import deal as dealing
from engine.catalog import games
from server.core import daily
from server.core.race import Room
from server.gateway import load, session
from server.service import attempt_journal
from server.service.rooms import Rooms
from server.store import keys
from tests.core.builders import START
from tests.faults import attempt_story
from tests.faults.checker import check
from tests.faults.complaint import Complaint
from tests.faults.kept import Kept
from tests.simulation import lives
from tests.simulation.lives import Table
from tests.simulation.loop import RestlessError, VirtualLoop
from tests.simulation.network import Network
from tests.simulation.player import Player
from tests.simulation.trace import Trace
from tests.simulation.world import World
from tests.wire import KNOWN

DAILIES = 0.15
"""How often it is dailies that are played, and not a race in a room."""

TAIL_LOST = 0.1
"""How often the store loses its last writes now and then, as it may where that is documented."""

CUTS_APART = (0.3, 5.0)
"""Seconds between two such losses."""

IN_ANY_CASE = {"stuck", "unfinished", "gap", "broken"}
"""What is complained of even if the deal of a round was lost, which nobody could play then."""

STORMY = 45.0
"""Seconds after which no more faults happen."""

FINISHED_WITHIN = 60.0
"""Seconds in the calm within which every player has come to an end."""

SETTLED_WITHIN = 30.0
"""Seconds after that within which every effect has been applied."""


SHARE = 20
"""How much shorter a round is than its room says, which may be a minute at least."""


Story = Callable[[World], Coroutine[Any, Any, None]]
"""What happens in a world."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one race."""

    seed: int
    complaints: list[Complaint]
    trace: Trace


def run(seed: int, counts: Counter[str], story: Story | None = None) -> Outcome:
    """Run the race of a seed, or another story, adding to the counts what happened in it."""
    loop = VirtualLoop()
    world = World(seed, loop, counts)
    loop.set_exception_handler(lambda _, context: _complain_of(world, context))
    try:
        with _logs(world), _determined(loop, world):
            try:
                loop.run_until_complete((story or _play)(world))
            except RestlessError as error:
                world.complain("stuck", "the world", str(error))
            world.note("world", "the end")
            trace, complaints = Trace(), list(dict.fromkeys(world.complaints))
            trace.steps = list(world.trace.steps)
            _clear(world)
    finally:
        loop.close()
    counts["seeds"] += 1
    counts["steps"] += len(trace.steps)
    return Outcome(seed, complaints, trace)


async def _play(world: World) -> None:
    """Let players play while faults happen, heal everything, and check."""
    rng, loop = world.rng, world.loop
    dailies = rng.random() < DAILIES
    world.set_epoch(START)
    if dailies:
        # Days end while they play, or have ended a moment ago.
        midnight = daily.ends(daily.day_at(START))
        world.set_epoch(midnight - rng.choice((12_000, 4_000, 1_500, 200, -500)))
    # The nodes have run for long: what signs tokens is not among what may be lost.
    world.memory.put(keys.SIGNING_KEY, rng.randbytes(32).hex())
    network = Network(world, rng.choice((1, 2, 2, 3)), dailies=dailies)
    world.note("world", "begins", f"{len(network.nodes)} nodes, dailies: {dailies}")
    players = [Player(world, network, number) for number in range(rng.randint(1 + dailies, 4))]
    game = rng.choice(list(games()))
    if dailies:
        works = [lives.play_dailies(player, game) for player in players]
    else:
        table = Table(
            game,
            rng.choice(list(games()[game].variants)),
            seats=max(1, len(players) - (rng.random() < 0.05)),
            rounds=rng.choice((1, 1, 2)),
            limit=SHARE * rng.choice((3, 6, 10)),
            key=f"{rng.getrandbits(64):016x}",
            code=loop.create_future(),
        )
        works = [lives.race(player, table, host=player is players[0]) for player in players]
    tasks = [loop.create_task(work) for work in works]
    if rng.random() < TAIL_LOST:
        cutting = loop.create_task(_cut_power(world))
        cutting.add_done_callback(lambda task: task.cancelled() or task.result())
    await _ended(tasks, STORMY)
    await asyncio.sleep(rng.choice((0.0, 0.5, 2.0)))
    world.be_calm()
    world.closing = True
    await _ended(tasks, FINISHED_WITHIN)
    for player, task in zip(players, tasks, strict=True):
        if not task.done():
            world.complain("stuck", player.id, player.doing)
        elif error := task.exception():
            world.complain("broken", player.id, f"the player broke down: {error!r}")
    await _settled(world)
    ledgers = [player.ledger.asked_since(world.lost_at) for player in players]
    kept = world.memory.kept()
    verdict = check(kept, ledgers, int(world.now()))
    excused = _excuse(kept, verdict.complaints) if world.lost_at is not None else lambda _: False
    for complaint in verdict.complaints:
        if excused(complaint):
            continue
        world.complain(complaint.kind, complaint.about, complaint.text)
    world.counts.update(verdict.counts)


def _excuse(kept: Kept, found: Sequence[Complaint]) -> Callable[[Complaint], bool]:
    """Return what excuses a complaint about a store that has lost its last writes.

    The counters of runners may be of moves that were lost, until they move again. And the deal of
    a round may be lost before the round is called: then nobody can play it.
    """
    journals = [text for entries in kept.rooms.values() for _, text in entries]
    deals = {deal for text in journals for deal in re.findall(r'"deal":"(\w+)"', text)}
    lost = not deals <= kept.deals.keys()
    # What a node knew of an end that was lost right then, it may have entered in the room since.
    early = any(each.kind == "misranked" and each.about.startswith("room") for each in found)

    def excuses(complaint: Complaint) -> bool:
        if complaint.kind == "misreported" and complaint.about.startswith("room"):
            return True
        if early and (complaint.kind == "misranked" or complaint.text == "it has no end"):
            return True
        return lost and complaint.kind not in IN_ANY_CASE

    return excuses


async def _cut_power(world: World) -> None:
    """Let the store lose, again and again, what it was told last: up to a second, or one entry."""
    rng = world.rng
    await asyncio.sleep(rng.uniform(1.0, 6.0))
    while not world.calm:
        held, entries = world.memory.copied(), world.memory.appended
        if rng.random() < 0.5:
            await asyncio.sleep(rng.random())
        else:
            while entries == world.memory.appended and not world.calm:
                held = world.memory.copied()
                await asyncio.sleep(0.01)
            # Just after it was told that the entry stands.
            await asyncio.sleep(0.1 * rng.random())
        if not world.calm:
            world.lose_tail(held)
        await asyncio.sleep(rng.uniform(*CUTS_APART))


async def _ended(tasks: list[asyncio.Task[None]], seconds: float) -> None:
    """Return when all tasks are done, or so many seconds have passed."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while loop.time() < until and not all(task.done() for task in tasks):
        await asyncio.sleep(0.25)


async def _settled(world: World) -> None:
    """Return when nothing is left to be done, or has not been done in time."""
    loop = world.loop
    until = loop.time() + SETTLED_WITHIN
    while loop.time() < until:
        kept = world.memory.kept()
        if not kept.due and not kept.effects:
            return
        soonest = min(kept.due.values(), default=0)
        if soonest > world.now() + 2_000:
            world.leap(soonest - world.now() - 500)
        await asyncio.sleep(0.5)


def _complain_of(world: World, context: dict[str, Any]) -> None:
    """Complain of an exception that nobody took."""
    world.complain("broken", "the loop", f"{context.get('message')}: {context.get('exception')!r}")


def _clear(world: World) -> None:
    """Let no task be left, without letting it be heard."""
    loop = world.loop
    loop.set_exception_handler(lambda *_: None)
    loop.rest()
    for node in world.nodes:
        node.kill()
    for transport in list(world.connections):
        transport.lose(None)
    for _ in range(100):
        tasks = asyncio.all_tasks(loop)
        if not tasks:
            break
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.2))
    for node in world.nodes:
        loop.run_until_complete(node.disconnect())
    for transport in list(world.connections):
        transport.lose(None)
    loop.run_until_complete(asyncio.sleep(0))


@contextmanager
def _logs(world: World) -> Iterator[None]:
    """Let what the server logs as an error be a complaint, and all else be silent."""

    def take(_: object, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if level in {"error", "exception", "critical"}:
            world.complain("broken", "the log", f"{event}")
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, take],
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )
    try:
        yield
    finally:
        structlog.configure(**before)


@contextmanager
def _determined(loop: VirtualLoop, world: World) -> Iterator[None]:
    """Let all time be the loop's, and all chance the world's."""
    KNOWN.clear()
    rng = world.rng
    places: list[tuple[Any, str, Any]] = [
        (time, "monotonic", loop.time),
        (secrets, "token_hex", lambda count: rng.randbytes(count).hex()),
        (secrets, "token_bytes", rng.randbytes),
        (secrets, "choice", rng.choice),
        (session, "random", rng),
        (load, "random", rng),
    ]
    with ExitStack() as stack:
        for owner, name, value in places:
            stack.enter_context(instead(owner, name, value))
        yield


@contextmanager
def instead(owner: Any, name: str, other: object) -> Iterator[None]:
    """Let something be another thing inside."""
    before = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def conditions() -> Iterator[None]:
    """Let many races be run quickly: deals are laid out once, and few are drawn ahead.

    A race leaves much behind that refers to itself, and next to nothing of it lives on: it is
    looked for less often than usual.
    """
    cached = lru_cache(64)(dealing.deal_seed)
    places: list[tuple[Any, str, Any]] = [
        (attempt_journal, "deal_seed", cached),
        (attempt_story, "deal_seed", cached),
        (daily, "DRAWN_AHEAD", 0),
        (keys, "PARTITIONS", 8),
    ]
    create = Rooms.create

    async def shorter(self: Rooms, *given: Any, limit: int, **named: Any) -> Room:
        return await create(self, *given, limit=limit // SHARE, **named)

    places.append((Rooms, "create", shorter))
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        with ExitStack() as stack:
            for module, name, value in places:
                stack.enter_context(instead(module, name, value))
            yield
    finally:
        gc.set_threshold(*thresholds)
