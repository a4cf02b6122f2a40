"""Stopping background work without cancelling it.

A cancellation in the middle of a Redis command may be swallowed, or leave a reply on the connection
that the next command would take for its own; so tasks that talk to Redis are never cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stop:
    """A flag that background tasks check between two steps, and that interrupts their waits."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Ask all tasks that have this flag to end."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """Whether the tasks should end."""
        return self._event.is_set()

    async def or_wait(self, waiting: Coroutine[Any, Any, T]) -> T | None:
        """Wait for a coroutine, but no longer than until the flag is set.

        Args:
            waiting: is cancelled when the flag is set; it must not be a command to Redis.

        Returns:
            What the coroutine returned, or `None` if the flag was set before.
        """
        wanted = asyncio.ensure_future(waiting)
        stopped = asyncio.ensure_future(self._event.wait())
        try:
            await asyncio.wait({wanted, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return wanted.result() if wanted.done() else None
        finally:
            for task in (wanted, stopped):
                task.cancel()
            await asyncio.gather(wanted, stopped, return_exceptions=True)
