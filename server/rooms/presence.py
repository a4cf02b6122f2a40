"""Presence: the players who are online in a room, and their nodes.

The node of a player's session writes its presence to a hash in Redis. Other nodes read the hash
when they start following the room, and ignore entries of dead nodes.
"""

from __future__ import annotations

from collections.abc import Callable

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.rooms.store import Entered, RoomStore

CONCURRENT_WRITES = 100
"""Concurrent writes, limited so that a burst of sessions does not delay moves."""


class RoomPresence:
    """The members who are online in one room, as far as this node knows.

    Attributes:
        local: number of sessions on this node by player.
        nodes: each player's node id; the node may be dead.
    """

    __slots__ = ("_changes", "_node", "local", "nodes")

    def __init__(self, node_id: str) -> None:
        self.local: dict[PlayerId, int] = {}
        self.nodes: dict[PlayerId, str] = {}
        self._node = node_id
        self._changes: dict[PlayerId, str | None] | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether a player is online on another node."""
        return any(node != self._node for node in self.nodes.values())

    def online(self, is_alive: Callable[[str], bool]) -> set[PlayerId]:
        """Return the players who are online on a node that is alive."""
        return {player for player, node in self.nodes.items() if is_alive(node)}

    def add_session(self, player: PlayerId) -> bool:
        """Add a session on this node, and return whether it is the player's first one here."""
        count = self.local.get(player, 0)
        self.local[player] = count + 1
        return count == 0

    def remove_session(self, player: PlayerId) -> bool:
        """Remove a session on this node, and return whether it was the player's last one here."""
        self.local[player] -= 1
        if self.local[player] > 0:
            return False
        del self.local[player]
        return True

    def set_node(self, player: PlayerId, node: str | None) -> bool:
        """Set a player's node; `None` for offline.

        Returns:
            Whether the player has come online or gone offline.
        """
        # A read in progress may miss this change; see `merge`.
        if self._changes is not None:
            self._changes[player] = node
        known = player in self.nodes
        if node is None:
            self.nodes.pop(player, None)
        else:
            self.nodes[player] = node
        return known != (player in self.nodes)

    @property
    def is_reading(self) -> bool:
        """Whether a read is in progress."""
        return self._changes is not None

    def begin_read(self) -> None:
        """Record changes from now on, since the read may miss them."""
        self._changes = {}

    def end_read(self) -> None:
        """Stop recording changes."""
        self._changes = None

    def merge(self, read: dict[PlayerId, str]) -> list[PlayerId]:
        """Replace `nodes` by the presence read from Redis, plus the changes since `begin_read`.

        `read` has node ids by player, as returned by `Presence.read`; it is modified.

        Returns:
            The players whose presence in Redis disagrees with the sessions on this node and must be
            rewritten.
        """
        # Changes received during the read are newer than its result.
        for player, node in (self._changes or {}).items():
            if node is not None:
                read[player] = node
            else:
                read.pop(player, None)
        stale = [
            player
            for player, node in read.items()
            if node == self._node and player not in self.local
        ]
        for player in stale:
            del read[player]
        missing = [player for player in self.local if player not in read]
        for player in missing:
            read[player] = self._node
        self.nodes = read
        return stale + missing


class Presence:
    """Writes the presence of this node's sessions to Redis, and reads the presence on all nodes."""

    def __init__(self, store: RoomStore, node_id: str, background: Background) -> None:
        self._store = store
        self._node = node_id
        self._rooms: dict[RoomCode, RoomPresence] = {}
        self._writes: WorkerPool[tuple[RoomCode, PlayerId]] = WorkerPool(
            background, "presence", self._write, size=CONCURRENT_WRITES, completes=True
        )

    def follow(self, code: RoomCode) -> RoomPresence:
        """Start following a room, and return its presence."""
        found = self._rooms[code] = RoomPresence(self._node)
        return found

    def unfollow(self, code: RoomCode) -> None:
        """Stop following a room; pending writes then mark its players as offline."""
        del self._rooms[code]

    def write_soon(self, code: RoomCode, player: PlayerId) -> None:
        """Enqueue a write of a player's presence on this node, evaluated when it is written."""
        self._writes.add((code, player))

    async def enter(self, code: RoomCode, player: PlayerId | None = None) -> Entered:
        """Write this node's players in a followed room, or only one of them, then read the room.

        Raises:
            UnavailableError: the store does not answer; unwritten players are written later.
        """
        players = list(self._rooms[code].local) if player is None else [player]
        try:
            return await self._store.enter(code, players, self._node)
        except UnavailableError:
            for each in players:
                self.write_soon(code, each)
            raise

    async def read(self, code: RoomCode) -> dict[PlayerId, str]:
        """Read the node ids, by player, of a room's online players from Redis."""
        return await self._store.present(code)

    async def _write(self, item: tuple[RoomCode, PlayerId]) -> None:
        code, player = item
        room = self._rooms.get(code)
        online = room is not None and player in room.local
        write = self._store.put_present if online else self._store.remove_present
        await write(code, player, self._node)
