"""The store as the services use it: repositories by kind of data, and the clock."""

from __future__ import annotations

from dataclasses import dataclass

from server.store.clock import Clock
from server.store.database import Database
from server.store.deals import Deals
from server.store.journal import Journals
from server.store.leaderboards import Leaderboards
from server.store.nodes import Nodes
from server.store.outbox import Outboxes
from server.store.players import Players
from server.store.rooms import Rooms
from server.store.sweepers import Sweepers


@dataclass(frozen=True, slots=True)
class Store:
    """A node's access to everything that is kept in Redis."""

    clock: Clock
    journals: Journals
    deals: Deals
    players: Players
    leaderboards: Leaderboards
    outboxes: Outboxes
    rooms: Rooms
    nodes: Nodes
    sweepers: Sweepers

    @classmethod
    def on(cls, database: Database, clock: Clock) -> Store:
        """Return the store on a database connection."""
        return cls(
            clock,
            Journals(database),
            Deals(database),
            Players(database),
            Leaderboards(database),
            Outboxes(database),
            Rooms(database),
            Nodes(database),
            Sweepers(database),
        )
