"""Telling hosts which players of their room are at the same place.

It is told to the host alone, and is no reproach: friends often play from one place. Nothing is read
for a room whose host has no session on this node, or is the only player.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

import structlog

from server.core.ids import RoomCode
from server.core.neighbours import Groups, groups
from server.core.refusal import UnavailableError
from server.gateway.messages.rooms import Neighbours
from server.gateway.rooms import RoomFeeds
from server.gateway.session import Session
from server.service.services import Services
from server.service.work_queue import WorkQueue
from server.stop import Stop

CONCURRENCY = 200
"""Rooms that are looked at together."""

SETTLED = 0.5
"""Seconds after which what has changed together in a room is looked at: a player's place is written
while others hear that the player is there."""

log = structlog.get_logger()


class NeighbourFeeds:
    """What the hosts on this node have been told; a room is looked at when it has changed."""

    def __init__(self, services: Services, rooms: RoomFeeds) -> None:
        self._places = services.places
        self._live = services.live
        self._rooms = rooms
        self._told: WeakKeyDictionary[Session, tuple[RoomCode, Groups]] = WeakKeyDictionary()
        self._changed: WorkQueue[RoomCode] = WorkQueue(self._tell, CONCURRENCY, 0)
        self._live.changed.subscribe(self._changed.add)

    async def run(self, stop: Stop) -> None:
        """Tell hosts of changes until stopped."""
        await self._changed.run(stop)

    def _hosts(self, code: RoomCode) -> list[Session]:
        """Return the sessions of a room's host that are subscribed to it."""
        feed, live = self._rooms.find(code), self._live.find(code)
        if feed is None or live is None:
            return []
        return [each for each in feed.last_sent if each.player == live.room.host]

    async def _tell(self, code: RoomCode) -> None:
        await asyncio.sleep(SETTLED)
        live = self._live.find(code)
        if live is None or not self._hosts(code) or len(live.players) == 1:
            return
        try:
            places = await self._places.in_room(code)
        except UnavailableError as error:
            # The next change of the room leads to another read.
            log.warning("neighbours_not_read", room=code, error=str(error))
            return
        found = groups(live.room, places)
        for session in self._hosts(code):
            if self._told.get(session, (code, ())) != (code, found):
                session.send(Neighbours(code, [list(group) for group in found]), ("place", code))
            self._told[session] = code, found
