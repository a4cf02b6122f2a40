"""Work on rooms at set times: a work queue whose items are added by timers, one for each room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from server.core.ids import RoomCode
from server.core.refusal import Refusal, UnavailableError, UnreadableError
from server.service.work_queue import WorkQueue
from server.stop import Stop

CONCURRENCY = 32
"""Rooms of a batch that are worked on concurrently."""

PAUSE = 0.01
"""Seconds between two batches."""

SHORTEST = 0.01
"""Fewest seconds until a room is worked on again, since a clock may be a little behind."""

RETRY_AFTER = 1.0
"""Seconds before work is retried for which the store did not answer."""

log = structlog.get_logger()


class TimedWork:
    """Works on each room at the time that was set last for it.

    A refusal, such as that the room has expired, ends the work on it until a time is set again.

    Args:
        name: of the work, in logs.
        work: called with a room's code.
    """

    def __init__(self, name: str, work: Callable[[RoomCode], Awaitable[None]]) -> None:
        self._name = name
        self._work = work
        self._timers: dict[RoomCode, asyncio.TimerHandle] = {}
        self._queue = WorkQueue(self._work_and_log, CONCURRENCY, PAUSE)

    def __contains__(self, code: RoomCode) -> bool:
        return code in self._timers

    def set(self, code: RoomCode, seconds: float | None) -> None:
        """Work on a room in so many seconds instead of any other time; `None` for never."""
        timer = self._timers.pop(code, None)
        if timer is not None:
            timer.cancel()
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._timers[code] = loop.call_later(max(seconds, SHORTEST), self._start, code)

    def _start(self, code: RoomCode) -> None:
        del self._timers[code]
        self._queue.add(code)

    async def run(self, stop: Stop) -> None:
        """Work on rooms as their times come, until stopped."""
        await self._queue.run(stop)
        for code in list(self._timers):
            self.set(code, None)

    async def _work_and_log(self, code: RoomCode) -> None:
        try:
            await self._work(code)
        except (Refusal, UnreadableError) as error:
            log.info(f"{self._name}_refused", room=code, code=error.code)
        except UnavailableError as error:
            log.debug(f"{self._name}_deferred", room=code, error=str(error))
            if code not in self._timers:
                self.set(code, RETRY_AFTER)
