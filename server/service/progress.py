"""Progress: how far the runners of this node have got, told to their rooms now and then."""

from __future__ import annotations

import asyncio
import time

from server.core.attempt import Attempt
from server.core.ids import PlayerId, RoomCode
from server.service.live import LiveRooms

EVERY = 0.2
"""Seconds for which moves are gathered: only the latest of each runner is told."""

SLICE = 0.002
"""Seconds after which telling lets moves go first."""


class Progress:
    """Gathers how far attempts in rooms have got, and tells their rooms.

    A move costs one entry in a dictionary. What was gathered costs for each room one frame, encoded
    once, however many moves and listeners there are.
    """

    def __init__(self, live: LiveRooms) -> None:
        self._live = live
        self._news: dict[RoomCode, dict[PlayerId, Attempt]] = {}
        self._gathering = False

    def note(self, attempt: Attempt) -> None:
        """Note that an attempt got further."""
        start = attempt.start
        if start.room is None or attempt.seq == 1:
            return
        self._news.setdefault(start.room, {})[start.player] = attempt
        if not self._gathering:
            self._gathering = True
            asyncio.get_running_loop().call_later(EVERY, self._tell)

    def _tell(self) -> None:
        """Tell of what was gathered; of what is left when the time is up, in the next turn."""
        until = time.monotonic() + SLICE
        while self._news:
            code = next(iter(self._news))
            self._live.note(code, self._news.pop(code))
            if time.monotonic() > until:
                asyncio.get_running_loop().call_soon(self._tell)
                return
        self._gathering = False
