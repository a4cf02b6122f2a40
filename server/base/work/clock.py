"""The interface of the clock. Tests use another clock than the store's."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The store's clock, shared by all nodes."""

    def now(self) -> int:
        """Return the time in Unix milliseconds. Requires a successful `sample` before."""

    async def sample(self) -> None:
        """Read the store's time. Callers waiting for the same answer share it."""

    async def confirm(self) -> int:
        """Return the time, read from the store unless the last sample is recent enough."""
