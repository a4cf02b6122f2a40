"""Progress: how far the runners of this node have got, told to their rooms now and then."""

from __future__ import annotations

import asyncio
import time

from server.core.attempt import Attempt
from server.core.ids import PlayerId, RoomCode
from server.service.attempts import Attempts
from server.service.live import LiveRooms

EVERY = 0.2
"""Seconds for which a room's moves are gathered: only the latest of each runner is told."""

STEP = 0.02
"""Seconds between two looks for rooms that are to be told. Telling all at once, five times a
second, would let moves wait meanwhile: 6 ms with a thousand racers."""

SLICE = 0.002
"""Seconds after which telling lets moves go first."""

SHARE = 0.15
"""How much of the node's time telling may take. When there is more to tell, it is told later."""


class Progress:
    """Gathers how far attempts in rooms have got, and tells their rooms.

    A move costs one entry in a dictionary. What was gathered costs for each room one frame, encoded
    once, however many moves and listeners there are.
    """

    def __init__(self, attempts: Attempts, live: LiveRooms) -> None:
        self._live = live
        attempts.advanced.subscribe(self._advanced)
        self._news: dict[RoomCode, tuple[float, dict[PlayerId, Attempt]]] = {}
        """When each room is to be told of which attempts; what is due first comes first."""
        self._gathering = False

    def _advanced(self, attempt: Attempt) -> None:
        """Note that an attempt got further."""
        start = attempt.start
        if start.room is None or attempt.seq == 1:
            return
        if start.room in self._news:
            self._news[start.room][1][start.player] = attempt
            return
        self._news[start.room] = time.monotonic() + EVERY, {start.player: attempt}
        if not self._gathering:
            self._gathering = True
            asyncio.get_running_loop().call_later(EVERY, self._tell)

    def _tell(self) -> None:
        """Tell rooms that are due, and come back for the others."""
        began = now = time.monotonic()
        while self._news and now - began <= SLICE:
            code, (due, runners) = next(iter(self._news.items()))
            if due > began:
                break
            del self._news[code]
            self._live.note(code, runners)
            now = time.monotonic()
        self._gathering = bool(self._news)
        if self._gathering:
            pause = max(STEP, (now - began) / SHARE)
            asyncio.get_running_loop().call_later(pause, self._tell)
