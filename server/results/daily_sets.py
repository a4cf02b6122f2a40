"""The sets of dailies as nodes know them: stored when a day begins, and read once a minute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.catalog import games, in_order
from server.base.work.clock import Clock
from server.results.core import daily_sets
from server.results.daily_sets_store import DailySetStore

CURRENT_FOR_MS = 60_000
"""Milliseconds for which a node relies on what it has read."""


class DailySets:
    """Knows which games were dailies on which days; the store is read only if somebody asks.

    Attributes:
        known: the sets as they were read last.

    Args:
        store: of the sets.
        clock: the store's.
        usual: the ids of the games that count as the dailies of all days while no set is stored.
    """

    def __init__(self, store: DailySetStore, clock: Clock, usual: Iterable[str]) -> None:
        self._store = store
        self._clock = clock
        self._read_at: int | None = None
        self._usual = ((0, frozenset(usual)),)
        self.known = daily_sets.DailySets(self._usual)

    async def load(self) -> daily_sets.DailySets:
        """Return the sets of all days; they are read once a minute at most."""
        now = self._clock.now()
        if self._read_at is None or not self._read_at <= now < self._read_at + CURRENT_FOR_MS:
            return await self.read()
        return self.known

    async def ever(self) -> list[str]:
        """Return the ids of all games that have ever been dailies, in the order of games.

        While no set is stored, as none is by earlier releases, any game may have been one.
        """
        sets = await self.load()
        return in_order(sets.ever if sets.fixed >= 0 else games())

    async def read(self) -> daily_sets.DailySets:
        """Return the sets of all days as they are stored now."""
        now = self._clock.now()
        found = await self._store.read()
        self.known = found if found.changes else replace(found, changes=self._usual)
        self._read_at = now
        return self.known

    async def fix(self, day: int, games: Iterable[str]) -> daily_sets.DailySets:
        """Store the set of a day unless another node has, and return the sets of all days.

        Args:
            day: the number of the day.
            games: the ids of its games.
        """
        await self._store.fix(day, games)
        return await self.read()
