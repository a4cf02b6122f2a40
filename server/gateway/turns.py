"""The order in which a node looks at what is sent to it, but for single short messages."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final

Turn = Callable[[], None]
"""Something that is done at once, in less than a millisecond."""


SHARE: Final = 0.002
"""Seconds of each pass of the event loop in which turns are begun."""


class Turns:
    """Takes turns for a while in each pass of the event loop, from one address after the other.

    A request, a handshake or a handful of frames takes ten moves' time or more. If hundreds arrived
    at once, those who play would wait for all of them. So they wait for `SHARE` and a turn, and
    whoever sends a single request for one of each other address.

    Args:
        clock: returns the time in seconds; `None` for the monotonic clock.
    """

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._is_scheduled = False

    def add(self, address: str, transport: asyncio.Transport, turn: Turn) -> None:
        """Let something be done in its turn, after all that was added for the same address.

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
    """Do something; end its connection if it fails, as the event loop does in `data_received`."""
    try:
        turn()
    except Exception:
        transport.abort()
        raise
