"""Telling background work to end without cancelling it.

A cancellation in the middle of a Redis command may be swallowed, or leave a reply behind for the
next command on the connection; so nothing that talks to Redis is ever cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stop:
    """Told once that it is time to end, and asked by whoever is to."""

    def __init__(self) -> None:
        self._told = asyncio.Event()

    def tell(self) -> None:
        """End all work that asks."""
        self._told.set()

    @property
    def told(self) -> bool:
        """Whether it is time to end."""
        return self._told.is_set()

    async def or_wait(self, waiting: Coroutine[Any, Any, T]) -> T | None:
        """Wait for something of this process, which must be no command to Redis.

        Returns:
            What it returned, or `None` if it was time to end before.
        """
        wanted = asyncio.ensure_future(waiting)
        told = asyncio.ensure_future(self._told.wait())
        try:
            await asyncio.wait({wanted, told}, return_when=asyncio.FIRST_COMPLETED)
            return wanted.result() if wanted.done() else None
        finally:
            for task in (wanted, told):
                task.cancel()
            await asyncio.gather(wanted, told, return_exceptions=True)
