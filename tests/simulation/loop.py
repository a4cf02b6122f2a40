"""An event loop in which time passes only when nothing else happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

MAX_TURNS = 400_000
"""Turns of the loop after which it is taken to go round in circles."""


TURN = 1e-9
"""Seconds that a turn takes."""


ORDERED = 1e-6
"""Seconds between two things that happen one after the other: timers of one time have no order."""


class RestlessError(Exception):
    """The tasks do not come to rest, or wait for what will never happen."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs tasks and timers in an order that follows from what they do.

    Its time is in seconds from its making; it jumps to the next timer when no task can go on.

    Attributes:
        connect: opens a connection to a host, given by its name, for who asks asyncio for one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._time = 0.0
        self._turns = 0
        self.connect: Callable[[Any, str], Awaitable[tuple[Any, Any]]]
        # The loop asks this to wait for sockets; there are none.
        self._selector = self

    def time(self) -> float:
        """Return the time."""
        return self._time

    async def create_connection(  # type: ignore[override]
        self, protocol_factory: Any, host: str, *_: Any, **__: Any
    ) -> tuple[Any, Any]:
        """Open a connection that is simulated."""
        return await self.connect(protocol_factory, host)

    def rest(self) -> None:
        """Count turns anew."""
        self._turns = 0

    def select(self, timeout: float | None) -> tuple[()]:
        """Wait for nothing until the next timer.

        Raises:
            RestlessError: there is none, or there have been too many.
        """
        self._turns += 1
        # A turn takes a moment: else who waits for the time to come may wait for ever.
        self._time += TURN
        if timeout is None or self._turns > MAX_TURNS:
            raise RestlessError("everyone waits" if timeout is None else "they go round in circles")
        if timeout > 0:
            timers: list[Any] = vars(self)["_scheduled"]
            self._time = timers[0].when()
        return ()

    def _process_events(self, events: object) -> None:
        """Do nothing: there are no sockets."""

    def _write_to_self(self) -> None:
        """Do nothing: there are no other threads."""
