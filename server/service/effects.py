"""Effects: what follows once from the end of an attempt, and from a deadline that has passed.

A finish is written to the outbox atomically with the attempt's last entry (transactional outbox),
and removed when its effects have been applied. Effects are idempotent, so any node may apply them
at any time: the node that appended the entry does so at once, and the sweeper applies what a dead
node has left.
"""

from __future__ import annotations

import structlog

from server.core import boards
from server.core.daily import DailyId
from server.core.due import AttemptDue, Due, RoundDue
from server.core.ranking import packed
from server.core.refusal import UnavailableError
from server.service.attempt_journal import Finish
from server.service.attempts import Attempts
from server.service.leaderboards import Leaderboards
from server.service.ports import OutboxStore
from server.service.rooms import Rooms
from server.service.worker_pool import WorkerPool
from server.stop import Stop

CONCURRENCY = 8
"""Finishes of this node that are applied concurrently."""

log = structlog.get_logger()


class Effects:
    """Applies finishes, and ends what is past its deadline."""

    def __init__(
        self, outboxes: OutboxStore, attempts: Attempts, rooms: Rooms, leaderboards: Leaderboards
    ) -> None:
        self._outboxes = outboxes
        self._attempts = attempts
        self._rooms = rooms
        self._leaderboards = leaderboards

    async def run(self, stop: Stop) -> None:
        """Apply this node's finishes as they are queued, until stopped."""
        workers = WorkerPool(self._apply_and_log, CONCURRENCY)
        while (finish := await stop.or_wait(self._attempts.finishes.get())) is not None:
            # If the pool is full, the finish stays in the outbox for the sweeper.
            workers.put(finish)
        await workers.close()

    async def _apply_and_log(self, finish: Finish) -> None:
        """Apply a finish; log a failure, after which the sweeper tries again."""
        try:
            await self.apply(finish)
        except UnavailableError as error:
            log.warning("effect_deferred", name=finish.attempt, error=str(error))
        except Exception as error:
            log.warning("effect_failed", name=finish.attempt, error=type(error).__name__)

    async def apply(self, finish: Finish) -> None:
        """Apply all effects of a finish, and remove it from the outbox.

        Raises:
            UnavailableError: the store does not answer; the sweeper will try again.
        """
        result = finish.result.restored()
        if finish.day is not None:
            score = packed(result)
            board = boards.of_daily(DailyId(finish.game, finish.day))
            await self._leaderboards.enter(board, finish.player, score)
        if finish.room is not None:
            await self._rooms.finish(finish.room, finish.deal, finish.player, result)
        await self._outboxes.drop_effect(finish.attempt)

    async def pass_deadline(self, due: Due, time: int) -> bool:
        """End a round or an attempt whose deadline, `time` in Unix milliseconds, has passed.

        Returns:
            Whether it is over now. If not, the caller's clock was wrong, and the deadline is yet to
            come.

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
            await self._outboxes.drop_due(due, time)
        return over
