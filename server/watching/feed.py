"""Sessions that watch rounds, and the fan-out of boards and moves to them.

Each journal entry is encoded once for all watchers of a round, live or delayed, and written at most
once to each. Entries are sent after the answer to the move and the room's counters, in slices of a
few milliseconds, between which moves are answered. Slow watchers are skipped, and get all boards
again when they have caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.base.wire import codec
from server.base.wire.feed import SLICE, Audience, Feed
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.tasks import in_timed_slices
from server.rooms.core.room import Room
from server.rooms.feed import RoomFeeds
from server.rooms.live_rooms import LiveRooms
from server.watching import present as watching_present
from server.watching.core import sight as core
from server.watching.core.refusals import WatchRefusals
from server.watching.core.sight import MAX_WATCHERS, Sight
from server.watching.messages import Watched
from server.watching.watching import WatchedEntry, Watching

MAX_WATCHING = 5_000
"""Maximum watching sessions on one node."""

MAX_UNSENT = 64
"""Maximum unsent frames of a room; beyond that, its watchers are sent all boards again."""

CATCH_UP_EVERY = 0.5
"""Seconds between checks whether slow watchers have caught up."""

CONCURRENCY = 200
"""Rooms whose watchers are served concurrently."""


class _Audience(Audience[int | None]):
    """The watchers of one room.

    A mark is the `watch_epoch` of the room key that the watcher presented, or `None`.

    Attributes:
        sights: each admitted watcher's sight of the round.
        renewed: watchers that need all boards.
        unsent: frames to send, with the sight of their recipients.
        decided: the room's version at the last decision of `sights`.
    """

    __slots__ = ("decided", "renewed", "sights", "unsent")

    def __init__(self) -> None:
        super().__init__()
        self.sights: dict[Session, Sight] = {}
        self.renewed: dict[Session, None] = {}
        self.unsent: deque[tuple[Sight, bytes]] = deque()
        self.decided = 0

    def remove(self, session: Session) -> None:
        """Remove a watcher, in constant time."""
        super().remove(session)
        self.sights.pop(session, None)
        self.renewed.pop(session, None)


class WatchFeeds(Feed[RoomCode, _Audience]):
    """All rooms with rounds watched by sessions of this node, which are subscribed to the room."""

    def __init__(
        self,
        watching: Watching,
        live: LiveRooms,
        metrics: Metrics,
        rooms: RoomFeeds,
        background: Background,
    ) -> None:
        super().__init__("watchers", rooms, background, concurrency=CONCURRENCY)
        self._watching = watching
        self._live = live
        self._rooms = rooms
        self._metrics = metrics
        self._metrics.watchers = lambda: len(self._topics)
        self._watching.moved.subscribe(self._moved)
        self._watching.renewed.subscribe(self._renewed)
        self._live.changed.subscribe(self._room_changed)

    def _unfollow(self, topic: RoomCode) -> None:
        if topic not in self._audiences:
            self._watching.unfollow(topic)

    def admit(self, session: Session, code: RoomCode) -> None:
        """Check the limits on watchers.

        Raises:
            Refusal: as `too_many_watchers`.
        """
        if self._topics.get(session) == code:
            return
        if len(self._topics) >= MAX_WATCHING or self.size(code) >= MAX_WATCHERS:
            raise Refusal(WatchRefusals.too_many_watchers)

    async def watch(self, session: Session, code: RoomCode, epoch: int | None) -> Watched:
        """Start watching the room that a session is subscribed to; return the current boards.

        The session misses no move between these boards and the moves sent from then on.

        `epoch` is the `watch_epoch` of the presented room key; `None` without a key.

        Raises:
            Refusal: the player cannot watch (any more), or there are too many watchers.
        """
        if self._rooms.topic_of(session) != code:
            # The session was removed from the room meanwhile, or has ended: nothing would stop it
            # later.
            raise Refusal(WatchRefusals.not_invited)
        self.admit(session, code)
        if self._topics.get(session) not in {None, code}:
            self.unsubscribe(session)
        audience = self._audiences.setdefault(code, _Audience())
        audience.marks[session] = epoch
        self._topics[session] = code
        self._watching.follow(code)
        try:
            room, seen = await self._decide(session, code, epoch)
            # Recording takes a round trip, so decide the sight again afterwards.
            while (deal := self._unrecorded_deal(room, {session: seen})) is not None:
                await self._watching.record_shown(deal)
                room, seen = await self._decide(session, code, epoch)
        except BaseException:
            if self._topics.get(session) == code:
                self.stop(session)
            raise
        audience.sights[session] = seen
        audience.renewed.pop(session, None)
        return self._boards(room, seen)

    async def _decide(
        self, session: Session, code: RoomCode, epoch: int | None
    ) -> tuple[Room, Sight]:
        """Return the room, and a session's sight of its round, once they are loaded."""
        await self._watching.wait_until_loaded(code)
        room = self._live.state(code)
        if room is None or self._topics.get(session) != code or session.player is None:
            # The session was removed from the room meanwhile, or has ended.
            raise Refusal(WatchRefusals.not_invited)
        return room, self._sight(room, session.player, epoch)

    def _sight(self, room: Room, player: PlayerId, epoch: int | None) -> Sight:
        """Return a player's sight of a room's round, given the epoch of the presented key.

        Raises:
            Refusal: as `core.sight`.
        """
        seen, round_ = core.sight(room, player, has_key=_is_current_key(room, epoch)), room.round
        if round_ is None or player in round_.players:
            return seen
        return "hidden" if self._watching.is_withheld(round_.deal) else seen

    def _unrecorded_deal(self, room: Room, sights: Mapping[Session, Sight]) -> DealId | None:
        """Return the deal of a room's round if showing it to others must still be recorded.

        It is about to be shown to a watcher who does not run in the round.

        This costs one look-up, and for a round that is new on this node, one per watcher.
        """
        round_ = room.round
        if round_ is None or self._watching.is_recorded(round_.deal):
            return None
        is_shown = any(
            seen != "hidden" and session.player not in round_.players
            for session, seen in sights.items()
        )
        return round_.deal if is_shown else None

    def stop(self, session: Session) -> None:
        """Stop watching; without a seat, also unsubscribe the session from the room."""
        if session in self._topics and self._rooms.is_seatless(session):
            # This emits `left`, which calls `unsubscribe`.
            self._rooms.unsubscribe(session)
        else:
            self.unsubscribe(session)

    def _boards(self, room: Room, seen: Sight) -> Watched:
        code = room.opened.code
        # The boards belong to the room's latest round, unless a new one has just started.
        matches = room.round is not None and room.round.deal == self._watching.deal(code)
        return watching_present.watched(
            room, seen, self._watching.boards(code, seen) if matches else []
        )

    def _room_changed(self, code: RoomCode) -> None:
        """Decide every watcher's sight again, before anything else is sent.

        This costs one decision per watcher for each entry of the room's journal.
        """
        audience, room = self._audiences.get(code), self._live.state(code)
        if audience is None or room is None or room.version == audience.decided:
            return
        audience.decided = room.version
        for session, before in list(audience.sights.items()):
            assert session.player is not None
            try:
                seen = self._sight(room, session.player, audience.marks[session])
            except Refusal as refusal:
                session.send(watching_present.watching_ended(room, refusal.code.name))
                self.stop(session)
                continue
            audience.sights[session] = seen
            if seen != before:
                audience.renewed[session] = None
        self._send_soon(code, audience)

    def _renewed(self, code: RoomCode) -> None:
        """Send all boards to all watchers of a room."""
        audience = self._audiences.get(code)
        if audience is not None:
            self._renew_all(code, audience)

    def _renew_all(self, code: RoomCode, audience: _Audience) -> None:
        audience.unsent.clear()
        audience.renewed = dict.fromkeys(audience.sights)
        self._send_soon(code, audience)

    def _moved(self, code: RoomCode, seen: Sight, entry: WatchedEntry) -> None:
        """Enqueue an entry for the watchers with this sight."""
        self._room_changed(code)
        audience = self._audiences.get(code)
        if audience is None or seen not in audience.sights.values():
            return
        if len(audience.unsent) >= MAX_UNSENT:
            self._renew_all(code, audience)
            return
        if not entry.frame:
            entry.frame = codec.encode(watching_present.watched_move(entry))
            self._metrics.watched += 1
        audience.unsent.append((seen, entry.frame))
        self._send_soon(code, audience)

    def _send_soon(self, code: RoomCode, audience: _Audience) -> None:
        if audience.renewed or audience.unsent:
            self._updates.add(code)

    async def _update(self, topic: RoomCode) -> None:
        """Send queued frames and boards, checking again before each that the watcher may see it."""
        # Yield first, so that the room's own update, scheduled earlier, is sent before.
        await asyncio.sleep(0)
        audience = self._audiences.get(topic)
        if audience is None:
            return
        while audience.unsent or any(not session.behind for session in audience.renewed):
            room = self._live.state(topic)
            deal = self._unrecorded_deal(room, audience.sights) if room is not None else None
            if deal is not None:
                await self._watching.record_shown(deal)
                # The round may now be withheld: decide that before sending anything.
                audience.decided = 0
                self._room_changed(topic)
            await self._send_boards(topic, audience)
            if audience.unsent:
                await self._send_frame(audience, *audience.unsent.popleft())
        if audience.renewed and self._audiences.get(topic) is audience:
            self._updates.schedule(topic, CATCH_UP_EVERY)

    async def _send_frame(self, audience: _Audience, seen: Sight, frame: bytes) -> None:
        async for session in in_timed_slices(audience.sights, SLICE):
            if audience.sights.get(session) != seen or session in audience.renewed:
                continue
            if session.behind:
                audience.renewed[session] = None
            else:
                session.send_frame(frame)

    async def _send_boards(self, code: RoomCode, audience: _Audience) -> None:
        """Send all boards to the watchers in `renewed`, except slow ones."""
        encoded: dict[Sight, bytes] = {}
        async for session in in_timed_slices(audience.renewed, SLICE):
            self._room_changed(code)
            if session.behind or session not in audience.renewed:
                continue
            seen, room = audience.sights[session], self._live.state(code)
            assert room is not None, "watchers are subscribed to their room"
            if self._unrecorded_deal(room, audience.sights) is not None:
                # Another round has started meanwhile.
                return
            if seen not in encoded:
                encoded[seen] = codec.encode(self._boards(room, seen))
            del audience.renewed[session]
            session.send_frame(encoded[seen])


def _is_current_key(room: Room, epoch: int | None) -> bool:
    """Return whether the presented watch key is still valid."""
    return epoch is not None and epoch == room.watch_epoch
