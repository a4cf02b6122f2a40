"""Cooperative shutdown of background tasks.

Tasks that use Redis are never cancelled. A cancellation during a Redis command may be swallowed, or
leave a reply on the connection that the next command would mistake for its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stop:
    """A flag that background tasks check between steps, and that interrupts their waits."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Ask all tasks that use this flag to end."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """Whether the tasks should end."""
        return self._event.is_set()

    async def wait(self) -> None:
        """Wait until the flag is set."""
        await self._event.wait()

    async def or_wait(self, waiting: Coroutine[Any, Any, T]) -> T | None:
        """Wait for a coroutine, and return its result, or `None` once the flag is set.

        The coroutine is cancelled then, so it must not send commands to Redis.
        """
        task = asyncio.ensure_future(waiting)
        stopped = asyncio.ensure_future(self._event.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            stopped.cancel()
            await asyncio.gather(task, stopped, return_exceptions=True)
