"""Registration: a node's heartbeat in Redis, and the list of live nodes.

A node's other registrations, such as its sessions' presence in rooms, are not renewed separately:
they are valid while the node counts as alive.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterable

import structlog

from server.base.nodes.format_store import NEWEST
from server.base.nodes.held_store import HeldStore
from server.base.nodes.nodes_store import NodeStore
from server.base.work.background import Background
from server.base.work.signal import Signal

RENEW_EVERY = 5.0  # seconds between heartbeats

log = structlog.get_logger()


def form_of(name: str) -> int:
    """Return the newest store format that a node can read, from its registered name."""
    return int(name.rpartition("#")[0].rpartition("/")[2])


class Registration:
    """Keeps one node registered as alive, and tracks the live nodes."""

    def __init__(self, nodes: NodeStore, held: HeldStore, node_id: str | None = None) -> None:
        # This node's id; random (8 hexadecimal digits) unless given to the constructor, since a
        # restarted node may get the same port.
        self.id = node_id or secrets.token_hex(4)
        self.port = 0  # the port that this node listens on, or 0 before it does
        # Emitted with the ids of the nodes that have joined, and of those that have left.
        self.changed: Signal[set[str], set[str]] = Signal()
        # Emitted when other nodes have considered this node gone, or the store has lost its
        # registration: data bound to the node must be stored again.
        self.lapsed: Signal[()] = Signal()
        # Emitted after each renewal with the ids of all nodes that may have stored data bound to
        # them.
        self.listed: Signal[list[str]] = Signal()
        self._nodes = nodes
        self._held = held
        self._is_listed = False
        self._lapses = 0
        self._alive = {self.id}
        self._missing: set[str] = set()

    @property
    def name(self) -> str:
        """This node's registered name: `host:port/form#id`."""
        return f"{socket.gethostname()}:{self.port}/{NEWEST}#{self.id}"

    @property
    def alive(self) -> list[str]:
        """The ids of the live nodes, sorted."""
        return sorted(self._alive)

    def is_alive(self, node_id: str) -> bool:
        """Return whether a node counts as alive, by the last list and later messages."""
        return node_id in self._alive

    def note_alive(self, node_id: str) -> None:
        """Count a node as alive that has published a message, even if it is not listed yet."""
        self._alive.add(node_id)
        self._missing.discard(node_id)

    def run_in(self, background: Background) -> None:
        """Renew the registration as background work of the node, and remove it at the end."""
        background.forever("registration", self.renew, every=RENEW_EVERY, finish=self.drop)

    async def renew(self) -> None:
        """Renew the registration, and update the live nodes.

        Raises:
            UnavailableError: the store does not answer. No node is considered dead, since the
                others cannot renew their registrations either.
        """
        names = await self._nodes.renew(self.name)
        self._update(name.rpartition("#")[2] for name in names)
        was_listed, holders = await self._held.register(self.id)
        if self._is_listed and not was_listed:
            # A batch in flight may remove data that is stored again immediately, so store it twice.
            self._lapses = 2
            log.warning("registration_lapsed")
        self._is_listed = True
        if self._lapses:
            self._lapses -= 1
            self.lapsed.emit()
        self.listed.emit(holders)

    async def drop(self) -> None:
        """Remove the registration.

        Raises:
            UnavailableError: the store does not answer; the registration expires.
        """
        await self._nodes.drop(self.name)

    def _update(self, node_ids: Iterable[str]) -> None:
        """Update the live nodes from the list of registered nodes."""
        listed = {*node_ids, self.id}
        joined, missing = listed - self._alive, self._alive - listed
        # A node must be missing from two lists in a row: after a long outage of Redis, all
        # registrations have expired, and the other nodes are about to renew theirs.
        left = missing & self._missing
        self._missing = missing - left
        self._alive = (self._alive | listed) - left
        if joined or left:
            log.info("nodes_changed", joined=sorted(joined), left=sorted(left))
            self.changed.emit(joined, left)
