"""The services of attempts."""

from __future__ import annotations

from functools import partial
from typing import Protocol, TypeAlias

from server.base.core.ids import AttemptId, PlayerId
from server.deals.services import DealServices
from server.foundation import Setup
from server.play.answers import Snapshot
from server.play.attempts import Attempts
from server.play.core.finish import Finish
from server.play.core.keys import AttemptDue
from server.play.finishes import Finishes
from server.play.holding_feed import HoldingFeed
from server.play.mirrors import Mirrors
from server.play.searcher import Searcher
from server.play.searches import Searches
from server.play.verification import check_attempt
from server.players.services import PlayerServices
from server.request import C_co, NodeRequest


class Rounds(Protocol):
    """The attempts of rounds, which start with their first opening."""

    async def open_attempt(self, attempt: AttemptId, player: PlayerId) -> Snapshot:
        """Return a player's attempt, which may belong to a round."""
        ...


class PlayServices(DealServices, PlayerServices):
    """Attempts, from their start to their finish.

    Attributes:
        rooms: provided by the wing of rooms.
        holding: which of a player's sessions holds an attempt, while the others mirror it.
    """

    rooms: Rounds

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.attempts = Attempts(
            self.metrics.lookups,
            journals=self.journal_store,
            deals=self.deal_store,
            clock=self.clock,
        )
        self.metrics.attempts = lambda: self.attempts.size
        self.journal_check.add(self.attempts.used)
        self.attempts.finished.subscribe(self.outbox.enqueue)
        self.outbox.on_due(AttemptDue, self.attempts.pass_deadline)
        self.finishes = Finishes(self.attempts)
        self.outbox.on(Finish, self.finishes.apply)
        self.mirrors = Mirrors(self.attempts, self.sessions, self.node_bus)
        self.searches = Searches(self.attempts, self.mirrors, Searcher(), self.background)
        self.holding = HoldingFeed(
            self.attempts,
            self.mirrors,
            self.sessions,
            self.node_bus,
            self.clock,
            self.background,
            self.hub,
        )
        self.checks["attempt"] = partial(check_attempt, self.deal_checks)
        self.lasting["attempt"] = True

    async def close(self) -> None:
        """Also wait for searches, and for messages about attempts."""
        await self.searches.close()
        await super().close()
        await self.mirrors.close()


Request: TypeAlias = NodeRequest[C_co, PlayServices]
"""A command and the services that execute it."""
