"""The outbox: effects applied once after an append or a decision, and the handling of deadlines.

An effect is written to the outbox atomically with its journal entry (transactional outbox), such as
the end of an attempt or a race, or separately before it is applied. It is removed once applied.
Effects are idempotent, so any node may apply them at any time: the node that appended the entry
does so immediately, and the sweeper applies the effects left by dead nodes.

Wings register the functions that apply effects and handle deadlines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import structlog

from server.base.core.due import Due
from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import Append
from server.base.journals.reader import Reader
from server.base.outbox.effects import Effect, encode
from server.base.outbox.store import OutboxStore
from server.base.work.background import Background
from server.base.work.signal import AsyncSignal, Signal
from server.base.work.worker_pool import WorkerPool

MAX_QUEUED = 10_000  # maximum queued effects of this node; the sweeper applies any others
CONCURRENCY = 8  # effects of this node applied concurrently
MAX_WAITING = 10_000  # maximum effects waiting for a worker; the sweeper applies any others
E = TypeVar("E", bound=Effect)
D = TypeVar("D", bound=Due)

log = structlog.get_logger()


class Outbox:
    """Applies effects, and handles deadlines."""

    def __init__(self, store: OutboxStore, background: Background) -> None:
        # Effects in the outbox, to be applied by this node.
        self.queue: asyncio.Queue[Effect] = asyncio.Queue(MAX_QUEUED)
        # Emitted with the name of an effect that could not be applied, and stays in the outbox.
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
        """Register a function to apply effects of a kind, a tagged struct.

        Several functions of one kind are awaited in the order of their registration. Each must be
        idempotent, and raises `UnavailableError` if the store does not answer.
        """
        self._kinds.setdefault(kind, AsyncSignal()).subscribe(apply)
        self._reader: Reader[Effect] = Reader(reduce(or_, self._kinds))

    def on_due(self, kind: type[D], pass_deadline: Callable[[D], Awaitable[bool]]) -> None:
        """Register a function that handles deadlines of a kind, and returns whether they are over.

        If one is not, the caller's clock was wrong.
        """
        self._deadlines[kind] = pass_deadline
        self._store.kinds[kind.kind] = kind

    def decode(self, text: str) -> Effect:
        """Decode an effect (JSON).

        Raises:
            UnreadableError: this release does not know its type.
        """
        return self._reader.decode(text)

    def enqueue(self, effect: Effect) -> None:
        """Queue an effect of the outbox; if the queue is full, a sweeper applies it."""
        try:
            self.queue.put_nowait(effect)
        except asyncio.QueueFull:
            log.warning("finishes_full", name=effect.field)

    def enqueue_appended(self, append: Append) -> None:
        """Queue the effect written with an entry of this node, if any."""
        if append.effect is not None:
            self.enqueue(self.decode(append.effect[1]))

    async def _take_queued(self) -> None:
        effect = await self._background.stop.or_wait(self.queue.get())
        # If the pool is full, the effect stays in the outbox for the sweeper.
        if effect is not None and self._workers.add(effect.field):
            self._waiting[effect.field] = effect

    async def flush(self) -> None:
        """Apply the queued effects, in a process without background work.

        Raises:
            UnavailableError: the store does not answer; a sweeper applies the others.
        """
        while not self.queue.empty():
            await self.apply(self.queue.get_nowait())

    async def submit(self, effect: Effect) -> None:
        """Execute an effect without a journal entry.

        Raises:
            UnavailableError: the store does not answer. The effect may be applied, now or by a
                sweeper.
        """
        try:
            # Stored first, so that a sweeper completes it if this node dies.
            await self._store.put_effect(effect.field, encode(effect))
            await self.apply(effect)
        except BaseException:
            # It may be stored although only the answer was lost, or the caller was cancelled. Cause
            # an early scan, since the next regular one may be minutes away.
            self.left.emit(effect.field)
            raise

    async def _apply_waiting(self, name: str) -> None:
        effect = self._waiting.pop(name, None)
        if effect is None:
            return
        # The sweeper counts failures, and sets aside an effect that keeps failing. Ending the node
        # instead would take one node after the other out of service, since the effect is stored.
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
            UnavailableError: the store does not answer; the sweeper will retry.
        """
        await self._kinds[type(effect)].emit(effect)
        await self._store.drop_effect(effect.field)
        log.debug("effect_applied", name=effect.field, kind=type(effect).__name__)

    async def complete(self, name: str) -> None:
        """Apply the pending effects of a player, a room or an attempt.

        Raises:
            UnavailableError: the store does not answer.
        """
        for text in await self._store.effects_of(name):
            await self.apply(self.decode(text))

    async def pass_deadline(self, due: Due, time: int) -> bool:
        """Handle a deadline that has passed at `time`, in Unix milliseconds; see `on_due`.

        Raises:
            UnavailableError: the store does not answer; the sweeper will retry.
        """
        over = await self._deadlines[type(due)](due)
        if over:
            await self._store.drop_due(due, time)
        return over
