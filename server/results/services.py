"""The services of results."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol, TypeAlias

from engine.catalog import daily_games
from server.base.core.days import DailyId
from server.base.core.ids import DealId, PlayerId
from server.foundation import Setup
from server.play.services import PlayServices
from server.request import C_co, NodeRequest
from server.results.curves import Curves
from server.results.daily_sets import DailySets
from server.results.daily_sets_store import DailySetStore
from server.results.feed import LeaderboardFeeds
from server.results.histories import Histories
from server.results.histories_store import HistoryStore
from server.results.leaderboards import Leaderboards
from server.results.leaderboards_store import LeaderboardStore
from server.results.met_store import MetStore
from server.results.preview import of_leaderboard
from server.results.repaired_days import RepairedDays
from server.results.repaired_days_store import RepairedDayStore
from server.results.verification import HistoryCheck


class ClosedDeals(Protocol):
    """The deals whose results may be shown."""

    async def closed_of(self, daily: DailyId) -> DealId | None:
        """Return a daily's deal once it is closed, or `None`."""
        ...

    async def withheld(
        self, raced: Mapping[DealId, int], viewer: PlayerId | None
    ) -> frozenset[DealId]:
        """Return the deals of finished rounds whose results are hidden from a viewer."""
        ...


class ResultServices(PlayServices):
    """Histories, leaderboards and ratings.

    Attributes:
        closed_deals: provided by the wing of runs.
        leaderboard_feeds: sessions subscribed to leaderboards.
    """

    closed_deals: ClosedDeals

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        database, clock = setup.database, self.clock
        self.listed_dailies = setup.settings.daily_games or daily_games()
        self.daily_set_store = DailySetStore(database)
        self.daily_sets = DailySets(self.daily_set_store, clock, self.listed_dailies)
        self.history_store = HistoryStore(database)
        self.leaderboard_store = LeaderboardStore(database)
        self.met_store = MetStore(database)
        self.leaderboards = Leaderboards(
            self.leaderboard_store,
            self.bus,
            self.profiles,
            histories=self.history_store,
            met=self.met_store,
            clock=clock,
        )
        self.histories = Histories(
            self.history_store,
            self.player_store,
            self.leaderboards,
            lambda player: self.account_store.keep_for_good(player),  # noqa: PLW0108 - set later
            self.daily_sets,
        )
        self.curves = Curves(self.leaderboard_store, self.attempts, clock=clock)
        self.repaired_day_store = RepairedDayStore(database)
        self.repaired_days = RepairedDays(self.repaired_day_store, clock)
        self.leaderboard_feeds = LeaderboardFeeds(
            self.leaderboards, self.metrics, self.hub, self.background
        )
        self.screens["leaderboard"] = partial(of_leaderboard, self.leaderboards)
        history_check = HistoryCheck(self.history_store, self.leaderboard_store, clock)
        self.checks["history"] = history_check.check
        self.lasting["history"] = True


Request: TypeAlias = NodeRequest[C_co, ResultServices]
"""A command and the services that execute it."""
