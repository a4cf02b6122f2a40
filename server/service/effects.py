"""Effects: what must happen once after an attempt is over, and when the time of one is up.

A finish stands in the outbox from the instant of the attempt's last entry until its effects are
done. Each effect changes nothing when it is applied again, so any node may do it at any time: the
one that made it does it at once, and if it dies the sweeper of another one finds it.
"""

from __future__ import annotations

import structlog

from server.core import boards
from server.core.due import AttemptDue, Due, RoundDue
from server.core.ranking import packed
from server.core.refusal import UnavailableError
from server.service.attempt_journal import Finish
from server.service.attempts import Attempts
from server.service.leaderboards import Leaderboards
from server.service.rooms import Rooms
from server.service.store import Store
from server.service.worker_pool import WorkerPool
from server.stop import Stop

SIDE_BY_SIDE = 8
"""Finishes of this node that are applied at the same time."""

log = structlog.get_logger()


class Effects:
    """Applies finishes, and passes deadlines."""

    def __init__(
        self, store: Store, attempts: Attempts, rooms: Rooms, leaderboards: Leaderboards
    ) -> None:
        self._store = store
        self._attempts = attempts
        self._rooms = rooms
        self._leaderboards = leaderboards

    async def run(self, stop: Stop) -> None:
        """Apply this node's finishes as they come, until told to stop."""
        workers = WorkerPool(self._apply_now, SIDE_BY_SIDE)
        while (finish := await stop.or_wait(self._attempts.finishes.get())) is not None:
            # What finds no place is left to the sweeper.
            workers.put(finish)
        await workers.close()

    async def _apply_now(self, finish: Finish) -> None:
        """Apply one finish of many. If that fails the sweeper tries again, and says why."""
        try:
            await self.apply(finish)
        except UnavailableError as error:
            log.warning("effect_waits", name=finish.attempt, error=str(error))
        except Exception as error:
            log.warning("effect_failed", name=finish.attempt, error=type(error).__name__)

    async def apply(self, finish: Finish) -> None:
        """Do everything that follows from a finish, and take it out of the outbox.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        if finish.day is not None:
            score = packed(finish.result)
            board = boards.of_day(finish.game, finish.day)
            await self._leaderboards.enter(board, finish.player, score)
        if finish.room is not None:
            await self._rooms.finish(finish.room, finish.deal, finish.player, finish.result)
        await self._store.outboxes.drop_effect(finish.attempt)

    async def pass_deadline(self, due: Due, time: int) -> bool:
        """End what has fallen due at a time in Unix milliseconds.

        Returns:
            Whether it is over: if not, whoever found it due had a wrong clock.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        match due:
            case RoundDue(room):
                over = await self._rooms.pass_deadline(room)
            case AttemptDue(attempt_id):
                attempt = await self._attempts.find(attempt_id)
                over = attempt is None or attempt.end is not None
        if over:
            await self._store.outboxes.drop_due(due, time)
        return over
