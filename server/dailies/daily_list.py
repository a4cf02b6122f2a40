"""The list of dailies: the operator's list of games, and the settled set for each day.

The set of dailies is settled at the start of a day, by the first node that needs it: the games with
drawn deals, and the games on that node's list. Before that, each node draws the deals for its own
list: an added game is a daily from the next day on, and a removed one remains a daily on days that
are already drawn. See `server/decisions/0036-a-days-set-is-settled-at-midnight.md`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence

from engine.catalog import games, in_order
from server.base.core import days as daily
from server.base.core.days import DailyId
from server.deals.store import DealStore
from server.results.core.daily_sets import CrownSets, by_crown
from server.results.daily_sets import DailySets

EARLIER = daily.DRAWN_AHEAD  # days before the first settled one that are searched for deals


class DailyList:
    """Decides which games are dailies, and settles that for each day."""

    def __init__(self, sets: DailySets, deals: DealStore, wanted: Container[str]) -> None:
        self.games = in_order(wanted)  # the ids on the operator's list, in menu order
        self._sets = sets
        self._deals = deals
        self._settling = asyncio.Lock()

    def wanted(self, day: int) -> list[DailyId]:
        """Return the dailies of a settled day, or the dailies to draw for another day."""
        sets = self._sets.known
        return _dailies_of(day, sets.of(day) if day <= sets.fixed else self.games)

    async def of(self, day: int) -> list[DailyId]:
        """Return the dailies of a day that has started; settle them if no node has."""
        if day > self._sets.known.fixed:
            async with self._settling:
                if day > self._sets.known.fixed:
                    await self._settle(day)
        return self.wanted(day)

    def crowns(self, day: int) -> CrownSets:
        """Return the dailies of a settled day, or those to draw for another day, by crown."""
        sets = self._sets.known
        return sets.crowns_of(day) if day <= sets.fixed else by_crown(self.games)

    async def possible(self, days: Sequence[int]) -> list[DailyId]:
        """Return the dailies of some days; for days that are not settled, one for every game."""
        sets = await self._sets.load()
        return [
            each
            for day in days
            for each in _dailies_of(day, sets.of(day) if day <= sets.fixed else games())
        ]

    async def _settle(self, day: int) -> None:
        sets = await self._sets.read()
        if day <= sets.fixed:
            return
        days = [day] if sets.fixed >= 0 else range(day - EARLIER, day + 1)
        drawn = await self._deals.daily_ids(
            [each for at in days for each in _dailies_of(at, games())]
        )
        # Earlier releases settled nothing: the first set covers their days, and today keeps the set
        # of its start.
        earlier = {each.game for each in drawn if each.day < day}
        announced = {each.game for each in drawn if each.day == day}
        await self._sets.fix(day, announced | (earlier or set(self.games)))


def _dailies_of(day: int, of: Container[str]) -> list[DailyId]:
    return [DailyId(game, day) for game in in_order(of)]
