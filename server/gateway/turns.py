"""Fair scheduling of requests, handshakes and floods of frames between the moves of players."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final

Turn = Callable[[], None]
"""Handles one request, or one slice of frames, without waiting; it takes about a millisecond."""

SHARE: Final = 0.002
"""Seconds of each pass of the event loop in which turns are begun."""


class Turns:
    """Takes turns for a while in each pass of the event loop, from one address after the other.

    A request, a handshake or a slice of tiny frames takes ten times as long as a move. If hundreds
    were handled in one pass, the next move would wait for all of them; with turns it waits for
    `SHARE` seconds and one turn. A single request waits for one turn of each other address.

    Args:
        clock: returns the time in seconds; `None` for the monotonic clock.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._is_scheduled = False

    def add(self, address: str, transport: asyncio.Transport, turn: Turn) -> None:
        """Schedule a turn, after all that were added for the same address.

        Args:
            address: whose turn it is.
            transport: the connection, which is aborted if an exception is raised.
            turn: what is to be done.
        """
        done = partial(_do, transport, turn)
        self._waiting.setdefault(address, deque()).append(done)
        if not self._is_scheduled:
            self._schedule()

    def _schedule(self) -> None:
        self._is_scheduled = True
        asyncio.get_running_loop().call_soon(self._take)

    def _take(self) -> None:
        self._is_scheduled = False
        until = self._clock() + SHARE
        try:
            while self._waiting:
                self._take_one()
                if self._clock() >= until:
                    break
        finally:
            if self._waiting and not self._is_scheduled:
                self._schedule()

    def _take_one(self) -> None:
        address, turns = self._waiting.popitem(last=False)
        turn = turns.popleft()
        if turns:
            self._waiting[address] = turns
        turn()


def _do(transport: asyncio.Transport, turn: Turn) -> None:
    """Take a turn; abort its connection if it fails, as the event loop does in `data_received`."""
    try:
        turn()
    except Exception:
        transport.abort()
        raise
