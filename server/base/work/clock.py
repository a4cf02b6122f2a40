"""The clock as those who ask for the time see it; a test sets another than that of the store."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The store's clock, which all nodes share."""

    def now(self) -> int:
        """Return the time in Unix milliseconds. Call it only after a `sample` that succeeded."""

    async def sample(self) -> None:
        """Read the store's time. Callers that wait for the same answer share it."""

    async def confirm(self) -> int:
        """Return the time, read from the store unless the last sample is recent enough."""
