"""Finishes of attempts; other wings subscribe to apply their effects."""

from __future__ import annotations

from server.base.core.ids import AttemptId
from server.base.work.signal import AsyncSignal
from server.play.attempts import Attempts
from server.play.core.finish import Finish
from server.play.core.run import Run


class FinishedRun:
    """The run of a finished attempt, read at the first request."""

    __slots__ = ("_attempt", "_attempts", "_run")

    def __init__(self, attempts: Attempts, attempt: AttemptId) -> None:
        self._attempts = attempts
        self._attempt = attempt
        self._run: Run | None = None

    async def load(self) -> Run | None:
        """Return the run, or `None` if the store has lost it."""
        if self._run is None:
            self._run = await self._attempts.run(self._attempt)
        return self._run


class Finishes:
    """Applies finishes."""

    def __init__(self, attempts: Attempts) -> None:
        # Emitted with each finish; its subscribers are awaited in order.
        self.applied: AsyncSignal[Finish, FinishedRun] = AsyncSignal()
        self._attempts = attempts

    async def apply(self, finish: Finish) -> None:
        """Apply a finish. This is idempotent."""
        await self.applied.emit(finish, FinishedRun(self._attempts, finish.attempt))
