"""The sessions that watch rounds, and the boards and moves that they are sent.

Each entry of a journal is encoded once for all watchers of a round, whether they see it at once or
later, and written at most once to each. It is sent in slices of a few milliseconds, between which
moves are answered, after the answer to the move and the room's counters. A watcher who reads slowly
is sent nothing that would only be queued, but all boards anew when it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.refusal import Refusal
from server.base.wire import codec
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.tasks import in_timed_slices
from server.base.work.worker_pool import WorkerPool
from server.rooms.core.room import Room
from server.rooms.feed import RoomFeeds
from server.rooms.live_rooms import LiveRooms
from server.watching import present as watching_present
from server.watching.core import sight as core
from server.watching.core.sight import MAX_WATCHERS, Sight
from server.watching.messages import Watched
from server.watching.watching import WatchedEntry, Watching

MAX_WATCHING = 5_000
"""Sessions of one node that may watch, all rooms together."""

MAX_UNSENT = 64
"""Frames of a room that wait to be sent; beyond that, its watchers are sent all boards anew."""

SLICE = 0.003
"""Seconds after which sending to watchers yields to the event loop."""

CATCH_UP_EVERY = 0.5
"""Seconds between two looks at whether those who read slowly have caught up."""

CONCURRENCY = 200
"""Rooms whose watchers are sent something at the same time."""


class _Feed:
    """The watchers of one room.

    Attributes:
        keys: each watcher, and the `watch_epoch` of the room whose key it has shown, if any.
        sights: how each watcher sees the round; those who are being admitted have none yet.
        renewed: watchers who are to be sent all boards.
        unsent: frames that wait to be sent, with the sight of those who are to be sent them.
        decided: the version of the room by which `sights` were decided.
    """

    __slots__ = ("decided", "keys", "renewed", "sights", "unsent")

    def __init__(self) -> None:
        self.keys: dict[Session, int | None] = {}
        self.sights: dict[Session, Sight] = {}
        self.renewed: dict[Session, None] = {}
        self.unsent: deque[tuple[Sight, bytes]] = deque()
        self.decided = 0

    def remove(self, session: Session) -> None:
        """Remove a watcher, in constant time."""
        del self.keys[session]
        self.sights.pop(session, None)
        self.renewed.pop(session, None)


class WatchFeeds:
    """All rooms whose rounds sessions of this node watch."""

    def __init__(
        self,
        watching: Watching,
        live: LiveRooms,
        metrics: Metrics,
        rooms: RoomFeeds,
        background: Background,
    ) -> None:
        self._watching = watching
        self._live = live
        self._rooms = rooms
        self._metrics = metrics
        self._metrics.watchers = lambda: self.size
        self._feeds: dict[RoomCode, _Feed] = {}
        self._codes: dict[Session, RoomCode] = {}
        self._sends: WorkerPool[RoomCode] = WorkerPool(
            background, "watchers", self._send, size=CONCURRENCY
        )
        self._watching.moved.subscribe(self._moved)
        self._watching.renewed.subscribe(self._renewed)
        self._live.changed.subscribe(self._room_changed)
        rooms.left.subscribe(self.stop)

    @property
    def size(self) -> int:
        """How many sessions watch."""
        return len(self._codes)

    def code_of(self, session: Session) -> RoomCode | None:
        """Return the room that a session watches, if any."""
        return self._codes.get(session)

    def is_watched(self, code: RoomCode) -> bool:
        """Return whether a session of this node watches a room: then its boards are in memory."""
        return code in self._feeds

    def admit(self, session: Session, code: RoomCode) -> None:
        """Check that there is room for another watcher.

        Raises:
            Refusal: as `too_many_watchers`.
        """
        feed = self._feeds.get(code)
        if self._codes.get(session) == code:
            return
        if len(self._codes) >= MAX_WATCHING or (feed and len(feed.keys) >= MAX_WATCHERS):
            raise Refusal("too_many_watchers")

    async def watch(self, session: Session, code: RoomCode, epoch: int | None) -> Watched:
        """Let a session watch the room that it is subscribed to; return the boards as of now.

        Nothing comes between the boards and what is sent of them from then on.

        Args:
            session: the session.
            code: the room's.
            epoch: the `watch_epoch` of the room's key that was shown; `None` if none was.

        Raises:
            Refusal: the player may not watch (any more), or there are too many watchers.
        """
        if self._rooms.room_of(session) != code:
            # It was removed from the room while that was read, or has ended: nobody would stop it.
            raise Refusal("not_invited")
        self.admit(session, code)
        if self._codes.get(session) not in {None, code}:
            self.stop(session)
        feed = self._feeds.setdefault(code, _Feed())
        feed.keys[session] = epoch
        self._codes[session] = code
        self._watching.follow(code)
        try:
            room, seen = await self._decide(session, code, epoch)
            while (deal := self._unnoted(room, {session: seen})) is not None:
                await self._watching.note_shown(deal)
                room, seen = await self._decide(session, code, epoch)
        except BaseException:
            if self._codes.get(session) == code:
                self._end(session)
            raise
        feed.sights[session] = seen
        feed.renewed.pop(session, None)
        return self._boards(room, seen)

    async def _decide(
        self, session: Session, code: RoomCode, epoch: int | None
    ) -> tuple[Room, Sight]:
        """Return the room, and how a session sees its round, once that has been read."""
        await self._watching.wait_until_loaded(code)
        live = self._live.known(code)
        if live is None or self._codes.get(session) != code or session.player is None:
            # It was removed from the room meanwhile, or has ended.
            raise Refusal("not_invited")
        return live.room, self._sight(live.room, session.player, epoch)

    def _sight(self, room: Room, player: PlayerId, epoch: int | None) -> Sight:
        """Return how a player sees a room's round, by the epoch of the key that was shown.

        Raises:
            Refusal: as `core.sight`.
        """
        seen, round_ = core.sight(room, player, has_key=_holds(room, epoch)), room.round
        if round_ is None or player in round_.players:
            return seen
        return "hidden" if self._watching.is_withheld(round_.deal) else seen

    def _unnoted(self, room: Room, sights: Mapping[Session, Sight]) -> DealId | None:
        """Return the deal of a room's round if others are about to see it, and that is not noted.

        It costs a look-up, and of a round that is new here one for each watcher.
        """
        round_ = room.round
        if round_ is None or self._watching.is_noted(round_.deal):
            return None
        is_shown = any(
            seen != "hidden" and session.player not in round_.players
            for session, seen in sights.items()
        )
        return round_.deal if is_shown else None

    def stop(self, session: Session) -> None:
        """Let a session watch nothing, in constant time."""
        code = self._codes.pop(session, None)
        if code is None:
            return
        feed = self._feeds[code]
        feed.remove(session)
        if not feed.keys:
            del self._feeds[code]
            self._sends.schedule(code, None)
            self._watching.unfollow(code)

    def _end(self, session: Session) -> None:
        """Let a session watch no more; without a seat it is not subscribed to the room either."""
        if self._rooms.is_seatless(session):
            # That emits `left`, which stops it.
            self._rooms.unsubscribe(session)
        else:
            self.stop(session)

    def _boards(self, room: Room, seen: Sight) -> Watched:
        code = room.opened.code
        # The boards are those of the room's latest round, unless that has begun just now.
        matches = room.round is not None and room.round.deal == self._watching.deal(code)
        return watching_present.watched(
            room, seen, self._watching.boards(code, seen) if matches else []
        )

    def _room_changed(self, code: RoomCode) -> None:
        """Decide anew who may see the boards, before anything more is sent.

        It costs a decision for each watcher at each entry of the room's journal.
        """
        feed, live = self._feeds.get(code), self._live.known(code)
        if feed is None or live is None or live.room.version == feed.decided:
            return
        room = live.room
        feed.decided = room.version
        for session, before in list(feed.sights.items()):
            assert session.player is not None
            try:
                seen = self._sight(room, session.player, feed.keys[session])
            except Refusal as refusal:
                session.send(watching_present.watching_ended(room, refusal.code))
                self._end(session)
                continue
            feed.sights[session] = seen
            if seen != before:
                feed.renewed[session] = None
        self._send_soon(code, feed)

    def _renewed(self, code: RoomCode) -> None:
        """Send all boards to all watchers of a room."""
        feed = self._feeds.get(code)
        if feed is not None:
            self._renew_all(code, feed)

    def _renew_all(self, code: RoomCode, feed: _Feed) -> None:
        feed.unsent.clear()
        feed.renewed = dict.fromkeys(feed.sights)
        self._send_soon(code, feed)

    def _moved(self, code: RoomCode, seen: Sight, entry: WatchedEntry) -> None:
        """Send an entry to those who see it now."""
        self._room_changed(code)
        feed = self._feeds.get(code)
        if feed is None or seen not in feed.sights.values():
            return
        if len(feed.unsent) >= MAX_UNSENT:
            self._renew_all(code, feed)
            return
        if not entry.frame:
            entry.frame = codec.encode(watching_present.watched_move(entry))
            self._metrics.watched += 1
        feed.unsent.append((seen, entry.frame))
        self._send_soon(code, feed)

    def _send_soon(self, code: RoomCode, feed: _Feed) -> None:
        if feed.renewed or feed.unsent:
            self._sends.add(code)

    async def _send(self, code: RoomCode) -> None:
        """Send what waits, to those who may still see it when it is their turn."""
        # The room's own news goes first: it was scheduled before.
        await asyncio.sleep(0)
        feed = self._feeds.get(code)
        if feed is None:
            return
        while feed.unsent or any(not session.behind for session in feed.renewed):
            live = self._live.known(code)
            deal = self._unnoted(live.room, feed.sights) if live is not None else None
            if deal is not None:
                await self._watching.note_shown(deal)
                # It may be withheld: that is decided before anything is sent.
                feed.decided = 0
                self._room_changed(code)
            await self._send_boards(code, feed)
            if feed.unsent:
                await self._send_frame(feed, *feed.unsent.popleft())
        if feed.renewed and self._feeds.get(code) is feed:
            self._sends.schedule(code, CATCH_UP_EVERY)

    async def _send_frame(self, feed: _Feed, seen: Sight, frame: bytes) -> None:
        async for session in in_timed_slices(feed.sights, SLICE):
            if feed.sights.get(session) != seen or session in feed.renewed:
                continue
            if session.behind:
                feed.renewed[session] = None
            else:
                session.send_frame(frame)

    async def _send_boards(self, code: RoomCode, feed: _Feed) -> None:
        """Send all boards to those who are to be sent them and do not read slowly."""
        encoded: dict[Sight, bytes] = {}
        async for session in in_timed_slices(feed.renewed, SLICE):
            self._room_changed(code)
            if session.behind or session not in feed.renewed:
                continue
            seen, live = feed.sights[session], self._live.known(code)
            assert live is not None, "who watches a room is subscribed to it"
            if self._unnoted(live.room, feed.sights) is not None:
                # Another round has begun meanwhile.
                return
            if seen not in encoded:
                encoded[seen] = codec.encode(self._boards(live.room, seen))
            del feed.renewed[session]
            session.send_frame(encoded[seen])


def _holds(room: Room, epoch: int | None) -> bool:
    """Return whether the room's watch key that was shown is its key still."""
    return epoch is not None and epoch == room.watch_epoch
