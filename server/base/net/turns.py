"""Fair scheduling of requests, handshakes, commands and floods of frames between players' moves."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final

Turn = Callable[[], None]
"""Reads a request or a slice of frames, or begins a task; it takes a millisecond at most."""

PASS: Final = 0.0005
"""Seconds that a pass of the event loop should take: turns have what all else leaves of them."""

IDLE: Final = 0.0002
"""Seconds of a pass in which nothing was to do, or a move: then passes are no longer measured."""

MAX_DEBT: Final = 0.01
"""Most seconds that turns make up for. What takes longer is a machine that stands still: if that
were made up for, there might be no turns for ten times as long."""

LEAST: Final = 0.1
"""The part of the time that turns have in any case, though all else takes longer than `PASS`."""


class Turns:
    """Takes some turns in each pass of the event loop, from one address after the other.

    A request, a handshake or a slice of tiny frames takes ten times as long as a move. If hundreds
    were handled in one pass, the next move would wait for all of them; with turns a pass ends after
    `PASS` seconds and one turn. A single request waits for one turn of each other address.

    What a turn has begun goes on in later passes, when the store has answered. So turns have what
    all else leaves of a pass, and are taken no faster than what they have begun is done. A turn
    that takes longer, or begins what does, is made up for in the next passes. While the event loop
    is busy, each pass is measured.

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
        """Schedule a turn, after all that were added for the same address.

        Args:
            address: whose turn it is.
            transport: the connection, which is aborted if an exception is raised.
            turn: what is to be done.
            later: seconds that what it begins will take, about.
        """
        done = partial(_do, transport, turn), later
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
        """Take a turn; return the seconds that what it has begun will take."""
        address, turns = self._waiting.popitem(last=False)
        turn, later = turns.popleft()
        if turns:
            self._waiting[address] = turns
        turn()
        return later


def _do(transport: asyncio.Transport, turn: Turn) -> None:
    """Take a turn; abort its connection if it fails, as the event loop does in `data_received`."""
    try:
        turn()
    except Exception:
        transport.abort()
        raise
