"""Timers for the pace bots' moves in the rooms that this node follows.

The bot's attempt decides and appends the move (`server.play.core.pace_bot`), on any node that reads
it. A bot costs the node that leads its room one read, one hint and one append per move, about every
1.8 s, and other nodes one read. A bot in a room that no node follows costs nothing: its moves are
appended with their due times when a player returns, or at the round's deadline.
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
"""Bots that play concurrently, and the seconds that each worker pauses between two."""

BACKUP_AFTER = 1.0
"""Seconds that other nodes wait for the leading node to make a move."""


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
        """Set the timer when a followed room's round starts, or cancel it at the bot's end."""
        room = self._live.state(code)
        running = room.running if room is not None else None
        if running is None or PACE_BOT not in running.unfinished():
            self._work.schedule(code, None)
        elif not self._work.is_scheduled(code):
            self._set_time(code, running.starts)

    def _set_time(self, code: RoomCode, time: int) -> None:
        backup = 0.0 if self._live.leads(code) else BACKUP_AFTER
        self._work.schedule(code, (time - self._clock.now()) / 1000 + backup)

    async def _play(self, code: RoomCode) -> None:
        """Append a bot's due moves, and set the timer for its next one."""
        room = self._live.state(code)
        attempt = await self._rooms.play_bot(room) if room is not None else None
        if attempt is not None and attempt.end is None and self._live.known(code) is not None:
            self._set_time(code, pace_bot.next_at(attempt))
