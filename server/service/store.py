"""The store as the services use it: everything that is kept, and the clock."""

from __future__ import annotations

from dataclasses import dataclass

from server.store.clock import Clock
from server.store.deals import Deals
from server.store.journal import Journals
from server.store.leaderboards import Leaderboards
from server.store.outbox import Outboxes
from server.store.players import Players
from server.store.rooms import Rooms


@dataclass(frozen=True, slots=True)
class Store:
    """Everything that one node keeps in Redis."""

    clock: Clock
    journals: Journals
    deals: Deals
    players: Players
    leaderboards: Leaderboards
    outboxes: Outboxes
    rooms: Rooms
