"""Registration: a node's heartbeat in Redis, and the list of the nodes that are alive.

Other registrations of a node, such as the presence of its sessions in rooms, are not renewed on
their own: they are valid for as long as the node counts as alive.
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

RENEW_EVERY = 5.0
"""Seconds between two heartbeats."""

log = structlog.get_logger()


def form_of(name: str) -> int:
    """Return the newest format of the store that a node reads, by the name that is registered."""
    return int(name.rpartition("#")[0].rpartition("/")[2])


class Registration:
    """Keeps one node registered as alive, and knows which nodes are.

    Attributes:
        id: of this node; random (8 hexadecimal digits) unless given to the constructor, since a
            restarted node may get the same port.
        port: the port that this node listens on, or 0 before it does.
        changed: emitted with the ids of the nodes that have joined, and of those that have left.
        lapsed: emitted when others have counted this node as gone, or the store has lost that it is
            there: what ends with it has to be stored again.
        listed: emitted with the ids of all nodes that may have stored something which ends with
            them, after each renewal.
    """

    def __init__(self, nodes: NodeStore, held: HeldStore, node_id: str | None = None) -> None:
        self.id = node_id or secrets.token_hex(4)
        self.port = 0
        self.changed: Signal[set[str], set[str]] = Signal()
        self.lapsed: Signal[()] = Signal()
        self.listed: Signal[list[str]] = Signal()
        self._nodes = nodes
        self._held = held
        self._is_listed = False
        self._lapses = 0
        self._alive = {self.id}
        self._missing: set[str] = set()

    @property
    def name(self) -> str:
        """This node as it is registered: `host:port/form#id`."""
        return f"{socket.gethostname()}:{self.port}/{NEWEST}#{self.id}"

    @property
    def alive(self) -> list[str]:
        """The ids of the nodes that count as alive, sorted."""
        return sorted(self._alive)

    def is_alive(self, node_id: str) -> bool:
        """Return whether a node counts as alive, by the last list and later messages."""
        return node_id in self._alive

    def note_alive(self, node_id: str) -> None:
        """Count a node as alive that has published a message, though it may not be listed yet."""
        self._alive.add(node_id)
        self._missing.discard(node_id)

    def run_in(self, background: Background) -> None:
        """Have the registration renewed by the node's background work, and removed at its end."""
        background.forever("registration", self.renew, every=RENEW_EVERY, finish=self.drop)

    async def renew(self) -> None:
        """Renew the registration, and learn which nodes are alive.

        Raises:
            UnavailableError: the store does not answer. The other nodes cannot renew theirs either,
                so none is counted as dead for that.
        """
        names = await self._nodes.renew(self.name)
        self._update(name.rpartition("#")[2] for name in names)
        was_listed, holders = await self._held.register(self.id)
        if self._is_listed and not was_listed:
            # What is stored again at once may be removed by a batch in flight: so do it twice.
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
        """Update which nodes are alive from the list of those that are registered.

        A node counts as dead when it is missing from two lists in a row: after a long outage of
        Redis all registrations have expired, and the other nodes are about to renew theirs.
        """
        listed = {*node_ids, self.id}
        joined, missing = listed - self._alive, self._alive - listed
        left = missing & self._missing
        self._missing = missing - left
        self._alive = (self._alive | listed) - left
        if joined or left:
            log.info("nodes_changed", joined=sorted(joined), left=sorted(left))
            self.changed.emit(joined, left)
