"""Pacing: resuming waiting tasks, and other calls, a few per pass of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

PER_PASS: Final = 5
"""Calls in a short pass of the event loop. The resumed task takes 20 to 100 µs, so together they
take about as long as the turns of a pass (`server/base/net/turns.py`)."""

PER_SECOND: Final = 10_000
"""Calls per second of a longer pass, about half of the time: with thousands of moves in each pass,
players who resume or make their first move would wait for seconds."""


class Pacer:
    """Calls functions in order, a few in each pass of the event loop.

    A batch of Redis commands ends with hundreds of replies at a time. If all tasks that wait for
    them were resumed in one pass, the next move would wait for all of these tasks. A call is made
    immediately if the pass has not reached its maximum and no earlier call waits.

    Args:
        per_pass: the maximum calls in a short pass.
        clock: returns the time in seconds.
    """

    def __init__(
        self, per_pass: int = PER_PASS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_pass = per_pass
        self._clock = clock
        self._waiting: deque[tuple[Callable[[Any], object], Any]] = deque()
        self._left = per_pass
        self._is_scheduled = False
        self._began = 0.0

    def call(self, function: Callable[[Any], object], argument: Any) -> None:
        """Call a function in this pass or a later one.

        An exception of a later call goes to the event loop's exception handler.
        """
        if not self._is_scheduled:
            self._is_scheduled = True
            self._began = self._clock()
            asyncio.get_running_loop().call_soon(self._begin_pass)
        if self._left and not self._waiting:
            self._left -= 1
            function(argument)
        else:
            self._waiting.append((function, argument))

    def _begin_pass(self) -> None:
        loop = asyncio.get_running_loop()
        self._is_scheduled = bool(self._waiting)
        before, self._began = self._began, self._clock()
        self._left = max(self._per_pass, int((self._began - before) * PER_SECOND))
        if self._is_scheduled:
            loop.call_soon(self._begin_pass)
        while self._left and self._waiting:
            self._left -= 1
            function, argument = self._waiting.popleft()
            try:
                function(argument)
            except Exception as error:
                loop.call_exception_handler({"message": "A paced call failed.", "exception": error})
