"""The list of dailies: the games on the operator's list, and those that are settled for a day.

Which games are dailies is settled when the day begins, by the node that asks first: those whose
deals are drawn by then, and those on its list. So what is announced is played, and nodes that were
started with different lists deal the same games. Until then each node draws the deals of its own
list: a game that is added is a daily from the next day on, and one that is taken off the list still
is on the days that are drawn. See `server/decisions/0036-a-days-set-is-settled-at-midnight.md`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence

from engine.catalog import games, in_order
from server.base.core import days as daily
from server.base.core.days import DailyId
from server.deals.store import DealStore
from server.results.daily_sets import DailySets

EARLIER = daily.DRAWN_AHEAD
"""Days before the first one that is settled of which the deals are looked for."""


class DailyList:
    """Knows which games are dailies, and settles that for each day.

    Attributes:
        games: the ids of those on the operator's list, in the order in which games are offered.

    Args:
        sets: those of the days that are settled.
        deals: tell which are drawn.
        wanted: the ids of the games on the operator's list.
    """

    def __init__(self, sets: DailySets, deals: DealStore, wanted: Container[str]) -> None:
        self.games = in_order(wanted)
        self._sets = sets
        self._deals = deals
        self._settling = asyncio.Lock()

    def wanted(self, day: int) -> list[DailyId]:
        """Return the dailies of a day if they are settled, or else those that are to be drawn."""
        sets = self._sets.known
        return _dailies_of(day, sets.of(day) if day <= sets.fixed else self.games)

    async def of(self, day: int) -> list[DailyId]:
        """Return the dailies of a day that has begun; they are settled if no node has done so.

        Only the first call on a day reads the store.
        """
        if day > self._sets.known.fixed:
            async with self._settling:
                if day > self._sets.known.fixed:
                    await self._settle(day)
        return self.wanted(day)

    async def possible(self, days: Sequence[int]) -> list[DailyId]:
        """Return the dailies of some days; of those that are not settled, one of each game."""
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
        # Earlier releases settled nothing: the first set is that of their days, and today's goes on
        # to be the one with which the day began.
        earlier = {each.game for each in drawn if each.day < day}
        announced = {each.game for each in drawn if each.day == day}
        await self._sets.fix(day, announced | (earlier or set(self.games)))


def _dailies_of(day: int, of: Container[str]) -> list[DailyId]:
    """Return the dailies of some games on a day, in the order in which games are offered."""
    return [DailyId(game, day) for game in in_order(of)]
