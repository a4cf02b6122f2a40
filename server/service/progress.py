"""Progress: how far the runners of this node have got, told to their rooms now and then."""

from __future__ import annotations

import asyncio
import time

from server.core.attempt import Attempt
from server.core.ids import PlayerId, RoomCode
from server.service.live import LiveRooms

EVERY = 0.2
"""Seconds for which moves are gathered: only the latest of each runner is told."""

SHARE = 0.05
"""How much of the node's time telling may take. When there is more to tell, it is told less often,
so that moves are answered first."""

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
        self._being_told: dict[RoomCode, dict[PlayerId, Attempt]] = {}
        self._gathering = False
        self._spent = 0.0
        self._every = EVERY

    def note(self, attempt: Attempt) -> None:
        """Note that an attempt got further."""
        start = attempt.start
        if start.room is None or attempt.seq == 1:
            return
        self._news.setdefault(start.room, {})[start.player] = attempt
        if not self._gathering:
            self._gathering = True
            asyncio.get_running_loop().call_later(self._every, self._tell)

    def _tell(self) -> None:
        """Tell of what was gathered; of what is left when the time is up, in the next turn."""
        loop = asyncio.get_running_loop()
        if not self._being_told:
            # What comes while this is told is gathered for the next time.
            self._being_told, self._news, self._spent = self._news, {}, 0.0
        began, spent = time.monotonic(), 0.0
        while self._being_told and spent <= SLICE:
            code, runners = self._being_told.popitem()
            self._live.note(code, runners)
            spent = time.monotonic() - began
        self._spent += spent
        if self._being_told:
            loop.call_soon(self._tell)
            return
        self._every = max(EVERY, self._spent / SHARE)
        self._gathering = bool(self._news)
        if self._gathering:
            loop.call_later(self._every, self._tell)
