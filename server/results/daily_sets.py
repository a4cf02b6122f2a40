"""A node's cached view of the daily sets: stored when a day starts, re-read once a minute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.catalog import games, in_order
from server.base.work.clock import Clock
from server.results.core import daily_sets
from server.results.daily_sets_store import DailySetStore

CURRENT_FOR_MS = 60_000
"""How long a node relies on its last read, in milliseconds."""


class DailySets:
    """Looks up the games that were dailies on each day. The store is read only on demand.

    Attributes:
        known: the sets as last read.

    Args:
        store: the store of the sets.
        clock: the store's clock.
        usual: the ids of the games assumed for all days while no set is stored.
    """

    def __init__(self, store: DailySetStore, clock: Clock, usual: Iterable[str]) -> None:
        self._store = store
        self._clock = clock
        self._read_at: int | None = None
        self._usual = ((0, daily_sets.by_crown(frozenset(usual))),)
        self.known = daily_sets.DailySets(self._usual)

    async def load(self) -> daily_sets.DailySets:
        """Return the sets of all days, reading them at most once a minute."""
        now = self._clock.now()
        # If the clock was set back, read again.
        if self._read_at is None or not self._read_at <= now < self._read_at + CURRENT_FOR_MS:
            return await self.read()
        return self.known

    async def ever(self) -> list[str]:
        """Return the ids of all games that were ever dailies, in the order of games.

        Earlier releases stored no sets. Until one is stored, return all games.
        """
        sets = await self.load()
        return in_order(sets.ever if sets.fixed >= 0 else games())

    async def read(self) -> daily_sets.DailySets:
        """Read and return the sets of all days."""
        now = self._clock.now()
        found = await self._store.read()
        self.known = found if found.changes else replace(found, changes=self._usual)
        self._read_at = now
        return self.known

    async def fix(self, day: int, games: Iterable[str]) -> daily_sets.DailySets:
        """Store a day's set unless another node has, and return the sets of all days.

        Args:
            day: the number of the day.
            games: the ids of the day's games.
        """
        await self._store.fix(day, daily_sets.by_crown(frozenset(games)))
        return await self.read()
