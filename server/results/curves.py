"""Curves of dailies: loading them, and the counts that a run adds."""

from __future__ import annotations

from engine.catalog import games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.reader import rules_of
from server.base.work.clock import Clock
from server.play.core.run import Run
from server.results.core import boards, curve
from server.results.core.curve import DailyCurves
from server.results.leaderboards_store import LeaderboardStore


class Curves:
    """Loads the curves of dailies."""

    def __init__(
        self,
        store: LeaderboardStore,
        *,
        clock: Clock,
    ) -> None:
        self._store = store
        self._clock = clock

    async def load(self, daily_id: DailyId) -> DailyCurves:
        """Return the curves of a daily, with one read of up to about 2,000 counts.

        Raises:
            Refusal: if the game is unknown, or the day is in the future.
        """
        if daily_id.game not in games():
            raise Refusal(BaseRefusals.unknown_game)
        if daily_id.day > days.day_at(self._clock.now()):
            raise Refusal(BaseRefusals.unknown_day)
        board = boards.of_daily(daily_id, "ranked")
        return curve.curves_of(await self._store.curves(board))


def curve_of(run: Run) -> tuple[str, ...]:
    """Return the counts that a run adds to its day's curves, in a few microseconds per move.

    Raises:
        UnreadableError: if this release does not know the run's rules.
    """
    start = run.start
    return curve.fields_of(run, rules_of(start.game, start.variant, start.rules))
