"""An event loop with virtual time, which advances only when no task can run."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

MAX_TURNS = 400_000
"""The loop counts as livelocked after this many turns."""


TURN = 1e-9
"""Seconds that a turn takes."""


ORDERED = 1e-6
"""Seconds between two messages of a connection, to keep their order."""


class StalledError(Exception):
    """The tasks are livelocked or deadlocked."""


class Timer(asyncio.TimerHandle):
    """A timer that runs after the timers set earlier for the same time.

    asyncio leaves their order to its heap. The heap's layout depends on when timers were cancelled,
    and therefore on garbage collection.
    """

    __slots__ = ("_number",)

    def __init__(self, number: int, *given: Any) -> None:
        super().__init__(*given)
        self._number = number
        self._scheduled = True

    def __lt__(self, other: object) -> bool:
        """Return whether this one runs first."""
        assert isinstance(other, Timer)
        return (self.when(), self._number) < (other.when(), other._number)


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs tasks and timers in a reproducible order.

    The time is in seconds since the loop's creation, and jumps to the next timer when all tasks
    wait.

    Attributes:
        connect: opens a connection to a host by name; asyncio's connections use it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._time = 0.0
        self._turns = 0
        self._numbers = itertools.count()
        self.connect: Callable[[Any, str], Awaitable[tuple[Any, Any]]]
        # The base class waits for sockets with this object's `select`; there are no sockets.
        self._selector = self

    def time(self) -> float:
        """Return the virtual time."""
        return self._time

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call a function at a time, after the calls already scheduled for it."""
        timer = Timer(next(self._numbers), when, callback, args, self, context)
        heapq.heappush(vars(self)["_scheduled"], timer)
        return timer

    async def create_connection(  # type: ignore[override]
        self, protocol_factory: Any, host: str, *_: Any, **__: Any
    ) -> tuple[Any, Any]:
        """Open a simulated connection."""
        return await self.connect(protocol_factory, host)

    def reset_turns(self) -> None:
        """Reset the count of turns."""
        self._turns = 0

    def select(self, timeout: float | None) -> tuple[()]:
        """Advance the time to the next timer."""
        self._turns += 1
        # Each turn takes a moment, so that loops that poll the time terminate.
        self._time += TURN
        if timeout is None or self._turns > MAX_TURNS:
            raise StalledError("deadlock" if timeout is None else "livelock")
        if timeout > 0:
            timers: list[Any] = vars(self)["_scheduled"]
            self._time = timers[0].when()
        return ()

    def _process_events(self, events: object) -> None:
        """Do nothing: there are no sockets."""

    def _write_to_self(self) -> None:
        """Do nothing: there are no other threads."""
