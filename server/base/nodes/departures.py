"""Departures: removing the data left behind by dead nodes.

A node that ends removes the sessions and presence of its players from the store. After a node has
been killed, they no longer count once its registration has expired, and another node removes them
here. The store lists the nodes that may have left data, so a further node continues if the removing
one dies.

This takes some round trips for a node without data, and one for each room and player of a killed
node, `BATCH` at a time: 10,000 players take half a minute.
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

READ = 64  # partitions whose notes are read in a round trip

# Rooms and players cleared at the same time, and seconds until the next ones.
BATCH, PAUSE = 64, 0.05

log = structlog.get_logger()


class Departures:
    """Removes data left behind by dead nodes."""

    def __init__(self, held: HeldStore, registration: Registration, background: Background) -> None:
        self._held = held
        self._registration = registration
        self._stop = background.stop
        self._missing: set[str] = set()
        self._removals: WorkerPool[str] = WorkerPool(background, "departures", self._remove, size=1)
        registration.listed.subscribe(self._listed)

    def _listed(self, holders: list[str]) -> None:
        """Start the removal for nodes that are missing twice in a row."""
        here = [node for node in holders if self._registration.is_alive(node)]
        missing = set(holders).difference(here)
        # Once is not enough: after a long outage of the store, all registrations have expired, and
        # are about to be renewed.
        gone, self._missing = missing & self._missing, missing
        # One removing node is enough. If it dies, the next list selects another one.
        if gone and min(here) == self._registration.id:
            for node in sorted(gone):
                self._removals.add(node)

    async def _remove(self, node: str) -> None:
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
