"""One race from a seed: a world with players and faults, and a final check."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Iterator, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

import structlog
from msgspec.structs import replace
from redis import utils as redis_utils

from engine import deal as dealing
from engine.catalog import catalog, games, ruleset
from server.base.core import days, keys, quota
from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.base.core.refusal import Refusal, UnavailableError
from server.base.net import limits, load
from server.base.wire import session
from server.base.work import background
from server.moderation.operators import By
from server.play import journal as play_journal
from server.play.core import pace_bot
from server.players.core.names import clean_name
from server.results.core import contests
from server.rooms import journal as rooms_journal
from server.rooms.core import absence, quick_match
from server.rooms.core.events import Terms
from server.rooms.core.room import Room
from server.rooms.rooms import Rooms
from server.watching import watching
from server.watching.core import sight as core_watching
from tests.builders import START
from tests.clients import plans
from tests.clients.plans import HELP, Club, Dare, Table
from tests.faults import attempt_history
from tests.faults.checker import check
from tests.faults.complaint import Complaint
from tests.faults.ledger import Ledger
from tests.faults.stored import Stored
from tests.simulation import circles, hostile
from tests.simulation.circles import Outsider
from tests.simulation.hostile import Hostile
from tests.simulation.laws import Trial
from tests.simulation.loop import StalledError, VirtualLoop
from tests.simulation.network import Network
from tests.simulation.node import METRICS
from tests.simulation.player import Player
from tests.simulation.trace import Trace
from tests.simulation.work import Scales
from tests.simulation.world import World
from tests.wire import KNOWN

DAILIES = 0.15
"""How often players play dailies instead of racing in a room."""

QUICK = 0.15
"""How often players look for quick matches instead of racing in their own room."""

CHALLENGED = 0.15
"""How often players play a challenge instead of racing in a room."""

CIRCLED = 0.08
"""How often players are in a circle instead of racing in a room."""

TAIL_LOST = 0.1
"""How often the store repeatedly loses its last writes; never with a challenge or a circle."""

HOSTILE = 0.1
"""How often a race includes hostile players; never with dailies or lost writes."""

QUOTA_PLAYER_BYTES = 600
"""Quota per player at an address in such a race, in bytes; small enough to be filled."""

ADDRESS_MISSES = limits.Rate(1 / 2_500, 0.02)
"""Guess rate per player at an address in such a race: a burst of five, then six a minute."""

MODERATED = 0.3
"""How often an operator voids and restores results while players play."""

ACTS_WITHIN = 3.0
"""Maximum of the seconds between two operator actions."""

ACT_TIMEOUT = 3.0
"""Seconds before an action is left to sweepers."""

LOSS_INTERVAL = (0.3, 5.0)
"""Seconds between two losses of writes, lowest and highest."""

NEVER_EXCUSED = {"stuck", "unfinished", "gap", "broken"}
"""Kinds of complaint that count even if a deal was lost before it could be played."""

KEPT = 0.6
"""Share of races whose players keep their identities."""

AT_ONCE = 0.8
"""Share of those players who do so on arrival, which makes their attempts ranked."""

ONCE = 0.5
"""Share of those players who do not retry without an answer, so that nodes alone complete it."""

LATEST = 14 * 86_400_000
"""Milliseconds of future work to wait for at the end; at most one season ends within it."""

FAULTS_FOR = 45.0
"""Faults are injected for this many seconds."""

FINISHED_WITHIN = 60.0
"""Seconds without faults within which every player has to finish."""

SETTLED_WITHIN = 30.0
"""Seconds after that within which every effect has to be applied."""

CHECKPOINT_EVERY = (4, 7, 12, 128)
"""Entries of a room's journal between checkpoints, to choose from."""

ROUNDS = (1, 1, 2)
"""Numbers of rounds raced in a room, to choose from."""

WATCH_DELAY_MS = 4_000
"""Delay of a round for spectators, in milliseconds; rounds are short here."""

SHARE = 20
"""Divisor of rooms' time limits, which are at least a minute."""


Scenario = Callable[[World], Coroutine[Any, Any, None]]
"""A coroutine function that runs everything in a world."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one race."""

    seed: int
    complaints: list[Complaint]
    trace: Trace


def run(seed: int, counts: Counter[str], scenario: Scenario | None = None) -> Outcome:
    loop = VirtualLoop()
    world = World(seed, loop, counts)
    loop.set_exception_handler(lambda _, context: _complain_of_exception(world, context))
    try:
        with _logs(world), _deterministic(loop, world):
            try:
                loop.run_until_complete((scenario or _race)(world))
            except StalledError as error:
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


async def _race(world: World) -> None:
    # A separate source of randomness keeps the other races of known seeds unchanged.
    apart = random.Random(f"hostile {world.seed}")
    if apart.random() >= HOSTILE:
        await _play(world)
        return
    with (
        patched(quota, "PLAYER_BYTES", QUOTA_PLAYER_BYTES),
        patched(limits, "ADDRESS_MISSES", ADDRESS_MISSES),
    ):
        await _play(world, apart)


@dataclass(slots=True)
class Company:
    """The players of a race and their plans.

    Attributes:
        works: the plans of the honest players.
        raced: whether they play a race or dailies, not a challenge or a circle.
    """

    network: Network
    players: list[Player]
    works: list[Coroutine[Any, Any, None]]
    cast: hostile.Cast | None
    raced: bool = True

    @property
    def everybody(self) -> list[Player]:
        """All players, the hostile ones last."""
        return [*self.players, *(self.cast.hostile if self.cast is not None else ())]


async def _play(world: World, apart: random.Random | None = None) -> None:
    """Run the players with faults, then without, and check."""
    rng, loop = world.rng, world.loop
    company = _gather(world, apart)
    _keep_identities(world, company)
    # A separate source again.
    moderating = random.Random(f"operator {world.seed}")
    if moderating.random() < MODERATED and company.cast is None:
        operator = loop.create_task(_moderate(world, company.network, company.players, moderating))
        operator.add_done_callback(lambda task: task.cancelled() or task.result())
    tasks = [loop.create_task(work) for work in company.works]
    if company.cast is not None:
        tasks += _add_hostile(world, company.cast, tasks)
    if rng.random() < TAIL_LOST and company.cast is None and company.raced:
        cutting = loop.create_task(_cut_power(world))
        cutting.add_done_callback(lambda task: task.cancelled() or task.result())
    await _wait_for(tasks, FAULTS_FOR)
    await asyncio.sleep(rng.choice((0.0, 0.5, 2.0)))
    world.stop_faults()
    world.closing = True
    await _wait_for(tasks, FINISHED_WITHIN)
    for player, task in zip(company.everybody, tasks, strict=True):
        if task.done() and (error := task.exception()):
            world.complain("broken", player.id, f"the player raised an exception: {error!r}")
        elif not task.done() and not isinstance(player, Hostile):
            world.complain("stuck", player.id, player.doing)
    over = int(world.now())
    await _wait_until_settled(world)
    _judge(world, company, over)


def _gather(world: World, apart: random.Random | None) -> Company:
    """Start a world and return its players; `apart` selects hostile ones."""
    rng = world.rng
    dailies = rng.random() < DAILIES and apart is None
    world.set_epoch(START)
    if dailies:
        # The day ends while they play, or has just ended.
        midnight = days.ends(days.day_at(START))
        world.set_epoch(midnight - rng.choice((12_000, 4_000, 1_500, 200, -500)))
    network = Network(world, rng.choice((1, 2, 2, 3)), dailies=dailies)
    world.note("world", "begins", f"{len(network.nodes)} nodes, dailies: {dailies}")
    players = [
        Player(world, network, number, hostile.HONEST.format(number + 1) if apart else "")
        for number in range(rng.randint(1 + dailies, 4))
    ]
    game = rng.choice(list(games()))
    if apart is not None:
        cast = hostile.cast(world, network, players, game, apart)
        return Company(network, [*players, *cast.honest], [*cast.works], cast)
    # A separate source of randomness keeps the other races of known seeds unchanged.
    quickly = random.Random(f"quick {world.seed}").random() < QUICK
    challenging = random.Random(f"asynchronous {world.seed}")
    challenged = not dailies and not quickly and challenging.random() < CHALLENGED
    circling = random.Random(f"circled {world.seed}")
    circled = not (dailies or quickly or challenged) and circling.random() < CIRCLED
    if not dailies and quickly:
        works = [plans.race_quickly(player, game) for player in players]
    elif dailies:
        works = [plans.play_dailies(player, game) for player in players]
    elif challenged:
        dare = Dare(
            game,
            challenging.choice(list(games()[game].variants)),
            challenging.choice(HELP),
            f"{challenging.getrandbits(64):016x}",
            named=challenging.random() < 0.4,
        )
        works = [
            plans.challenge(player, dare, players, creator=player is players[0])
            for player in players
        ]
    elif circled:
        key = f"{circling.getrandbits(64):016x}"
        players += [Player(world, network, len(players), "") for _ in range(2 - len(players))]
        club = Club(key, [*players])
        works = [_found_and_gather(players[0], club)]
        works += [plans.gather(player, club) for player in players[1:]]
        outsider = Outsider(world, network, len(players))
        works.append(circles.pry(outsider, club))
        players.append(outsider)
    else:
        table = Table(
            game,
            rng.choice(list(games()[game].variants)),
            seats=max(1, len(players) - (rng.random() < 0.05)),
            rounds=rng.choice(ROUNDS),
            limit=SHARE * rng.choice((3, 6, 10)),
            key=f"{rng.getrandbits(64):016x}",
            help=rng.choice(HELP),
        )
        works = [plans.race(player, table, host=player is players[0]) for player in players]
    return Company(network, players, works, None, raced=not (challenged or circled))


async def _found_and_gather(player: Player, club: Club) -> None:
    await plans.found(player, club)
    await plans.gather(player, club)


def _keep_identities(world: World, company: Company) -> None:
    """Make honest players keep their identities while they play, in some races."""
    keeping = random.Random(f"keep {world.seed}")
    if keeping.random() < KEPT:
        company.works = [
            _keep_meanwhile(
                player,
                work,
                keeping.uniform(0, 8) * (keeping.random() > AT_ONCE),
                once=keeping.random() < ONCE,
            )
            for player, work in zip(company.players, company.works, strict=True)
        ]


def _add_hostile(
    world: World, cast: hostile.Cast, tasks: Sequence[asyncio.Task[None]]
) -> list[asyncio.Task[None]]:
    """Start the hostile players' tasks, which end when the honest ones are done."""
    cast.scene.tasks = list(tasks)
    keeping = random.Random(f"keep hostile {world.seed}")
    return [
        world.loop.create_task(
            _keep_meanwhile(player, work, 0.0, once=True) if keeping.random() < KEPT else work
        )
        for player, work in zip(cast.hostile, cast.others, strict=True)
    ]


def _judge(world: World, company: Company, over: int) -> None:
    """Report violations; `over` is when all players were done."""
    ledgers = [answers_since(ledger, world.lost_at) for ledger in world.ledgers]
    stored = world.memory.stored()
    verdict = check(stored, ledgers, int(world.now()))
    excused = _excuses(stored, verdict.complaints) if world.lost_at is not None else lambda _: False
    found = [complaint for complaint in verdict.complaints if not excused(complaint)]
    world.counts.update(verdict.counts)
    if company.cast is not None:
        cast, journals = company.cast, world.memory.journals
        trial = Trial(stored, journals, company.players, cast.hostile, cast.scene.keys, START, over)
        trial.skewed, trial.forgotten = world.skewed, world.forgotten
        trial.held = list(world.memory.held())
        for node in world.nodes:
            node.add_noted(trial.noted)
        found += trial.check()
        world.counts.update(trial.counts)
    for complaint in found:
        world.complain(complaint.kind, complaint.about, complaint.text)


def answers_since(ledger: Ledger, time: int | None) -> Ledger:
    """Return a ledger with only the answers to commands sent after a time, if one is given.

    Events from before a loss need not agree with the store any more.
    """
    if time is None:
        return ledger
    answers = Ledger(ledger.player)
    late = set()
    for at, command in ledger.commands():
        answers.record_command(command, at)
        if at > time:
            late.add(command["id"])
    for at, event in ledger.events():
        # What spectators were shown is read again when the runner advances, not before.
        if event.get("re") in late and event["type"] != "Watched":
            answers.record_event(event, at)
    return answers


async def _keep_meanwhile(
    player: Player, work: Coroutine[Any, Any, None], seconds: float, *, once: bool
) -> None:
    async def keep() -> None:
        await asyncio.sleep(seconds)
        told = await player.ask("NewRecoveryCode", once=once)
        if told is not None and told["type"] == "RecoveryCode":
            await player.ask("KeepRecoveryCode", once=once, code=told["code"])

    async with asyncio.TaskGroup() as group:
        group.create_task(work)
        group.create_task(keep())


async def _moderate(
    world: World, network: Network, players: list[Player], rng: random.Random
) -> None:
    """Void existing results and restore them, through random nodes."""
    by = By("operator", "testing")
    while not world.closing:
        await asyncio.sleep(rng.uniform(0.0, ACTS_WITHIN))
        node, player = rng.choice(network.nodes), rng.choice(players)
        attempts = [
            AttemptId(attempt)
            for attempt in sorted(world.memory.stored().attempts)
            if attempt.endswith(f".{player.id}")
        ]
        if not player.id or not attempts or not node.up:
            continue
        act = node.services.operators.void(by, rng.choice(attempts), void=rng.random() < 0.7)
        try:
            await asyncio.wait_for(act, ACT_TIMEOUT)
        except (Refusal, UnavailableError, TimeoutError):
            # There is no result yet, or a sweeper has to complete the action.
            continue
        world.counts["acts"] += 1


def _excuses(stored: Stored, found: Sequence[Complaint]) -> Callable[[Complaint], bool]:
    """Return a predicate for complaints that are expected after a loss of the last writes.

    Runners' counters may include lost moves until they move again. A round's deal may be lost
    before its start, so that it cannot be played.
    """
    journals = [text for entries in stored.rooms.values() for _, text in entries]
    deals = {deal for text in journals for deal in re.findall(r'"deal":"(\w+)"', text)}
    lost = not deals <= stored.deals.keys()
    # A node may have entered a result in the room although the attempt lost its end.
    early = any(each.kind == "misranked" and each.about.startswith("room") for each in found)

    def excuses(complaint: Complaint) -> bool:
        if complaint.kind == "misreported" and complaint.about.startswith("room"):
            return True
        if early and (complaint.kind == "misranked" or complaint.text == "it has no end"):
            return True
        return lost and complaint.kind not in NEVER_EXCUSED

    return excuses


async def _cut_power(world: World) -> None:
    """Make the store lose up to a second of writes, or one entry, again and again."""
    rng = world.rng
    await asyncio.sleep(rng.uniform(1.0, 6.0))
    while not world.calm:
        held, entries = world.memory.snapshot(), world.memory.appended
        if rng.random() < 0.5:
            await asyncio.sleep(rng.random())
        else:
            while entries == world.memory.appended and not world.calm:
                held = world.memory.snapshot()
                await asyncio.sleep(0.01)
            # Just after the entry was acknowledged.
            await asyncio.sleep(0.1 * rng.random())
        if not world.calm:
            world.lose_last_writes(held)
        await asyncio.sleep(rng.uniform(*LOSS_INTERVAL))


async def _wait_for(tasks: list[asyncio.Task[None]], seconds: float) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while loop.time() < until and not all(task.done() for task in tasks):
        await asyncio.sleep(0.25)


async def _wait_until_settled(world: World) -> None:
    """Skip time until no work is due, at most `SETTLED_WITHIN` seconds.

    Work due after `LATEST` is ignored, as a circle's seasons never end.
    """
    loop = world.loop
    until, latest = loop.time() + SETTLED_WITHIN, world.now() + LATEST
    while loop.time() < until:
        stored = world.memory.stored()
        due = [each for each in stored.due.values() if each <= latest]
        if not due and not stored.effects:
            return
        soonest = min(due, default=0)
        if soonest > world.now() + 2_000:
            world.skip_time(soonest - world.now() - 500)
        await asyncio.sleep(0.5)


def _complain_of_exception(world: World, context: dict[str, Any]) -> None:
    """Complain of an exception that was never retrieved."""
    world.complain("broken", "the loop", f"{context.get('message')}: {context.get('exception')!r}")


def _clear(world: World) -> None:
    """End all tasks and connections, ignoring their exceptions."""
    loop = world.loop
    loop.set_exception_handler(lambda *_: None)
    loop.reset_turns()
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
    # The shared metrics would keep the whole race through these functions.
    METRICS.queues.clear()


@contextmanager
def _logs(world: World) -> Iterator[None]:
    """Turn errors in the server's log into complaints, and drop all other events.

    A loss of data must be logged exactly when it happened.
    """

    def process(_: object, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        told = event["event"] == "data_lost" and world.lost_at is not None
        if level in {"error", "exception", "critical"} and not told:
            world.complain("broken", "the log", f"{event}")
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, process],
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )
    try:
        yield
    finally:
        structlog.configure(**before)


@contextmanager
def _deterministic(loop: VirtualLoop, world: World) -> Iterator[None]:
    """Take the time from the loop, and all random numbers from the world."""
    KNOWN.clear()
    rng = world.rng
    places: list[tuple[Any, str, Any]] = [
        (time, "monotonic", loop.time),
        (secrets, "token_hex", lambda count: rng.randbytes(count).hex()),
        (secrets, "token_bytes", rng.randbytes),
        (secrets, "choice", rng.choice),
        (secrets, "randbelow", rng.randrange),
        # The work of nodes whose tasks are cancelled at the end would stay in it forever.
        (background, "_running", []),
        (session, "random", rng),
        (load, "random", rng),
        # A separate source again: rooms are short-lived here.
        (
            rooms_journal,
            "CHECKPOINT_EVERY",
            random.Random(f"checkpoint {world.seed}").choice(CHECKPOINT_EVERY),
        ),
        # A race's cost must not depend on the rules of earlier races.
        (catalog(), "_changed", WeakValueDictionary()),
        (catalog(), "_named", WeakValueDictionary()),
        (catalog(), "_latest", OrderedDict()),
        (catalog(), "_kept", 0),
        *Scales(world).places(),
    ]
    with ExitStack() as stack:
        for owner, name, value in places:
            stack.enter_context(patched(owner, name, value))
        yield


@contextmanager
def patched(owner: Any, name: str, other: object) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def conditions() -> Iterator[None]:
    """Make races fast: cache first boards, draw few deals ahead, shorten rounds.

    Tables that a process builds once are built here, as no player is charged for them: those of
    listed rules, those shared by custom rules, and those of names.

    Races leave many reference cycles and few live objects, so garbage is collected less often.
    """
    cached = lru_cache(64)(dealing.deal_seed)
    places: list[tuple[Any, str, Any]] = [
        (play_journal, "deal_seed", cached),
        (attempt_history, "deal_seed", cached),
        (days, "DRAWN_AHEAD", 0),
        (days, "UNCERTIFIED_AHEAD", 0),
        # Each connection asks for it, and it is read from a file.
        (redis_utils, "get_lib_version", lru_cache(1)(redis_utils.get_lib_version)),
        (keys, "PARTITIONS", 8),
        (absence, "HOST_ABSENCE_MS", 2_000),
        (absence, "SEAT_ABSENCE_MS", 6_000),
        (absence, "QUICK_ABSENCE_MS", 1_000),
        (quick_match, "BOT_AFTER_MS", 2_000),
        (quick_match, "limit_ms", lambda _: 8_000),
        (pace_bot, "FIRST_MOVE_AFTER_MS", 300),
        (pace_bot, "FASTEST_MS", 200),
        (pace_bot, "SLOWEST_MS", 500),
        (contests, "PLAYED_MOVES", 2),
        (core_watching, "WATCH_DELAY_MS", WATCH_DELAY_MS),
        (watching, "WATCH_DELAY_MS", WATCH_DELAY_MS),
    ]
    create, set_terms = Rooms.create, Rooms.set_terms

    async def shorter(self: Rooms, *given: Any, limit: int, **named: Any) -> Room:
        return await create(self, *given, limit=limit // SHARE, **named)

    async def set_shorter(self: Rooms, code: RoomCode, player: PlayerId, terms: Terms) -> Room:
        return await set_terms(self, code, player, replace(terms, limit=terms.limit // SHARE))

    places += [(Rooms, "create", shorter), (Rooms, "set_terms", set_shorter)]
    for game, listed in games().items():
        for variant in listed.variants:
            ruleset(game, variant)
    ruleset(hostile.MADE_UP, hostile.made_up(random.Random(0)))
    clean_name("Ada")
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        with ExitStack() as stack:
            for module, name, value in places:
                stack.enter_context(patched(module, name, value))
            yield
    finally:
        gc.set_threshold(*thresholds)
