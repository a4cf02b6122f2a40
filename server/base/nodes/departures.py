"""Departures: removing what nodes have left behind that are gone.

A node that ends takes back what it has stored of its players' sessions and presence. Of one that
was killed, it is not counted any more when the node is not registered, and removed here, by one of
the others. The store says of which nodes there may be something, so another node goes on if that
one dies.

It takes some round trips for a node that has left nothing, and one for each room and player of one
that was killed, `BATCH` at a time: 10,000 players take half a minute.
"""

from __future__ import annotations

import asyncio
from itertools import islice

import structlog

from server.base.core.keys import PARTITIONS
from server.base.nodes.held_store import HeldStore
from server.base.nodes.registration import Registration
from server.base.work.background import Background
from server.base.work.tasks import finish_all
from server.base.work.worker_pool import WorkerPool

READ = 64
"""Partitions whose notes are read in a round trip."""

BATCH, PAUSE = 64, 0.05
"""Rooms and players that are cleared at the same time, and seconds until the next ones."""

log = structlog.get_logger()


class Departures:
    """Removes what nodes have left behind."""

    def __init__(self, held: HeldStore, registration: Registration, background: Background) -> None:
        self._held = held
        self._registration = registration
        self._stop = background.stop
        self._missing: set[str] = set()
        self._removals: WorkerPool[str] = WorkerPool(background, "departures", self._remove, size=1)
        registration.listed.subscribe(self._listed)

    def _listed(self, holders: list[str]) -> None:
        """Remove what those nodes have left which are missing twice in a row.

        After a long outage of the store, all registrations have expired, and are renewed now.
        """
        here = [node for node in holders if self._registration.is_alive(node)]
        missing = set(holders).difference(here)
        gone, self._missing = missing & self._missing, missing
        # One node is enough. Were it to die, it would be another one's turn with the next list.
        if gone and min(here) == self._registration.id:
            for node in sorted(gone):
                self._removals.add(node)

    async def _remove(self, node: str) -> None:
        """Remove what a node has left; no more if it comes back meanwhile."""
        await self._held.begin_removal(node)
        removed = 0
        for first in range(0, PARTITIONS, READ):
            for number, notes in await self._held.notes(node, range(first, first + READ)):
                left = iter(notes)
                while batch := list(islice(left, BATCH)):
                    if self._stop.is_set or self._registration.is_alive(node):
                        return
                    await finish_all(self._held.remove(node, number, note) for note in batch)
                    removed += len(batch)
                    await self._stop.or_wait(asyncio.sleep(PAUSE))
        await self._held.end_removal(node)
        log.info("node_cleared", name=node, entries=removed)
