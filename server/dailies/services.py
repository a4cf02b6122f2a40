"""The services of dailies."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from server.dailies.archive import Archive
from server.dailies.dailies import Dailies
from server.dailies.daily_list import DailyList
from server.dailies.day_results import add_result
from server.dailies.preview import of_daily, of_day
from server.dailies.retention import Retention
from server.dailies.store import StartStore
from server.dailies.trimmed_days_store import TrimmedDayStore
from server.deals.pool_filling import PoolFilling
from server.foundation import Setup
from server.request import C_co, NodeRequest
from server.results.services import ResultServices

ARCHIVE = "archive"
"""Folder of the archive in the node's data directory."""


class DailyServices(ResultServices):
    """The deals of each day, and their archive."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        settings, certify = setup.settings, setup.settings.certify
        self.start_store = StartStore(setup.database)
        self.trimmed_store = TrimmedDayStore(setup.database)
        self.daily_list = DailyList(self.daily_sets, self.deal_store, self.listed_dailies)
        self.dailies = Dailies(
            self.attempts,
            self.keyring,
            self.address_hashes,
            self.quotas,
            deals=self.deal_store,
            pools=self.pool_store,
            starts=self.start_store,
            leaderboards=self.leaderboard_store,
            histories=self.history_store,
            daily_list=self.daily_list,
            clock=self.clock,
            background=self.background,
            ranked_starts=settings.ranked_starts,
            fills_pools=certify,
        )
        games = self.daily_list.games
        for game in games:
            self.metrics.pool_deals[game] = partial(self._pooled, game)
        self._filling = (
            PoolFilling(self.pool_store, self.background, self.metrics, games) if certify else None
        )
        self.archive = Archive(
            self.attempts,
            self.dailies,
            self.daily_list,
            setup.folder and setup.folder / ARCHIVE,
            leaderboards=self.leaderboard_store,
            trimmed=self.trimmed_store,
            clock=self.clock,
        )
        self.retention = Retention(
            self.archive,
            self.registration,
            self.memory,
            self.background,
            journals=self.journal_store,
            trimmed=self.trimmed_store,
            clock=self.clock,
            keep_days=settings.keep_days,
        )
        self.finishes.applied.subscribe(partial(add_result, self.histories, self.curves))
        self.screens["daily"] = of_daily
        self.screens["archive"] = of_day

    def _pooled(self, game: str) -> int:
        """Return the number of certified deals in a game's pool, as last read."""
        return self.dailies.pooled.get(game, 0)

    async def prepare(self) -> None:
        """Also draw the dailies of the next days."""
        await super().prepare()
        if self._filling is not None:
            await self._filling.fill_first()
        await self.dailies.draw_ahead()

    async def close(self) -> None:
        """Also wait for files of the archive."""
        await self.archive.close()
        await super().close()


Request: TypeAlias = NodeRequest[C_co, DailyServices]
"""A command and the services that execute it."""
