"""Background work of a node, and the handling of its failures.

All of it is registered here by name: a step that is repeated without end (`Background.forever`), or
a pool of items to process (`server.base.work.worker_pool`). One policy applies to their exceptions:
- the store does not answer (`UnavailableError`): retry after a pause;
- a stored item cannot be read by this release or with these keys (`UnreadableError`): log it once,
  leave it unchanged, and continue with the rest. A refusal is handled the same way;
- anything else is a bug. Its consequences are unknown, so the node becomes unready, drains, and
  ends with an error, to be replaced by its supervisor.

Work is never cancelled (`server.base.work.stop`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.work.stop import Stop

# Remembered unreadable items, each logged once. When the memory is full, it is cleared.
MAX_REMEMBERED = 10_000

Step = Callable[[], Awaitable[object]]

log = structlog.get_logger()


class BackgroundError(Exception):
    """Background work of a node has failed because of a bug, and the node has ended."""


class Pool(Protocol):
    """Items to process; see `server.base.work.worker_pool.WorkerPool`."""

    @property
    def name(self) -> str:
        """The name of the work."""

    def start(self) -> None:
        """Start processing the pending items."""

    async def close(self) -> None:
        """End the work, and wait for items in progress."""


@dataclass(slots=True, eq=False)
class Loop:
    """A step that is repeated without end."""

    name: str
    step: Step
    every: float  # seconds from the end of a step to the start of the next one
    waits: bool = False  # whether to wait for `every` seconds before the first step
    finish: Step | None = None  # called once after the last step


class Background:
    """The background work of one node.

    Args:
        on_failure: called when work has failed permanently, so that the node must end. By default,
            all other work is stopped.
    """

    def __init__(self, on_failure: Callable[[], None] | None = None) -> None:
        self.stop = Stop()  # set when the work must end; a long step checks it
        self.loops: dict[str, Loop] = {}  # by name
        self.pools: dict[str, Pool] = {}  # by name
        self.failure: BackgroundError | None = None  # why the node must end, or `None`
        self._on_failure = on_failure or self.stop.set
        self._started = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[tuple[str, Hashable]] = set()
        # Not the context of the code that adds an item: the log would name an unrelated player.
        self.context = copy_context()

    @property
    def is_running(self) -> bool:
        """Whether it has been started and is not stopped."""
        return self._started and not self.stop.is_set

    def forever(
        self,
        name: str,
        step: Step,
        *,
        every: float,
        waits: bool = False,
        finish: Step | None = None,
    ) -> None:
        """Repeat a step from `start`, or now, until the node ends. See `Loop` for the arguments."""
        assert name not in self.loops, f"two loops have the name {name}"
        loop = self.loops[name] = Loop(name, step, every, waits, finish)
        if self.is_running:
            self.start_task(name, self._run(loop), self._tasks)

    def add_pool(self, pool: Pool) -> None:
        """Run a pool from `start` until the node ends."""
        assert pool.name not in self.pools, f"two pools have the name {pool.name}"
        self.pools[pool.name] = pool

    def start(self) -> None:
        """Start all registered work."""
        self._started = True
        _running.append(self)
        for loop in self.loops.values():
            self.start_task(loop.name, self._run(loop), self._tasks)
        for pool in self.pools.values():
            pool.start()

    async def close(self) -> None:
        """Stop all work, and wait until it has ended. Failures have been logged."""
        self.stop.set()
        # Concurrently, so that no work starts anything new while other work ends.
        await asyncio.gather(self._loops_end(), *(pool.close() for pool in self.pools.values()))
        if self in _running:
            _running.remove(self)

    async def _loops_end(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def run(self) -> None:
        """Start all work, and return when `stop` has been set and all work has ended.

        Raises:
            BackgroundError: some work has failed.
        """
        self.start()
        await self.stop.wait()
        await self.close()
        self.raise_failure()

    def raise_failure(self) -> None:
        """Raise the `BackgroundError` of work that has failed permanently, if any."""
        if self.failure is not None:
            raise self.failure

    def start_task(
        self, name: str, work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]
    ) -> None:
        """Run a coroutine in a task, which is in `tasks` until it has ended."""
        task = asyncio.create_task(work, name=name, context=self.context.copy())
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        # Nothing cancels a task, so a cancellation is a failure.
        if task.cancelled():
            if self.is_running:
                self.fail(task.get_name(), asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            self.fail(task.get_name(), error)

    async def _run(self, loop: Loop) -> None:
        if loop.waits:
            await self.stop.or_wait(asyncio.sleep(loop.every))
        while not self.stop.is_set:
            if not await self.attempt(loop.name, loop.step):
                break
            await self.stop.or_wait(asyncio.sleep(loop.every))
        if loop.finish is not None:
            await self.attempt(loop.name, loop.finish)

    async def attempt(self, name: str, step: Step) -> bool:
        """Run a step, and return whether the work can continue."""
        try:
            await step()
        except Exception as error:
            return self.judge(name, error)
        return True

    def judge(self, name: str, error: BaseException, item: Hashable = None) -> bool:
        """Log an exception of some work; return whether it was expected.

        The work can then continue. Otherwise the node ends.
        """
        if isinstance(error, UnavailableError):
            log.debug("work_deferred", work=name, item=_text(item), error=str(error))
        elif isinstance(error, Refusal):
            log.info("work_refused", work=name, item=_text(item), code=error.code.name)
        elif isinstance(error, UnreadableError):
            if self.is_news(name, item if item is not None else error.code):
                log.warning("work_unreadable", work=name, item=_text(item), code=error.code.name)
        else:
            self.fail(name, error, item)
            return False
        return True

    def is_news(self, name: str, item: Hashable) -> bool:
        """Return whether this is the first failure to read an item of some work."""
        if (name, item) in self._told:
            return False
        if len(self._told) >= MAX_REMEMBERED:
            self._told.clear()
        self._told.add((name, item))
        return True

    def fail(self, name: str, error: BaseException, item: Hashable = None) -> None:
        """Log an unexpected error of some work, and end the node."""
        log.error("work_failed", work=name, item=_text(item), exc_info=error)
        if self.failure is None:
            self.failure = BackgroundError(f"Background work has failed: {name}.")
            self.failure.__cause__ = error
            self._on_failure()


_running: list[Background] = []  # the background work of the nodes in this process


def check_outcome(task: asyncio.Task[Any]) -> None:
    """Check the outcome of a task that is not awaited: a callback for `add_done_callback`.

    A failure concerns all nodes of the process, since the node that started the task is unknown.
    """
    if task.cancelled() or (error := task.exception()) is None:
        return
    if not _running:
        # An operator's command; it reports necessary action itself.
        log.error("work_failed", work=task.get_name(), exc_info=error)
    for background in tuple(_running):
        background.judge(task.get_name(), error)


def _text(item: Hashable) -> str | None:
    return None if item is None else str(item)
