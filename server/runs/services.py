"""The services of runs."""

from __future__ import annotations

from typing import TypeAlias

from server.foundation import Setup
from server.request import C_co, NodeRequest
from server.rooms.services import RoomServices
from server.runs.closed_deals import ClosedDeals
from server.runs.preview import of_deal, of_run
from server.runs.runs import Runs


class RunServices(RoomServices):
    """The public runs of closed deals."""

    closed_deals: ClosedDeals

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.closed_deals = ClosedDeals(
            self.deal_store, self.rooms, self.attempts, clock=self.clock
        )
        self.runs = Runs(
            self.closed_deals,
            self.attempts,
            self.rooms,
            leaderboards=self.leaderboards,
            profiles=self.profiles,
        )
        self.screens["run"] = of_run
        self.screens["deal"] = of_deal


Request: TypeAlias = NodeRequest[C_co, RunServices]
"""A command and the services that execute it."""
