"""Registration: a node says again and again that it is alive, and hears which others are.

What a node says about its sessions (who is present in a room) needs no renewal of its own: it
counts for as long as the node does.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Iterable

import structlog

from server.core.refusal import UnavailableError
from server.service.signal import Signal
from server.service.store import Store
from server.stop import Stop

RENEW_EVERY = 5.0
"""Seconds between two signs of life."""

log = structlog.get_logger()


class Registration:
    """One node's entry among those that are alive, and those that are.

    Attributes:
        id: random, since a port is used again.
        port: the port that it listens on, once it does.
        changed: emitted with the ids of the nodes that have come, and of those that are gone.
    """

    def __init__(self, store: Store) -> None:
        self.id = secrets.token_hex(4)
        self.port = 0
        self.changed: Signal[set[str], set[str]] = Signal()
        self._store = store
        self._alive = {self.id}
        self._missing: set[str] = set()

    @property
    def name(self) -> str:
        """The machine, the port and the id."""
        return f"{socket.gethostname()}:{self.port}#{self.id}"

    def is_alive(self, node_id: str) -> bool:
        """Return whether a node counts as alive, as far as this one knows."""
        return node_id in self._alive

    def note_alive(self, node_id: str) -> None:
        """Note that a node has just said something, though it may not have been listed yet."""
        self._alive.add(node_id)
        self._missing.discard(node_id)

    async def run(self, stop: Stop) -> None:
        """Renew the entry until told to stop, and then withdraw it."""
        while not stop.is_set:
            try:
                names = await self._store.nodes.renew(self.name)
            except UnavailableError as error:
                # Nor can the others have renewed theirs: nothing follows from that.
                log.warning("registration_failed", error=str(error))
            else:
                self._listed(name.rpartition("#")[2] for name in names)
            await stop.or_wait(asyncio.sleep(RENEW_EVERY))
        try:
            await self._store.nodes.drop(self.name)
        except UnavailableError as error:
            log.warning("registration_lingers", error=str(error))

    def _listed(self, node_ids: Iterable[str]) -> None:
        """Take the list of the nodes that are alive.

        One that is missing counts as dead when it is missing the next time as well: after Redis was
        away for long, every entry has expired, and the others are about to renew theirs.
        """
        listed = {*node_ids, self.id}
        come, missing = listed - self._alive, self._alive - listed
        gone = missing & self._missing
        self._missing = missing - gone
        self._alive = (self._alive | listed) - gone
        if come or gone:
            log.info("nodes_changed", come=sorted(come), gone=sorted(gone))
            self.changed.emit(come, gone)
