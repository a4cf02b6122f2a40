"""Pace bots: waking up when a bot's next move is due in a room that this node follows.

The move itself is decided and appended by the bot's attempt (`server.play.core.pace_bot`), on
whatever node reads it next. So a bot costs the node that leads its room one read, one hint and one
append for each move, about every 1.8 s, and other nodes a read. In a room that nobody follows it
costs nothing: its moves are appended, with the times at which they were due, when somebody comes
back or when the round's deadline passes.
"""

from __future__ import annotations

from server.base.core.ids import PACE_BOT, RoomCode
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.worker_pool import WorkerPool
from server.play.core import pace_bot
from server.rooms.live_rooms import LiveRooms
from server.rooms.rooms import Rooms

CONCURRENCY, PAUSE = 32, 0.01
"""Bots that play at the same time, and each worker's seconds between two of them."""

BACKUP_AFTER = 1.0
"""Seconds that a node leaves a move to the one that leads."""


class PaceBotTimers:
    """Timers of the pace bots in the rooms that this node follows."""

    def __init__(self, clock: Clock, rooms: Rooms, live: LiveRooms, background: Background) -> None:
        self._clock = clock
        self._rooms = rooms
        self._live = live
        self._work: WorkerPool[RoomCode] = WorkerPool(
            background, "pace_bots", self._play, size=CONCURRENCY, pause=PAUSE
        )
        live.changed.subscribe(self._changed)

    def _changed(self, code: RoomCode) -> None:
        """Wake up when the round of a followed room begins, or no more when the bot has ended."""
        live = self._live.known(code)
        running = live.room.running if live is not None else None
        if running is None or PACE_BOT not in running.unfinished():
            self._work.schedule(code, None)
        elif not self._work.is_scheduled(code):
            self._set_time(code, running.starts)

    def _set_time(self, code: RoomCode, time: int) -> None:
        backup = 0.0 if self._live.leads(code) else BACKUP_AFTER
        self._work.schedule(code, (time - self._clock.now()) / 1000 + backup)

    async def _play(self, code: RoomCode) -> None:
        """Append what is due of a bot's attempt, and set the time for what comes next."""
        live = self._live.known(code)
        attempt = await self._rooms.play_bot(live.room) if live is not None else None
        if attempt is not None and attempt.end is None and self._live.known(code) is not None:
            self._set_time(code, pace_bot.next_at(attempt))
