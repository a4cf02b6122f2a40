"""Curves of dailies: loading them, and the counts that a run adds."""

from __future__ import annotations

import asyncio

from engine.catalog import games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.core.machine import PAUSE_EVERY
from server.base.journals.reader import rules_of
from server.base.work.clock import Clock
from server.play.attempts import Attempts
from server.play.core.run import Run
from server.results.core import boards, curve
from server.results.core.curve import DailyCurves
from server.results.leaderboards_store import LeaderboardStore


class Curves:
    """Loads the curves of dailies, and computes what a run adds to them."""

    def __init__(
        self,
        store: LeaderboardStore,
        attempts: Attempts,
        *,
        clock: Clock,
    ) -> None:
        self._store = store
        self._attempts = attempts
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

    async def of_run(self, run: Run) -> tuple[str, ...]:
        """Return the counts that a run adds to its day's curves.

        This takes about a microsecond per move. In a game whose complete runs leave by themselves,
        the run is replayed: a lookup of its deal and 3 µs per move, 12 ms for the longest run, in
        slices of 0.3 ms. Players pay for it when they start (`server.dailies.handlers`).

        Raises:
            UnreadableError: if this release does not know the run's rules.
        """
        start = run.start
        rules = rules_of(start.game, start.variant, start.rules)
        if not rules.automatic:
            return curve.fields_of(run, curve.homes_of(run, rules))
        board = await self._attempts.first_board(run)
        # The deal is missing only if the store has lost it.
        if board is None:
            return ()
        homes = []
        for number, home in enumerate(curve.replayed_homes(run, board), 1):
            homes.append(home)
            if number % PAUSE_EVERY == 0:
                await asyncio.sleep(0)
        return curve.fields_of(run, homes)
