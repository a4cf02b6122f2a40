"""The sweeper: handles passed deadlines, and effects left by dead nodes.

Each partition is owned by one live node, by rendezvous hashing. The owner scans it at intervals for
effects and for the deadlines of the next minutes (`HORIZON_MS`), which it keeps in memory and
handles when they pass. The longest delays are:
- of a deadline: `POLL_EVERY`, if it was set before the last scan;
- of an effect left by a killed node: `BUSY_SCAN_EVERY_MS` while there are active players; if that
  node owned the partition, also `keys.SWEEPER_LIFE_S` and a renewal (8 s) until another node takes
  over;
- of failed work: `RETRY_AFTER_MS`.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import structlog

from server.base.core import keys
from server.base.core.due import Due
from server.base.core.refusal import BaseRefusals, UnavailableError, UnreadableError
from server.base.journals.store import JournalStore
from server.base.outbox.outbox import Outbox
from server.base.outbox.store import OutboxStore
from server.base.outbox.sweepers_store import SweeperStore
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Histogram
from server.base.work.worker_pool import WorkerPool

RENEW_EVERY = 2.0  # seconds between heartbeats

# Milliseconds between scans of a partition, with and without active players.
BUSY_SCAN_EVERY_MS, IDLE_SCAN_EVERY_MS = 4_000, 128_000

# Milliseconds that a scan reads deadlines ahead; more than the time between scans.
HORIZON_MS = 300_000

SCAN_EVERY = 1.0  # seconds between calls of `scan`; each reads some of the partitions
SCAN_BATCH = 64  # partitions read together

POLL_EVERY = 0.5  # seconds between checks of the deadlines in memory
RETRY_AFTER_MS = 2_000  # milliseconds until the partition of failed work is scanned again
TRIES = 3  # tries of work that raises unexpected errors, before it is set aside
URGENT_WORKERS = 16  # concurrent workers for effects, and for all deadlines except daily attempts'

# Concurrent workers that end attempts at dailies, and the seconds between attempts of each worker:
# 100 per second in all.
DAILY_WORKERS, DAILY_PAUSE = 4, 0.04

log = structlog.get_logger()


MAX_WAITING = 10_000  # maximum waiting items of each pool; the next scan finds any others again


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline in a partition that has passed, at a time in Unix milliseconds."""

    partition: int
    due: Due
    time: int = field(compare=False)

    @property
    def name(self) -> str:
        """The member of the partition's sorted set."""
        return self.due.member

    @property
    def text(self) -> str:
        """The text stored if it is set aside."""
        return f"due at {self.time}"


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect in a partition's outbox: its field (`name`) and its content (JSON)."""

    partition: int
    name: str
    text: str = field(compare=False)


Work = Deadline | Effect


@dataclass(slots=True)
class _Partition:
    """The in-memory state of a partition owned by this node."""

    scanned: int = 0  # time of the last scan in Unix milliseconds; 0 to make one due
    # Time of an early scan in Unix milliseconds, after a failure; else `None`.
    retry_at: int | None = None
    # The generation of the connection to the partition's server at the last scan. After a change, a
    # scan is due, since the server may have lost writes.
    generation: int = 0
    # The deadlines up to `HORIZON_MS`, and their times in Unix milliseconds, earliest first.
    due: deque[tuple[Due, int]] = field(default_factory=deque)
    # The effects and passed deadlines found by the last scan or since, by name, with the monotonic
    # time in seconds since when each is known.
    found: dict[str, float] = field(default_factory=dict)

    def is_urgent(self, now: int) -> bool:
        """Return whether a scan is due immediately, for a retry or because the clock has jumped."""
        retries = self.retry_at is not None and self.retry_at <= now
        return retries or not self.scanned <= now < self.scanned + 2 * IDLE_SCAN_EVERY_MS


class Sweeper:
    """Sweeps the partitions owned by this node."""

    def __init__(
        self,
        outbox: Outbox,
        clock: Clock,
        *,
        outboxes: OutboxStore,
        sweepers: SweeperStore,
        journals: JournalStore,
        sweeps: Histogram,  # of the seconds of each scan
        background: Background,
    ) -> None:
        self._outbox = outbox
        self._clock = clock
        self._outboxes = outboxes
        self._sweepers = sweepers
        self._journals = journals
        self._names: list[str] = []
        self._partitions: dict[int, _Partition] = {}
        self._is_active = False
        self._appended = 0
        self._busy = False
        self._failures: Counter[tuple[int, str]] = Counter()
        self._sweeps = sweeps
        self._background = background
        self._urgent: WorkerPool[Work] = WorkerPool(
            background, "sweeper_urgent", self.process, size=URGENT_WORKERS, most=MAX_WAITING
        )
        self._dailies: WorkerPool[Work] = WorkerPool(
            background,
            "sweeper_dailies",
            self.process,
            size=DAILY_WORKERS,
            pause=DAILY_PAUSE,
            most=MAX_WAITING,
        )
        outbox.left.subscribe(self._scan_soon)
        drop = sweepers.drop
        background.forever("sweeper_renewal", self.renew, every=RENEW_EVERY, finish=drop)
        background.forever("sweeper_scan", self._scan_timed, every=SCAN_EVERY)
        background.forever("sweeper_poll", self.poll, every=POLL_EVERY)

    def age(self) -> float:
        """Return the age in seconds of the oldest known effect or deadline still to be handled."""
        found = [min(each.found.values()) for each in self._partitions.values() if each.found]
        return max(0.0, time.monotonic() - min(found)) if found else 0.0

    def _scan_soon(self, name: str) -> None:
        """Let an effect's partition be scanned soon: without players, it may take two minutes."""
        number = keys.partition(name)
        if number in self._partitions:
            self._retry([number])
        else:
            # The next renewal lets its owner scan as often as with active players.
            self._is_active = True

    async def renew(self) -> None:
        """Renew this node's registration as a sweeper, and determine its partitions."""
        appended = self._journals.appended
        is_active = self._is_active or appended != self._appended
        self._is_active, self._appended = False, appended
        was_busy = self._busy
        try:
            names, self._busy = await self._sweepers.renew(busy=is_active)
        except UnavailableError:
            # Reported with the next renewal instead.
            self._is_active |= is_active
            raise
        if was_busy and not self._busy:
            self._scan_skipped()
        if names == self._names:
            return
        if not set(self._names) <= set(names):
            # A node has left, possibly without having reported its active players.
            self._played = True
        self._names = names
        owned = owned_by(self._sweepers.name, names)
        self._partitions = {n: self._partitions.get(n) or _Partition() for n in owned}
        failures = self._failures.items()
        self._failures = Counter({name: n for name, n in failures if name[0] in self._partitions})

    def _scan_skipped(self) -> None:
        """Let partitions be scanned soon that were not scanned while there were active players.

        If this process was suspended meanwhile, they may contain new deadlines that pass before the
        next scan without players.
        """
        before = self._clock.now() - 2 * BUSY_SCAN_EVERY_MS
        self._retry([n for n, each in self._partitions.items() if each.scanned <= before])

    async def scan(self) -> None:
        """Read the partitions that are due for a scan, and process the effects found."""
        now = self._clock.now()
        every = BUSY_SCAN_EVERY_MS if self._busy else IDLE_SCAN_EVERY_MS
        known = self._partitions.items()
        urgent = [
            number
            for number, each in known
            if each.is_urgent(now) or each.generation != self._generation(number)
        ]
        due = sorted((each.scanned, n) for n, each in known if each.scanned + every <= now)
        # Each call takes its share of the partitions, so that scans are spread over the interval.
        share = math.ceil(len(known) * SCAN_EVERY * 1000 / every)
        numbers = list(dict.fromkeys([*urgent, *(number for _, number in due[:share])]))
        for start in range(0, len(numbers), SCAN_BATCH):
            await self._scan_batch(numbers[start : start + SCAN_BATCH], now)

    def _generation(self, number: int) -> int:
        return self._journals.generation(keys.due(number))

    async def _scan_batch(self, numbers: list[int], now: int) -> None:
        generations = [self._generation(number) for number in numbers]
        try:
            found = await self._outboxes.pending(now + HORIZON_MS, numbers)
        except UnavailableError:
            self._retry(numbers)
            raise
        for number, generation, left in zip(numbers, generations, found, strict=True):
            known = self._partitions.get(number)
            if known is not None:
                known.scanned, known.retry_at, known.due = now, None, deque(left.due)
                known.generation = generation
                # Work that is gone, or has a later deadline now, is no longer pending.
                names = [name for name, _ in left.effects]
                names += [due.member for due, at in left.due if at <= now]
                begun = time.monotonic()
                known.found = {name: known.found.get(name, begun) for name in names}
                for name, text in left.effects:
                    self._enqueue(Effect(number, name, text))

    def pop_due(self) -> Iterator[Deadline]:
        """Remove passed deadlines from memory, and yield them."""
        now = self._clock.now()
        for number, known in self._partitions.items():
            while known.due and known.due[0][1] <= now:
                yield Deadline(number, *known.due.popleft())

    def _enqueue(self, work: Work) -> None:
        """Pass work to a pool, unless in progress: dailies to the pool with a limited rate."""
        is_bulk = isinstance(work, Deadline) and work.due.is_bulk
        workers = self._dailies if is_bulk else self._urgent
        known = self._partitions.get(work.partition)
        if known is not None:
            known.found.setdefault(work.name, time.monotonic())
        if work not in workers:
            workers.add(work)

    async def process(self, work: Work) -> None:
        """Process one piece of work; if it fails, the next scan finds it again."""
        name = (work.partition, work.name)
        try:
            if await self._apply(work):
                self._forget(name)
            else:
                self._retry([work.partition])
        except UnreadableError as error:
            if error.code is BaseRefusals.entries_lost:
                # No node can ever read it.
                await self._set_aside(work, error)
                return
            # The next scan finds it again, on this node or on one of a newer release.
            if self._background.is_news("sweeper", name):
                log.warning("effect_left", name=work.name, code=error.code.name)
        except UnavailableError as error:
            # In a cluster, one server may be down while the others answer.
            log.debug("effect_deferred", name=work.name, error=str(error))
            self._retry([work.partition])
        except Exception as error:
            # Unlike other background work, a failure does not end the node: the work is stored, so
            # it would take one node after the other out of service.
            self._failures[name] += 1
            if self._failures[name] >= TRIES:
                await self._set_aside(work, error)
            else:
                log.warning("effect_failed", name=work.name, error=type(error).__name__)
            self._retry([work.partition])

    async def _apply(self, work: Work) -> bool:
        if isinstance(work, Deadline):
            return await self._outbox.pass_deadline(work.due, work.time)
        await self._outbox.apply(self._outbox.decode(work.text))
        return True

    async def _set_aside(self, work: Work, error: Exception) -> None:
        try:
            await self._outboxes.set_aside(work.partition, work.name, work.text)
        except UnavailableError as unavailable:
            log.debug("effect_deferred", name=work.name, error=str(unavailable))
            return
        self._forget((work.partition, work.name))
        log.error("effect_set_aside", name=work.name, kept_in=keys.SET_ASIDE, exc_info=error)

    def _forget(self, name: tuple[int, str]) -> None:
        self._failures.pop(name, None)
        known = self._partitions.get(name[0])
        if known is not None:
            known.found.pop(name[1], None)

    def _retry(self, numbers: Iterable[int]) -> None:
        at = self._clock.now() + RETRY_AFTER_MS
        for number in numbers:
            known = self._partitions.get(number)
            if known is not None:
                known.retry_at = at

    async def _scan_timed(self) -> None:
        begun = time.monotonic()
        await self.scan()
        self._sweeps.observe(time.monotonic() - begun)

    async def poll(self) -> None:
        """Start handling the deadlines that have passed."""
        for work in self.pop_due():
            self._enqueue(work)


def owned_by(name: str, names: list[str]) -> list[int]:
    """Return the partitions that node `name` owns among `names`, by rendezvous hashing."""
    size = 4
    hashes = {n: hashlib.shake_128(n.encode()).digest(size * keys.PARTITIONS) for n in names}

    def owner(at: int) -> str:
        # When a node joins or leaves, no partition moves between two others.
        return max(names, key=lambda other: (hashes[other][at : at + size], other))

    return [n for n in range(keys.PARTITIONS) if owner(size * n) == name]
