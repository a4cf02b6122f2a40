"""The sweeper: applies deadlines that have passed, and effects that dead nodes have left.

Each partition is owned by one node, by rendezvous hashing over those that are alive. The owner
scans it at intervals for effects and for the deadlines of the next minutes (`HORIZON`), which it
keeps in memory and applies when they come. The longest delays are:
- of a deadline: `POLL_EVERY`, if it was set before the last scan;
- of an effect that a killed node has left: `BUSY_SCAN_EVERY` while anybody plays; if that node
  owned the partition, also `keys.SWEEPER_LIFE` and a renewal (8 s) until another one does;
- of what failed: `RETRY_AFTER`.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import structlog

from server.core.attempt import Attempt
from server.core.due import AttemptDue, Due
from server.core.refusal import UnavailableError, UnreadableError
from server.metrics import Histogram
from server.service import outbox_entries
from server.service.attempts import Attempts
from server.service.effects import Effects
from server.service.store import Store
from server.service.worker_pool import WorkerPool
from server.stop import Stop
from server.store import keys

RENEW_EVERY = 2.0
"""Seconds between two heartbeats."""

BUSY_SCAN_EVERY, IDLE_SCAN_EVERY = 4_000, 128_000
"""Milliseconds between two scans of a partition, while anybody plays and otherwise."""

HORIZON = 300_000
"""Milliseconds ahead for which a scan reads deadlines; more than between two scans."""

SCAN_EVERY = 1.0
"""Seconds between two calls of `scan`, each of which reads some of the partitions."""

SCAN_BATCH = 64
"""Partitions that are read together."""

POLL_EVERY = 0.5
"""Seconds between two checks of the deadlines in memory."""

RETRY_AFTER = 2_000
"""Milliseconds after which the partition of failed work is scanned again."""

TRIES = 3
"""Tries of work that raises unexpected errors, before it is set aside."""

URGENT_WORKERS = 16
"""Rooms' deadlines and effects that are applied concurrently."""

DAILY_WORKERS, DAILY_PAUSE = 4, 0.04
"""Attempts at dailies that are ended concurrently, and each worker's seconds between two of them:
100 a second in all."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline in a partition that has passed, at a time in Unix milliseconds."""

    partition: int
    due: Due
    time: int

    @property
    def name(self) -> str:
        """The member of the partition's sorted set."""
        return self.due.member

    @property
    def text(self) -> str:
        """What is stored of it if it is set aside."""
        return f"due at {self.time}"


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect in a partition's outbox: its field (`name`) and its content (JSON)."""

    partition: int
    name: str
    text: str


Work = Deadline | Effect


@dataclass(slots=True)
class _Partition:
    """The state in memory of a partition that this node owns.

    Attributes:
        scanned: time of the last scan in Unix milliseconds; 0 for none, so that one is due.
        retry_at: time of an early scan in Unix milliseconds, after a failure; else `None`.
        generation: of the connection to the partition's server at the last scan. On another one, a
            scan is due, since the server may have lost what was done.
        due: the deadlines up to `HORIZON`, and their times in Unix milliseconds, earliest first.
    """

    scanned: int = 0
    retry_at: int | None = None
    generation: int = 0
    due: deque[tuple[Due, int]] = field(default_factory=deque)

    def is_urgent(self, now: int) -> bool:
        """Return whether a scan is due at once: for a retry, or since the clock has jumped."""
        retries = self.retry_at is not None and self.retry_at <= now
        return retries or not self.scanned <= now < self.scanned + 2 * IDLE_SCAN_EVERY


class Sweeper:
    """Sweeps the partitions that this node owns.

    `sweeps` observes the seconds that each `scan` takes.
    """

    def __init__(
        self,
        store: Store,
        attempts: Attempts,
        effects: Effects,
        sweeps: Histogram,
    ) -> None:
        self._store = store
        self._effects = effects
        self._names: list[str] = []
        self._partitions: dict[int, _Partition] = {}
        self._played = False
        self._busy = False
        self._failures: Counter[tuple[int, str]] = Counter()
        self._in_progress: set[tuple[int, str]] = set()
        self._found_at: dict[tuple[int, str], float] = {}
        self._sweeps = sweeps
        self._urgent_workers = WorkerPool(self._process_enqueued, URGENT_WORKERS)
        self._daily_workers = WorkerPool(self._process_enqueued, DAILY_WORKERS, pause=DAILY_PAUSE)
        attempts.advanced.subscribe(self._attempt_advanced)

    def age(self) -> float:
        """Return the age in seconds of the oldest effect or deadline that is yet to be applied."""
        return max(0.0, time.monotonic() - min(self._found_at.values())) if self._found_at else 0.0

    def _attempt_advanced(self, _: Attempt) -> None:
        """Remember for the next renewal that somebody plays on this node."""
        self._played = True

    async def run(self, stop: Stop) -> None:
        """Sweep until stopped, and wait for what is in progress then."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._renew_forever(stop))
            group.create_task(self._scan_forever(stop))
            group.create_task(self._poll_forever(stop))
        await self._urgent_workers.close()
        await self._daily_workers.close()

    async def renew(self) -> None:
        """Renew this node's registration as a sweeper, and determine the partitions that it owns.

        Raises:
            UnavailableError: the store does not answer.
        """
        played, self._played = self._played, False
        try:
            names, self._busy = await self._store.sweepers.renew(busy=played)
        except UnavailableError:
            self._played |= played
            raise
        if names == self._names:
            return
        if not set(self._names) <= set(names):
            # A node has left, perhaps without having reported that somebody played there.
            self._played = True
        self._names = names
        owned = owned_by(self._store.sweepers.name, names)
        self._partitions = {n: self._partitions.get(n) or _Partition() for n in owned}
        failures = self._failures.items()
        self._failures = Counter({name: n for name, n in failures if name[0] in self._partitions})
        self._found_at.clear()

    async def scan(self) -> None:
        """Read the partitions that are due for a scan, and process the effects that are found.

        Those that are due by the interval are spread over the calls, oldest scan first.

        Raises:
            UnavailableError: the store does not answer.
        """
        now = self._store.clock.now()
        every = BUSY_SCAN_EVERY if self._busy else IDLE_SCAN_EVERY
        known = self._partitions.items()
        urgent = [
            number
            for number, each in known
            if each.is_urgent(now) or each.generation != self._generation(number)
        ]
        due = sorted((each.scanned, n) for n, each in known if each.scanned + every <= now)
        share = math.ceil(len(known) * SCAN_EVERY * 1000 / every)
        numbers = list(dict.fromkeys([*urgent, *(number for _, number in due[:share])]))
        for start in range(0, len(numbers), SCAN_BATCH):
            await self._scan_batch(numbers[start : start + SCAN_BATCH], now)

    def _generation(self, number: int) -> int:
        return self._store.journals.generation(keys.due(number))

    async def _scan_batch(self, numbers: list[int], now: int) -> None:
        """Read some partitions in one round trip."""
        generations = [self._generation(number) for number in numbers]
        try:
            found = await self._store.outboxes.pending(now + HORIZON, numbers)
        except UnavailableError:
            self._retry(numbers)
            raise
        for number, generation, left in zip(numbers, generations, found, strict=True):
            known = self._partitions.get(number)
            if known is not None:
                known.scanned, known.retry_at, known.due = now, None, deque(left.due)
                known.generation = generation
                for name, text in left.effects:
                    self._enqueue(Effect(number, name, text))

    def pop_due(self) -> Iterator[Deadline]:
        """Remove from memory the deadlines that have passed by now, and yield them."""
        now = self._store.clock.now()
        for number, known in self._partitions.items():
            while known.due and known.due[0][1] <= now:
                yield Deadline(number, *known.due.popleft())

    def _enqueue(self, work: Work) -> None:
        """Give work to a pool, unless it is in progress: dailies to one with a limited rate."""
        name = (work.partition, work.name)
        is_daily = isinstance(work, Deadline) and isinstance(work.due, AttemptDue)
        workers = self._daily_workers if is_daily else self._urgent_workers
        self._found_at.setdefault(name, time.monotonic())
        if name not in self._in_progress and workers.put(work):
            self._in_progress.add(name)

    async def process(self, work: Work) -> None:
        """Process one piece of work.

        If it fails, its partition is scanned again, which finds it again. After `TRIES` unexpected
        errors it is set aside.
        """
        name = (work.partition, work.name)
        try:
            if await self._apply(work):
                self._forget(name)
            else:
                self._retry([work.partition])
        except UnreadableError as error:
            # The next scan finds it again, on this node or on one of a newer release.
            log.warning("effect_left", name=work.name, code=error.code)
        except UnavailableError as error:
            # In a cluster, one server may be down while the others answer.
            log.debug("effect_deferred", name=work.name, error=str(error))
            self._retry([work.partition])
        except Exception as error:
            self._failures[name] += 1
            if self._failures[name] >= TRIES:
                await self._set_aside(work, error)
            else:
                log.warning("effect_failed", name=work.name, error=type(error).__name__)
            self._retry([work.partition])

    async def _apply(self, work: Work) -> bool:
        """Apply a deadline or an effect; return whether nothing is left to do."""
        if isinstance(work, Deadline):
            return await self._effects.pass_deadline(work.due, work.time)
        await self._effects.apply(outbox_entries.decode(work.text))
        return True

    async def _set_aside(self, work: Work, error: Exception) -> None:
        """Move work to where it is not tried again, and log an error."""
        try:
            await self._store.outboxes.set_aside(work.partition, work.name, work.text)
        except UnavailableError as unavailable:
            log.debug("effect_deferred", name=work.name, error=str(unavailable))
            return
        self._forget((work.partition, work.name))
        log.error("effect_set_aside", name=work.name, kept_in=keys.SET_ASIDE, exc_info=error)

    def _forget(self, name: tuple[int, str]) -> None:
        self._failures.pop(name, None)
        self._found_at.pop(name, None)

    def _retry(self, numbers: Iterable[int]) -> None:
        """Schedule an early scan of partitions."""
        at = self._store.clock.now() + RETRY_AFTER
        for number in numbers:
            known = self._partitions.get(number)
            if known is not None:
                known.retry_at = at

    async def _renew_forever(self, stop: Stop) -> None:
        while not stop.is_set:
            try:
                await self.renew()
            except UnavailableError as error:
                log.debug("sweeper_not_renewed", error=str(error))
            await stop.or_wait(asyncio.sleep(RENEW_EVERY))
        try:
            await self._store.sweepers.drop()
        except UnavailableError as error:
            log.debug("sweeper_not_removed", error=str(error))

    async def _scan_forever(self, stop: Stop) -> None:
        while not stop.is_set:
            begun = time.monotonic()
            try:
                await self.scan()
                self._sweeps.observe(time.monotonic() - begun)
            except UnavailableError as error:
                log.debug("sweep_failed", error=str(error))
            except Exception:
                log.exception("sweep_broken")
            await stop.or_wait(asyncio.sleep(SCAN_EVERY))

    async def _poll_forever(self, stop: Stop) -> None:
        while not stop.is_set:
            for work in self.pop_due():
                self._enqueue(work)
            await stop.or_wait(asyncio.sleep(POLL_EVERY))

    async def _process_enqueued(self, work: Work) -> None:
        try:
            await self.process(work)
        finally:
            self._in_progress.discard((work.partition, work.name))


def owned_by(name: str, names: list[str]) -> list[int]:
    """Return the partitions that node `name` owns among `names`, by rendezvous hashing.

    A partition is owned by the node with the highest hash for it. When a node joins or leaves, no
    partition moves between two others.
    """
    size = 4
    hashes = {n: hashlib.shake_128(n.encode()).digest(size * keys.PARTITIONS) for n in names}

    def owner(at: int) -> str:
        return max(names, key=lambda other: (hashes[other][at : at + size], other))

    return [n for n in range(keys.PARTITIONS) if owner(size * n) == name]
