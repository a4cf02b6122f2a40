"""The outbox: effects that follow once from what was appended or decided, and passed deadlines.

An effect is written to the outbox atomically with the journal entry that it follows from
(transactional outbox), as the end of an attempt or a race, or before it is applied. It is removed
when it has been applied. Effects are idempotent, so any node may apply them at any time: the node
that appended the entry does so at once, and the sweeper applies what a dead node has left.

What an effect or a deadline leads to, the wings register that know it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import structlog

from server.base.core.due import (
    AttemptDue,
    ChallengeDue,
    CircleDue,
    Due,
    PostDue,
    ReminderDue,
    RoundDue,
)
from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import Append
from server.base.journals.reader import Reader
from server.base.outbox.effects import Effect, encode
from server.base.outbox.store import OutboxStore
from server.base.work.background import Background
from server.base.work.signal import AsyncSignal, Signal
from server.base.work.worker_pool import WorkerPool

MAX_QUEUED = 10_000
"""Effects of this node that may be queued; the sweeper applies those beyond that."""

CONCURRENCY = 8
"""Effects of this node that are applied concurrently."""

MAX_WAITING = 10_000
"""Those that may wait for it; the sweeper applies others."""

E = TypeVar("E", bound=Effect)
D = TypeVar("D", RoundDue, AttemptDue, PostDue, ReminderDue, ChallengeDue, CircleDue)

log = structlog.get_logger()


class Outbox:
    """Applies effects, and passes deadlines.

    Attributes:
        queue: effects that are in the outbox, and yet to be applied by this node.
        left: emitted with the name of an effect that could not be applied, and is in the outbox.
    """

    def __init__(self, store: OutboxStore, background: Background) -> None:
        self.queue: asyncio.Queue[Effect] = asyncio.Queue(MAX_QUEUED)
        self.left: Signal[str] = Signal()
        self._store = store
        self._background = background
        self._kinds: dict[type, AsyncSignal[Any]] = {}
        self._deadlines: dict[type, Callable[[Any], Awaitable[bool]]] = {}
        self._waiting: dict[str, Effect] = {}
        self._workers = WorkerPool(
            background, "effects", self._apply_waiting, size=CONCURRENCY, most=MAX_WAITING
        )
        background.forever("finishes", self._take_queued, every=0.0)

    def on(self, kind: type[E], apply: Callable[[E], Awaitable[object]]) -> None:
        """Have effects of a kind, a struct with a tag, applied by a function.

        What several register for the same kind is awaited in the order in which they did. Each
        must be idempotent, and raises `UnavailableError` if the store does not answer.
        """
        self._kinds.setdefault(kind, AsyncSignal()).subscribe(apply)
        self._reader: Reader[Effect] = Reader(reduce(or_, self._kinds))

    def on_due(self, kind: type[D], pass_deadline: Callable[[D], Awaitable[bool]]) -> None:
        """Have deadlines of a kind passed by a function, which returns whether it is over then.

        If it is not, the caller's clock was wrong, and the deadline is yet to come.
        """
        self._deadlines[kind] = pass_deadline

    def decode(self, text: str) -> Effect:
        """Return the effect that a text (JSON) encodes.

        Raises:
            UnreadableError: this release does not know its type.
        """
        return self._reader.decode(text)

    def enqueue(self, effect: Effect) -> None:
        """Enqueue an effect that is in the outbox; if the queue is full, a sweeper applies it."""
        try:
            self.queue.put_nowait(effect)
        except asyncio.QueueFull:
            log.warning("finishes_full", name=effect.field)

    def enqueue_appended(self, append: Append) -> None:
        """Enqueue the effect that an entry of this node has brought along, if it has."""
        if append.effect is not None:
            self.enqueue(self.decode(append.effect[1]))

    async def _take_queued(self) -> None:
        """Have the next effect of this node applied."""
        effect = await self._background.stop.or_wait(self.queue.get())
        # If the pool is full, the effect stays in the outbox for the sweeper.
        if effect is not None and self._workers.add(effect.field):
            self._waiting[effect.field] = effect

    async def flush(self) -> None:
        """Apply the effects that are queued, for a process that does not `run`.

        Raises:
            UnavailableError: the store does not answer; a sweeper applies the others.
        """
        while not self.queue.empty():
            await self.apply(self.queue.get_nowait())

    async def submit(self, effect: Effect) -> None:
        """Carry out an effect that follows from no journal entry.

        It is written to the outbox first, and applied then. So what was begun is completed by a
        sweeper if this node dies.

        Raises:
            UnavailableError: the store does not answer. It may be applied, now or by a sweeper.
        """
        await self._store.put_effect(effect.field, encode(effect))
        try:
            await self.apply(effect)
        except UnavailableError:
            self.left.emit(effect.field)
            raise

    async def _apply_waiting(self, name: str) -> None:
        """Apply an effect; log a failure, after which the sweeper tries again.

        That counts the failures of each, and sets an effect aside which keeps failing: it is
        stored, so it would take one node after the other out of service.
        """
        effect = self._waiting.pop(name, None)
        if effect is None:
            return
        try:
            await self.apply(effect)
        except UnavailableError as error:
            log.debug("effect_deferred", name=effect.field, error=str(error))
            self.left.emit(effect.field)
        except Exception as error:
            log.warning("effect_failed", name=effect.field, error=type(error).__name__)
            self.left.emit(effect.field)

    async def apply(self, effect: Effect) -> None:
        """Apply an effect, and remove it from the outbox.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        await self._kinds[type(effect)].emit(effect)
        await self._store.drop_effect(effect.field)
        log.debug("effect_applied", name=effect.field, kind=type(effect).__name__)

    async def pass_deadline(self, due: Due, time: int) -> bool:
        """End what has a deadline that has passed: `time`, in Unix milliseconds.

        Returns:
            Whether it is over now. If not, the caller's clock was wrong, and the deadline is yet to
            come.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        over = await self._deadlines[type(due)](due)
        if over:
            await self._store.drop_due(due, time)
        return over
