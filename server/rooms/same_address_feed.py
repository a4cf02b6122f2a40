"""Notifying hosts of players in their room who share an address.

Only the host is notified, and sharing an address is no proof of cheating: friends often do. Rooms
cost no read if the host has no session on this node, or is the only player.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from server.base.core.ids import RoomCode
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.rooms.core.same_address import Groups, groups
from server.rooms.feed import RoomFeeds
from server.rooms.live_rooms import LiveRooms
from server.rooms.messages import Neighbours
from server.rooms.room_addresses import RoomAddresses

CONCURRENCY = 200
"""Rooms checked concurrently."""

SETTLED = 0.5
"""Seconds between a room's change and its check: a player's address is written concurrently with
the broadcast of their arrival."""


class SameAddressFeed:
    """Notifies hosts on this node of groups at one address, after changes of their rooms."""

    def __init__(
        self, addresses: RoomAddresses, live: LiveRooms, background: Background, rooms: RoomFeeds
    ) -> None:
        self._addresses = addresses
        self._live = live
        self._rooms = rooms
        self._sent: WeakKeyDictionary[Session, tuple[RoomCode, Groups]] = WeakKeyDictionary()
        self._rooms_changed: WorkerPool[RoomCode] = WorkerPool(
            background, "neighbours", self._send_groups, size=CONCURRENCY
        )
        self._live.changed.subscribe(self._changed)

    def _changed(self, code: RoomCode) -> None:
        room = self._live.state(code)
        if room is None or (room.round is None and len(room.seats) <= 1):
            # Nobody shares an address with anybody.
            return
        if not self._rooms_changed.is_scheduled(code):
            self._rooms_changed.schedule(code, SETTLED)

    def _hosts(self, code: RoomCode) -> list[Session]:
        """Return the sessions of a room's host that are subscribed to it."""
        audience, room = self._rooms.audience(code), self._live.state(code)
        if audience is None or room is None or room.host is None:
            return []
        return [each for each in audience.marks if each.player == room.host]

    async def _send_groups(self, code: RoomCode) -> None:
        live = self._live.known(code)
        if live is None or not self._hosts(code) or len(live.players) == 1:
            return
        found = groups(live.room, await self._addresses.in_room(code))
        for session in self._hosts(code):
            # A host who has not been notified yet is only notified if there are groups.
            if self._sent.get(session, (code, ())) != (code, found):
                session.send(Neighbours(code, [list(group) for group in found]), ("place", code))
            self._sent[session] = code, found
