"""The sweeper: finds what has fallen due, and what nodes have left undone, and sees to it.

Each partition has one node that looks after it, by rendezvous hashing over those that are alive.
It looks now and then what falls due there in the next minutes, and passes each deadline when it
comes. How long things wait at most:
- a deadline: half a second, if it was known `HORIZON` or a look before;
- what a node left that was killed: a look while anybody plays (`BUSY_LOOK`), and when that node
  looked after the partition, `keys.SWEEPER_LIFE` and a renewal (8 s) until another one does;
- what failed: `AGAIN_AFTER`.
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
from server.metrics import SECONDS, Histogram
from server.service.attempt_journal import Finish
from server.service.attempts import Attempts
from server.service.dailies import Dailies
from server.service.effects import Effects
from server.service.store import Store
from server.service.stored import Reader
from server.service.worker_pool import WorkerPool
from server.stop import Stop
from server.store import keys

DRAW_EVERY = 5.0
"""Seconds between two looks whether deals are to be drawn ahead."""

RENEW_EVERY = 2.0
"""Seconds between two signs of life."""

BUSY_LOOK, QUIET_LOOK = 4_000, 128_000
"""Milliseconds between two looks at a partition, while anybody plays and otherwise."""

HORIZON = 300_000
"""Milliseconds for which deadlines are known beforehand; longer than between two looks."""

LOOK_EVERY = 1.0
"""Seconds between two turns, in each of which some partitions are looked at."""

MOST_LOOKS = 64
"""Partitions that are looked at together."""

TAKE_EVERY = 0.5
"""Seconds between two looks at the time."""

AGAIN_AFTER = 2_000
"""Milliseconds after which what has failed is tried again."""

TRIES = 3
"""How often something is tried that is broken, before it is set aside."""

URGENT_SIDE_BY_SIDE = 16
"""Deadlines of rooms and effects that are seen to at the same time."""

DAILIES_SIDE_BY_SIDE, DAILIES_PAUSE = 4, 0.04
"""Dailies that are ended at the same time, and seconds between two of each: 100 a second."""

_FINISHES: Reader[Finish] = Reader(Finish)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Deadline:
    """Something of a partition that has fallen due, at a time in Unix milliseconds."""

    partition: int
    due: Due
    time: int

    @property
    def name(self) -> str:
        """What it is in the partition's sorted set."""
        return self.due.member

    @property
    def text(self) -> str:
        """What is kept of it if it is set aside."""
        return f"due at {self.time}"


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect in a partition's outbox: its field and its text."""

    partition: int
    name: str
    text: str


Work = Deadline | Effect


@dataclass(slots=True)
class _Partition:
    """What is known of a partition.

    Attributes:
        looked: when it was looked at last, in Unix milliseconds; 0 if it is to be at once.
        again: when it is to be looked at again, since something failed.
        generation: of the connection to its server when it was looked at last: on another one, what
            had been done by then may have been lost.
        due: what falls due, and when, the earliest first.
    """

    looked: int = 0
    again: int | None = None
    generation: int = 0
    due: deque[tuple[Due, int]] = field(default_factory=deque)

    def is_urgent(self, now: int) -> bool:
        """Return whether it is to be looked at at once: something failed, or the time jumped."""
        failed = self.again is not None and self.again <= now
        return failed or not self.looked <= now < self.looked + 2 * QUIET_LOOK


class Sweeper:
    """Sweeps the partitions that this node looks after."""

    def __init__(
        self,
        store: Store,
        attempts: Attempts,
        effects: Effects,
        dailies: Dailies,
        sweeps: Histogram | None = None,
    ) -> None:
        self._store = store
        self._effects = effects
        self._dailies = dailies
        self._names: list[str] = []
        self._partitions: dict[int, _Partition] = {}
        self._played = False
        self._busy = False
        self._tries: Counter[tuple[int, str]] = Counter()
        self._in_hand: set[tuple[int, str]] = set()
        self._since: dict[tuple[int, str], float] = {}
        self._sweeps = Histogram(SECONDS) if sweeps is None else sweeps
        self._urgent_workers = WorkerPool(self._do_in_hand, URGENT_SIDE_BY_SIDE)
        self._daily_workers = WorkerPool(
            self._do_in_hand, DAILIES_SIDE_BY_SIDE, pause=DAILIES_PAUSE
        )
        attempts.advanced.subscribe(self._note)

    def age(self) -> float:
        """Return for how many seconds the oldest effect or deadline known here has waited."""
        return max(0.0, time.monotonic() - min(self._since.values())) if self._since else 0.0

    def _note(self, _: Attempt) -> None:
        """Note that somebody plays on this node."""
        self._played = True

    async def run(self, stop: Stop) -> None:
        """Sweep again and again, until told to stop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._renew_forever(stop))
            group.create_task(self._look_forever(stop))
            group.create_task(self._take_forever(stop))
            group.create_task(self._draw_forever(stop))
        await self._urgent_workers.close()
        await self._daily_workers.close()

    async def renew(self) -> None:
        """Say that this node sweeps, and learn what it is to look after.

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
            # A node is gone, which may not have said that somebody played there.
            self._played = True
        self._names = names
        self._tries.clear()
        self._since.clear()
        owned = owned_by(self._store.sweepers.name, names)
        self._partitions = {n: self._partitions.get(n) or _Partition() for n in owned}

    async def look(self) -> None:
        """Look at those partitions whose turn it is.

        Raises:
            UnavailableError: the store does not answer.
        """
        now = self._store.clock.now()
        every = BUSY_LOOK if self._busy else QUIET_LOOK
        known = self._partitions.items()
        urgent = [
            number
            for number, each in known
            if each.is_urgent(now) or each.generation != self._generation(number)
        ]
        turn = sorted((each.looked, n) for n, each in known if each.looked + every <= now)
        share = math.ceil(len(known) * LOOK_EVERY * 1000 / every)
        numbers = list(dict.fromkeys([*urgent, *(number for _, number in turn[:share])]))
        for start in range(0, len(numbers), MOST_LOOKS):
            await self._look_at(numbers[start : start + MOST_LOOKS], now)

    def _generation(self, number: int) -> int:
        return self._store.journals.generation(keys.due(number))

    async def _look_at(self, numbers: list[int], now: int) -> None:
        """Look at some partitions."""
        generations = [self._generation(number) for number in numbers]
        try:
            found = await self._store.outboxes.pending(now + HORIZON, numbers)
        except UnavailableError:
            self._look_again(numbers)
            raise
        for number, generation, left in zip(numbers, generations, found, strict=True):
            known = self._partitions.get(number)
            if known is not None:
                known.looked, known.again, known.due = now, None, deque(left.due)
                known.generation = generation
                for name, text in left.effects:
                    self._put(Effect(number, name, text))

    def take(self) -> Iterator[Deadline]:
        """Return the deadlines that have come since they were taken last."""
        now = self._store.clock.now()
        for number, known in self._partitions.items():
            while known.due and known.due[0][1] <= now:
                yield Deadline(number, *known.due.popleft())

    def _put(self, work: Work) -> None:
        """Let work be done that is not in hand: rooms and effects at once, dailies at a pace."""
        name = (work.partition, work.name)
        is_daily = isinstance(work, Deadline) and isinstance(work.due, AttemptDue)
        workers = self._daily_workers if is_daily else self._urgent_workers
        self._since.setdefault(name, time.monotonic())
        if name not in self._in_hand and workers.put(work):
            self._in_hand.add(name)

    async def do(self, work: Work) -> None:
        """Do one thing of many. What fails is found again, and set aside if it is broken."""
        name = (work.partition, work.name)
        try:
            if await self._is_done(work):
                self._forget(name)
            else:
                self._look_again([work.partition])
        except UnreadableError as error:
            # The next look finds it again, on this node or on one of a newer release.
            log.warning("effect_left", name=work.name, code=error.code)
        except UnavailableError as error:
            # A part of the store may be away while the rest is there.
            log.warning("effect_waits", name=work.name, error=str(error))
            self._look_again([work.partition])
        except Exception as error:
            self._tries[name] += 1
            if self._tries[name] >= TRIES:
                await self._set_aside(work, error)
            else:
                log.warning("effect_failed", name=work.name, error=type(error).__name__)
            self._look_again([work.partition])

    async def _is_done(self, work: Work) -> bool:
        if isinstance(work, Deadline):
            return await self._effects.pass_deadline(work.due, work.time)
        await self._effects.apply(_FINISHES.read(work.text))
        return True

    async def _set_aside(self, work: Work, error: Exception) -> None:
        """Put something where it is tried no more, and tell of it."""
        try:
            await self._store.outboxes.set_aside(work.partition, work.name, work.text)
        except UnavailableError as unavailable:
            log.warning("effect_waits", name=work.name, error=str(unavailable))
            return
        self._forget((work.partition, work.name))
        log.error("effect_set_aside", name=work.name, kept_in=keys.SET_ASIDE, exc_info=error)

    def _forget(self, name: tuple[int, str]) -> None:
        self._tries.pop(name, None)
        self._since.pop(name, None)

    def _look_again(self, numbers: Iterable[int]) -> None:
        """Let partitions be looked at again soon."""
        at = self._store.clock.now() + AGAIN_AFTER
        for number in numbers:
            known = self._partitions.get(number)
            if known is not None:
                known.again = at

    async def _renew_forever(self, stop: Stop) -> None:
        while not stop.is_set:
            try:
                await self.renew()
            except UnavailableError as error:
                log.warning("sweeper_not_renewed", error=str(error))
            await stop.or_wait(asyncio.sleep(RENEW_EVERY))
        try:
            await self._store.sweepers.drop()
        except UnavailableError as error:
            log.warning("sweeper_lingers", error=str(error))

    async def _look_forever(self, stop: Stop) -> None:
        while not stop.is_set:
            begun = time.monotonic()
            try:
                await self.look()
                self._sweeps.observe(time.monotonic() - begun)
            except UnavailableError as error:
                log.warning("sweep_failed", error=str(error))
            except Exception:
                log.exception("sweep_broken")
            await stop.or_wait(asyncio.sleep(LOOK_EVERY))

    async def _draw_forever(self, stop: Stop) -> None:
        # By itself: drawing takes a while, and what is due does not wait for it.
        while not stop.is_set:
            try:
                await self._dailies.draw_ahead()
            except UnavailableError as error:
                log.warning("dailies_not_drawn", error=str(error))
            await stop.or_wait(asyncio.sleep(DRAW_EVERY))

    async def _take_forever(self, stop: Stop) -> None:
        while not stop.is_set:
            for work in self.take():
                self._put(work)
            await stop.or_wait(asyncio.sleep(TAKE_EVERY))

    async def _do_in_hand(self, work: Work) -> None:
        try:
            await self.do(work)
        finally:
            self._in_hand.discard((work.partition, work.name))


def owned_by(name: str, names: list[str]) -> list[int]:
    """Return the partitions that a node looks after: those for which it draws the highest lot.

    When a node comes or goes, no partition changes hands between two others.
    """
    size = 4
    drawn = {n: hashlib.shake_128(n.encode()).digest(size * keys.PARTITIONS) for n in names}

    def winner(at: int) -> str:
        return max(names, key=lambda other: (drawn[other][at : at + size], other))

    return [n for n in range(keys.PARTITIONS) if winner(size * n) == name]
