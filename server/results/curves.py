"""The curves of dailies: what a run adds to them, and reading them."""

from __future__ import annotations

from engine.catalog import games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import Refusal
from server.base.journals.reader import rules_of
from server.base.work.clock import Clock
from server.play.core.run import Run
from server.results.core import boards, curve
from server.results.core.curve import DailyCurves
from server.results.leaderboards_store import LeaderboardStore


class Curves:
    """How the runs at dailies went on."""

    def __init__(
        self,
        store: LeaderboardStore,
        *,
        clock: Clock,
    ) -> None:
        self._store = store
        self._clock = clock

    async def load(self, daily_id: DailyId) -> DailyCurves:
        """Return the curves of a daily, by one read of at most some 2,000 counts.

        Raises:
            Refusal: there is no such game, or the day is in the future.
        """
        if daily_id.game not in games():
            raise Refusal("unknown_game")
        if daily_id.day > days.day_at(self._clock.now()):
            raise Refusal("unknown_day")
        board = boards.of_daily(daily_id, "ranked")
        return curve.curves_of(await self._store.curves(board))


def curve_of(run: Run) -> tuple[str, ...]:
    """Return what a run adds to the curves of its day; it takes a few microseconds a move.

    Raises:
        UnreadableError: this release does not know the rules of the run.
    """
    start = run.start
    return curve.fields_of(run, rules_of(start.game, start.variant, start.rules))
