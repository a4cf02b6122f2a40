"""Emotes from a fixed list, which members of a room send each other.

They are not stored. An emote costs one frame, encoded once, one write per subscriber, and one bus
message if other nodes follow the room. Emotes are rate-limited per player, and per room on each
node.
"""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.net import limits
from server.base.net.budgets import PlayerBudget
from server.base.net.limits import Bucket
from server.base.wire import codec
from server.base.wire.session import Session
from server.rooms.core import commands
from server.rooms.feed import RoomAudience, RoomFeeds
from server.rooms.live_rooms import LiveRooms
from server.rooms.messages import Emoted
from server.rooms.rooms import Rooms


class Emotes:
    """Sends emotes of this node's sessions, and emotes from other nodes to its subscribers."""

    def __init__(self, all_rooms: Rooms, live: LiveRooms, rooms: RoomFeeds) -> None:
        self._all_rooms = all_rooms
        self._live = live
        self._rooms = rooms
        # Created at the first emote, and dropped with the player's budget.
        self._of_players: WeakKeyDictionary[PlayerBudget, Bucket] = WeakKeyDictionary()
        self._of_rooms: WeakKeyDictionary[RoomAudience, Bucket] = WeakKeyDictionary()
        live.emoted.subscribe(self._received)

    async def send(self, session: Session, code: RoomCode, emote: int) -> None:
        """Send an emote of a session's player to all subscribers of a room, on every node.

        The room is read only if no session of this node is subscribed to it.

        Raises:
            Refusal: there is no such room, the player has no seat in it, or the rate limit of the
                player or the room is exceeded.
        """
        player = session.player
        assert player is not None
        budget = session.payer.player
        of_player = self._of_players.get(budget)
        if of_player is None:
            of_player = self._of_players[budget] = Bucket(limits.EMOTES)
        # Limit the player before the room is read.
        if not of_player.take(time.monotonic()):
            raise Refusal(BaseRefusals.too_fast)
        room = self._live.state(code) or await self._all_rooms.load(code)
        commands.check_member(room, player)
        if not self._send_here(code, player, emote):
            raise Refusal(BaseRefusals.too_fast)
        self._live.publish_emote(code, player, emote)

    def _received(self, code: RoomCode, player: PlayerId, emote: int) -> None:
        """Send an emote from another node; it is dropped if the room's rate limit is exceeded."""
        self._send_here(code, player, emote)

    def _send_here(self, code: RoomCode, player: PlayerId, emote: int) -> bool:
        """Send an emote to the subscribers on this node.

        Slow subscribers, and those that wait for their first room state, are skipped.

        Returns:
            Whether the room's rate limit permits it; true if there is no subscriber.
        """
        audience = self._rooms.audience(code)
        if audience is None:
            return True
        of_room = self._of_rooms.get(audience)
        if of_room is None:
            of_room = self._of_rooms[audience] = Bucket(limits.ROOM_EMOTES)
        if not of_room.take(time.monotonic()):
            return False
        frame = codec.encode(Emoted(code, player, emote))
        for session, sent in audience.marks.items():
            if sent is not None and not session.behind:
                session.send_frame(frame)
        return True
