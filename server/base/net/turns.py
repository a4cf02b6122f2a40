"""Fair scheduling of requests, handshakes, commands and frame floods between players' moves."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final

Turn = Callable[[], None]
"""Reads a request or a slice of frames, or starts a task. It takes at most a millisecond."""

PASS: Final = 0.0005
"""Target seconds for a pass of the event loop; turns get the time that other work leaves."""

IDLE: Final = 0.0002
"""Seconds of a pass that was idle or handled one move; passes are then no longer measured."""

MAX_DEBT: Final = 0.01
"""Maximum seconds that later passes make up for. Anything longer is a stalled machine; making up
for it could stop all turns for ten times as long."""

LEAST: Final = 0.1
"""The share of time guaranteed to turns, even if other work takes longer than `PASS`."""


class Turns:
    """Takes some turns in each pass of the event loop, from one address after the other.

    A request, a handshake or a slice of tiny frames takes ten times as long as a move. If hundreds
    were handled in one pass, the next move would wait for all of them. With turns, a pass ends
    after `PASS` seconds and one turn. A single request waits for one turn of each other address.

    Work started in a turn continues in later passes, once the store has answered. Turns therefore
    get the time that other work leaves in a pass, and start work no faster than it is finished. A
    turn that takes longer, or starts longer work, is made up for in the next passes. While the
    event loop is busy, each pass is measured.

    Args:
        clock: returns the time in seconds; `None` for the monotonic clock.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self._waiting: OrderedDict[str, deque[tuple[Turn, float]]] = OrderedDict()
        self._is_scheduled = False
        self._ended = 0.0
        self._overdrawn = 0.0

    def add(
        self, address: str, transport: asyncio.Transport, turn: Turn, later: float = 0.0
    ) -> None:
        """Schedule a turn, after all earlier turns of the same address.

        Args:
            address: the address that takes the turn.
            transport: the connection, which is aborted if the turn raises an exception.
            turn: the work.
            later: approximate seconds that the work started by the turn will take.
        """
        done = partial(_run_turn, transport, turn), later
        self._waiting.setdefault(address, deque()).append(done)
        if not self._is_scheduled:
            self._schedule()

    def _schedule(self) -> None:
        self._is_scheduled = True
        self._ended = self._clock()
        asyncio.get_running_loop().call_soon(self._take)

    def _take(self) -> None:
        self._is_scheduled = False
        now = self._clock()
        # The time taken by other work since the last turns.
        others = now - self._ended
        is_busy = bool(self._waiting) or others > IDLE
        left = max(PASS - others, others * LEAST) - self._overdrawn
        try:
            while self._waiting and left > 0:
                left -= self._take_one()
                began, now = now, self._clock()
                left -= now - began
        finally:
            self._overdrawn = min(MAX_DEBT, max(0.0, -left)) if is_busy else 0.0
            if is_busy and not self._is_scheduled:
                self._schedule()

    def _take_one(self) -> float:
        """Take a turn, and return the estimated seconds of the work that it has started."""
        address, turns = self._waiting.popitem(last=False)
        turn, later = turns.popleft()
        if turns:
            self._waiting[address] = turns
        turn()
        return later


def _run_turn(transport: asyncio.Transport, turn: Turn) -> None:
    """Take a turn, and abort its connection if it fails, like the event loop in `data_received`."""
    try:
        turn()
    except Exception:
        transport.abort()
        raise
