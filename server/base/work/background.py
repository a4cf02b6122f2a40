"""Background work: what runs beside the commands of players, and what happens when it fails.

All of it is registered here by name: a step that is repeated for ever (`Background.forever`), or a
pool of items to work on (`server.base.work.worker_pool`). There is one policy for what they raise:
- the store does not answer (`UnavailableError`): it is tried again, after a pause;
- something stored cannot be read by this release or with these keys (`UnreadableError`): it is told
  once and left alone, and the work goes on with the rest. A refusal is such an end, too;
- anything else is a fault of this program. Nobody knows what would go on wrongly, so the node is
  not ready any more, drains, and ends with an error, for whatever started it to replace it.

Work is never cancelled, since it may be in the middle of a command to Redis
(`server.base.work.stop`).
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

MOST_TOLD = 10_000
"""Unreadable items that are remembered, so that each is told once; then all may be told again."""

Step = Callable[[], Awaitable[object]]

log = structlog.get_logger()


class BackgroundError(Exception):
    """Background work of a node has failed, by a fault of this program, and the node has ended."""


class Pool(Protocol):
    """Items to work on; see `server.base.work.worker_pool.WorkerPool`."""

    @property
    def name(self) -> str:
        """The name of the work."""

    def start(self) -> None:
        """Work on what waits."""

    async def close(self) -> None:
        """End the work, and wait for what is in progress."""


@dataclass(slots=True, eq=False)
class Loop:
    """A step that is repeated for ever.

    Attributes:
        name: of the work, in logs.
        step: what is repeated.
        every: seconds from the end of a step until the next one begins.
        waits: whether the first step is only made after that time.
        finish: what is done once at the end, after the last step.
    """

    name: str
    step: Step
    every: float
    waits: bool = False
    finish: Step | None = None


class Background:
    """The background work of one node.

    Args:
        on_failure: called when work has failed that should have gone on: the node has to end. By
            default, all other work is stopped.

    Attributes:
        stop: set when the work is to end; a long step checks it.
        loops: what is repeated for ever, by name.
        pools: the pools of items, by name.
        failure: why the node has to end, or `None`.
        is_running: whether it has been started and is not stopped.
    """

    def __init__(self, on_failure: Callable[[], None] | None = None) -> None:
        self.stop = Stop()
        self.loops: dict[str, Loop] = {}
        self.pools: dict[str, Pool] = {}
        self.failure: BackgroundError | None = None
        self._on_failure = on_failure or self.stop.set
        self._started = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[tuple[str, Hashable]] = set()
        # Not that of whoever adds an item: the log would name a player for what concerns others.
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
        """Have a pool work from `start` until the node ends."""
        assert pool.name not in self.pools, f"two pools have the name {pool.name}"
        self.pools[pool.name] = pool

    def start(self) -> None:
        """Start all that is registered."""
        self._started = True
        _running.append(self)
        for loop in self.loops.values():
            self.start_task(loop.name, self._run(loop), self._tasks)
        for pool in self.pools.values():
            pool.start()

    async def close(self) -> None:
        """Stop all, and wait until it has ended; what failed has been logged."""
        self.stop.set()
        # All at once: none should go on with what it could leave, while another one ends.
        await asyncio.gather(self._loops_end(), *(pool.close() for pool in self.pools.values()))
        if self in _running:
            _running.remove(self)

    async def _loops_end(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def run(self) -> None:
        """Start all, and return when `stop` has been set and all has ended.

        Raises:
            BackgroundError: some of it has failed.
        """
        self.start()
        await self.stop.wait()
        await self.close()
        self.raise_failure()

    def raise_failure(self) -> None:
        """Raise what has failed, if anything has.

        Raises:
            BackgroundError: work has failed that should have gone on.
        """
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
        """Note a task that was cancelled, as by what it awaited: nothing here does that."""
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
        """Make a step, and judge what it raises; return whether the work may go on."""
        try:
            await step()
        except Exception as error:
            return self.judge(name, error)
        return True

    def judge(self, name: str, error: BaseException, item: Hashable = None) -> bool:
        """Log what work has raised, and end the node if that is unexpected.

        Args:
            name: of the work.
            error: what it has raised.
            item: what it has worked on, if anything; it is logged.

        Returns:
            Whether it was to be expected, so that the work may go on.
        """
        if isinstance(error, UnavailableError):
            log.debug("work_deferred", work=name, item=_text(item), error=str(error))
        elif isinstance(error, Refusal):
            log.info("work_refused", work=name, item=_text(item), code=error.code)
        elif isinstance(error, UnreadableError):
            if self.is_news(name, item if item is not None else error.code):
                log.warning("work_unreadable", work=name, item=_text(item), code=error.code)
        else:
            self.fail(name, error, item)
            return False
        return True

    def is_news(self, name: str, item: Hashable) -> bool:
        """Return whether it is the first time that an item of some work cannot be read."""
        if (name, item) in self._told:
            return False
        if len(self._told) >= MOST_TOLD:
            self._told.clear()
        self._told.add((name, item))
        return True

    def fail(self, name: str, error: BaseException, item: Hashable = None) -> None:
        """Log an unexpected error of some work, and have the node end."""
        log.error("work_failed", work=name, item=_text(item), exc_info=error)
        if self.failure is None:
            self.failure = BackgroundError(f"Background work has failed: {name}.")
            self.failure.__cause__ = error
            self._on_failure()


_running: list[Background] = []
"""The background work of the nodes of this process."""


def hear(task: asyncio.Task[Any]) -> None:
    """Judge how a task has ended that nobody awaits: a callback for `add_done_callback`.

    What fails there is a fault of the whole process, as which node had started it is not known.
    """
    if task.cancelled() or (error := task.exception()) is None:
        return
    if not _running:
        # A command of an operator, which reports what has to be done itself.
        log.error("work_failed", work=task.get_name(), exc_info=error)
    for background in tuple(_running):
        background.judge(task.get_name(), error)


def _text(item: Hashable) -> str | None:
    return None if item is None else str(item)
