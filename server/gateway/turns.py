"""The order in which a node begins what is asked by those who have no session yet."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable

Turn = Callable[[], None]
"""Something that is done at once, in less than a millisecond."""


class Turns:
    """Takes one turn in each pass of the event loop, from one address after the other.

    A request or handshake takes ten moves' time. If hundreds arrived at once, those who play would
    wait for all of them; so they wait for one, and who sends a single request for one of each other
    address.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._is_scheduled = False

    def add(self, address: str, turn: Turn) -> None:
        """Let something be done in its turn, after all that was added for the same address."""
        self._waiting.setdefault(address, deque()).append(turn)
        if not self._is_scheduled:
            self._schedule()

    def _schedule(self) -> None:
        self._is_scheduled = True
        asyncio.get_running_loop().call_soon(self._take)

    def _take(self) -> None:
        address, turns = self._waiting.popitem(last=False)
        turn = turns.popleft()
        if turns:
            self._waiting[address] = turns
        self._is_scheduled = False
        if self._waiting:
            # Before the turn, which may fail.
            self._schedule()
        turn()
