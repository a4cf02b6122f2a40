"""Presence: which players are online in a room, and by way of which node.

Presence is asserted by the node that has the session. It is written to a hash in Redis, which other
nodes read when they begin to follow the room, and is void when the node no longer counts as alive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from server.core.ids import PlayerId, RoomCode
from server.core.refusal import UnavailableError
from server.service.store import Store
from server.service.work_queue import WorkQueue
from server.stop import Stop

WRITES_AT_ONCE = 100
"""Writes that are in flight together: never so many as to delay moves, however many sessions come
and go at once."""

AGAIN_AFTER = 1.0
"""Seconds before a write that failed is tried again."""

log = structlog.get_logger()


class RoomPresence:
    """Who is online in one room, as far as this node knows.

    Attributes:
        local: how many sessions of this node each player has in the room.
        nodes: the players who are online, and by way of which node; that node may be dead.
    """

    __slots__ = ("_changes", "_node", "local", "nodes")

    def __init__(self, node_id: str) -> None:
        self.local: dict[PlayerId, int] = {}
        self.nodes: dict[PlayerId, str] = {}
        self._node = node_id
        self._changes: dict[PlayerId, str | None] | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether anybody is online by way of another node."""
        return any(node != self._node for node in self.nodes.values())

    def online(self, is_alive: Callable[[str], bool]) -> set[PlayerId]:
        """Return the players who are online by way of a node that is alive."""
        return {player for player, node in self.nodes.items() if is_alive(node)}

    def enter(self, player: PlayerId) -> bool:
        """Count a session of this node; return whether it is the player's first one."""
        count = self.local.get(player, 0)
        self.local[player] = count + 1
        return count == 0

    def leave(self, player: PlayerId) -> bool:
        """Count a session less; return whether it was the player's last one."""
        self.local[player] -= 1
        if self.local[player] > 0:
            return False
        del self.local[player]
        return True

    def set_node(self, player: PlayerId, node: str | None) -> bool:
        """Set by way of which node a player is online, `None` for offline.

        Returns:
            Whether the player came online or went offline by this.
        """
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
        """Whether presence is being read from Redis."""
        return self._changes is not None

    def begin_read(self) -> None:
        """Keep the changes from now on: what is being read may not have them."""
        self._changes = {}

    def end_read(self) -> None:
        """Keep changes no longer."""
        self._changes = None

    def merge(self, read: dict[PlayerId, str]) -> list[PlayerId]:
        """Apply presence as it was read, with the changes since `begin_read`.

        Returns:
            The players whose presence in Redis is not what this node knows of its own sessions.
        """
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
    """The presence of this node's sessions, written to Redis."""

    def __init__(self, store: Store, node_id: str) -> None:
        self._store = store
        self._node = node_id
        self._rooms: dict[RoomCode, RoomPresence] = {}
        self._queue = WorkQueue(self._write, WRITES_AT_ONCE, 0)

    def follow(self, code: RoomCode) -> RoomPresence:
        """Return the presence of a room that this node begins to follow."""
        found = self._rooms[code] = RoomPresence(self._node)
        return found

    def unfollow(self, code: RoomCode) -> None:
        """Forget a room; what is still to be written of it is."""
        del self._rooms[code]

    def write_soon(self, code: RoomCode, player: PlayerId) -> None:
        """Write soon whether a player is online by way of this node, as it is by then."""
        self._queue.add((code, player))

    async def write_all(self, code: RoomCode) -> None:
        """Write who is online in a room by way of this node; failures are tried again later."""
        players = self._rooms[code].local if code in self._rooms else ()
        await asyncio.gather(*(self._write((code, player)) for player in players))

    async def read(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return who is online in a room, and by way of which node, as it stands in Redis.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._store.rooms.present(code)

    async def run(self, stop: Stop) -> None:
        """Write what has changed until told to stop, and then what is left."""
        await self._queue.run(stop)
        await self._queue.finish()

    async def _write(self, who: tuple[RoomCode, PlayerId]) -> None:
        code, player = who
        room = self._rooms.get(code)
        online = room is not None and player in room.local
        write = self._store.rooms.enter if online else self._store.rooms.leave
        try:
            await write(code, player, self._node)
        except UnavailableError as error:
            log.warning("presence_not_written", room=code, error=str(error))
            asyncio.get_running_loop().call_later(AGAIN_AFTER, self._queue.add, who)
