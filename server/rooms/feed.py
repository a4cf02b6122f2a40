"""Subscriptions of sessions to rooms, and the fan-out of room states.

Each change of a room is encoded once for all subscribers; sending costs a few microseconds per
subscriber. Changes are coalesced for one iteration of the event loop, and sent in slices of a few
milliseconds, between which moves are answered.
"""

from __future__ import annotations

import asyncio

import structlog

from server.base.core.ids import AttemptId, DealId, RoomCode
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.wire import codec
from server.base.wire.contracts import Reason
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.base.work.tasks import Tasks
from server.base.work.worker_pool import WorkerPool
from server.play import present as play_present
from server.rooms import present as rooms_present
from server.rooms.core.room import Room, Round
from server.rooms.live_rooms import LiveRooms
from server.rooms.messages import Removed
from server.rooms.rooms import Rooms

SLICE = 0.003
"""Maximum seconds of sending room states before yielding to the event loop."""

CARDS_TIMEOUT = 1.0
"""Maximum seconds that the answer to a join waits for the player's attempt to be sent first."""

RETRY_AFTER = 1.0
"""Seconds before a failed read of an attempt is retried."""

EARLY_RETRY_AFTER = 0.02
"""Seconds before a retry if the round has not started by Redis's clock."""

_NONE: frozenset[DealId] = frozenset()

_PER_RUNNER = 3
"""Numbers per runner in a progress message: place, home and moves."""

log = structlog.get_logger()


class Feed:
    """The subscribers of one room, and their last received states.

    Attributes:
        code: the room.
        last_sent: each subscriber's last room state, `None` before the first.
        seatless: subscribers who watch without a seat.
        hidden: the deals with hidden results for each subscriber with any.
        frame: the latest sent room state, encoded.
        version: the version of the room in that state.
        deal: the deal of the round in that state, or `None`.
        behind: slow subscribers that have missed progress.
        timer: fires at the start of the round, to send its cards.
        task: sends the cards.
    """

    __slots__ = (
        "__weakref__",
        "behind",
        "code",
        "deal",
        "frame",
        "hidden",
        "last_sent",
        "seatless",
        "task",
        "timer",
        "version",
    )

    def __init__(self, code: RoomCode) -> None:
        self.code = code
        self.last_sent: dict[Session, bytes | None] = {}
        self.seatless: set[Session] = set()
        self.hidden: dict[Session, frozenset[DealId]] = {}
        self.frame = b""
        self.version = 0
        self.behind: set[Session] = set()
        self.deal: DealId | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None


class RoomFeeds:
    """All rooms with subscribed sessions on this node."""

    def __init__(self, rooms: Rooms, live: LiveRooms, clock: Clock, background: Background) -> None:
        self._all_rooms = rooms
        self._clock = clock
        self._live = live
        self._feeds: dict[RoomCode, Feed] = {}
        self._rooms: dict[Session, RoomCode] = {}
        self._changed: WorkerPool[RoomCode] = WorkerPool(
            background, "rooms", self._send_changed, size=1, turn=SLICE
        )
        self._tasks = Tasks()
        self.dealt: Signal[Session, AttemptId] = Signal()
        """Emitted after a session was sent its attempt of a round."""
        self.left: Signal[Session] = Signal()
        """Emitted when a session's subscription to a room has ended."""
        self._live.changed.subscribe(self._room_changed)
        self._live.progressed.subscribe(self._progressed)

    def room_of(self, session: Session) -> RoomCode | None:
        """Return the room that a session is subscribed to, or `None`."""
        return self._rooms.get(session)

    def size(self, code: RoomCode) -> int:
        """Return the number of sessions on this node that are subscribed to a room."""
        feed = self._feeds.get(code)
        return len(feed.last_sent) if feed is not None else 0

    def known(self, code: RoomCode) -> Feed | None:
        """Return a room's feed, or `None` if no session on this node is subscribed to it."""
        return self._feeds.get(code)

    def is_seatless(self, session: Session) -> bool:
        """Return whether a session is subscribed to a room without a seat."""
        code = self._rooms.get(session)
        return code is not None and session in self._feeds[code].seatless

    def hidden_from(self, session: Session, code: RoomCode) -> frozenset[DealId] | None:
        """Return a room's deals with results hidden from a session.

        `None` if the session is not subscribed to the room.
        """
        if self._rooms.get(session) != code:
            return None
        return self._feeds[code].hidden.get(session, frozenset())

    def subscribe(
        self,
        session: Session,
        room: Room,
        *,
        seated: bool = True,
        hidden: frozenset[DealId] = frozenset(),
    ) -> None:
        """Subscribe a session to a room instead of any other.

        Args:
            session: the session.
            room: the room.
            seated: whether its player counts as present. A later call can raise this to true. In
                the store, a thousand subscribers without seats cost as much as one.
            hidden: the deals with results hidden from the session. Results that it saw before a
                challenge hid them are not revoked.
        """
        code = room.opened.code
        feed = self._feeds.get(code)
        if feed is not None and self._rooms.get(session) == code:
            if seated and session in feed.seatless:
                feed.seatless.discard(session)
                self._live.subscribe(room, session.player)
                self._live.unsubscribe(code, None)
            return
        assert session.player is not None
        self.unsubscribe(session)
        self._rooms[session] = code
        feed = self._feeds.setdefault(code, Feed(code))
        feed.last_sent[session] = None
        if not seated:
            feed.seatless.add(session)
        if hidden:
            feed.hidden[session] = hidden
        self._live.subscribe(room, session.player if seated else None)

    def unsubscribe(self, session: Session) -> None:
        """Unsubscribe a session from its room, if any, in constant time."""
        code = self._rooms.pop(session, None)
        if code is None:
            return
        assert session.player is not None
        feed = self._feeds[code]
        del feed.last_sent[session]
        feed.behind.discard(session)
        feed.hidden.pop(session, None)
        if not feed.last_sent:
            del self._feeds[code]
            if feed.timer is not None:
                feed.timer.cancel()
        self._live.unsubscribe(code, None if session in feed.seatless else session.player)
        feed.seatless.discard(session)
        self.left.emit(session)

    async def wait_until_ready(self, session: Session, room: Room) -> None:
        """Wait until the join of a newly subscribed session can be answered.

        The room should be loaded, and the player's attempt at a running round sent, so that the
        client need not request the cards of the round that it finds in the answer. Each wait has a
        time limit, so neither is guaranteed.
        """
        code = room.opened.code
        await self._live.wait_until_loaded(code)
        feed = self._feeds.get(code)
        if feed is None:
            return
        self._schedule_cards(feed)
        running = room.running
        if running is not None and _needs_cards(session, running) and feed.task is not None:
            await asyncio.wait({feed.task}, timeout=CARDS_TIMEOUT)

    def answered(self, session: Session, code: RoomCode) -> None:
        """Record that a command's answer has given the session the current room state."""
        feed = self._feeds.get(code)
        if feed is not None and feed.last_sent.get(session, b"") is None:
            feed.last_sent[session] = feed.frame

    def _room_changed(self, code: RoomCode) -> None:
        """Enqueue sending a room that may have changed to its subscribers."""
        if code in self._feeds:
            self._changed.add(code)

    async def _send_changed(self, code: RoomCode) -> None:
        feed = self._feeds.get(code)
        if feed is not None:
            self._send_room(feed)

    def _send_room(self, feed: Feed) -> None:
        """Send the state of a room to the subscribers that do not have it."""
        page = self._live.page(feed.code)
        if page is None:
            # The pending refresh reports a change when it ends.
            return
        version = page.room.version
        if version < feed.version:
            # Redis has lost entries. Clients ignore a lower version unless they reconnect.
            for session in list(feed.last_sent):
                session.close(Reason.WENT_BACK)
            feed.version, feed.frame = version, b""
            return
        frame = codec.encode(rooms_present.room(page))
        # Keep an equal frame's identity: `last_sent` is compared by `is`, which is faster.
        if frame != feed.frame:
            feed.frame = frame
        feed.version = version
        feed.deal = page.room.round.deal if page.room.round is not None else None
        self._unsubscribe_removed(feed, page.room)
        others: dict[tuple[bool, frozenset[DealId]], bytes] = {}
        for session, sent in feed.last_sent.items():
            if sent is feed.frame:
                continue
            shown = feed.last_sent[session] = feed.frame
            secret = rooms_present.is_secret(page, session.player)
            hidden = feed.hidden.get(session, _NONE)
            if secret or hidden:
                # Encoded once per kind of viewer; there are few kinds.
                kind = secret, hidden
                if kind not in others:
                    state = rooms_present.room(page, secret=secret, hidden=hidden)
                    others[kind] = codec.encode(state)
                shown = others[kind]
            session.send_frame(shown, ("room", feed.code))
        self._schedule_cards(feed)

    def _unsubscribe_removed(self, feed: Feed, room: Room) -> None:
        """Unsubscribe and notify the sessions of removed players, or all sessions of a closed room.

        Rooms without removals skip the look-up for each subscriber.
        """
        if not room.removed and not room.closed:
            return
        for session in list(feed.last_sent):
            if room.closed or session.player in room.removed:
                self.unsubscribe(session)
                session.send(Removed(feed.code, room.closed))

    def _progressed(self, code: RoomCode, counters: list[int]) -> None:
        """Send the progress of runners to the subscribers.

        Runners are not sent their own progress alone. Subscribers that wait for their first room
        state are skipped, since it contains all counters. Slow subscribers are skipped too, and
        later get the counters of all runners in one message.

        `counters` is a flat list of (place, home, moves) for each runner who has advanced; place is
        the index among the runners of the round.
        """
        feed, room = self._feeds.get(code), self._live.state(code)
        if feed is None or room is None or room.round is None:
            return
        if code in self._changed:
            # Clients look places up in the latest room state, so send it first.
            self._changed.discard(code)
            self._send_room(feed)
        if room.round.deal != feed.deal:
            # This round's state has not been sent yet; it will contain all counters.
            self._room_changed(code)
            return
        frame = codec.encode_progress(counters)
        alone = room.round.players[counters[0]] if len(counters) == _PER_RUNNER else None
        all_counters: bytes | None = None
        for session, sent in feed.last_sent.items():
            if sent is None:
                continue
            # A slow reader would only queue it, so send all counters later instead.
            if session.behind:
                feed.behind.add(session)
            elif session in feed.behind:
                feed.behind.discard(session)
                all_counters = all_counters or codec.encode_progress(self._live.counters(code))
                session.send_frame(all_counters)
            elif session.player != alone:
                session.send_frame(frame)

    def _schedule_cards(self, feed: Feed, delay: float = 0.0) -> None:
        """Schedule sending the runners their cards at the start of the round, if any need them.

        `delay` is the minimum delay in seconds.
        """
        live = self._live.known(feed.code)
        running = live.room.running if live is not None else None
        if feed.timer is not None:
            feed.timer.cancel()
            feed.timer = None
        if feed.task is not None or running is None:
            return
        if not any(_needs_cards(session, running) for session in feed.last_sent):
            return
        delay = max(delay, (running.starts - self._clock.now()) / 1000)
        if delay > 0:
            loop = asyncio.get_running_loop()
            feed.timer = loop.call_later(delay, self._schedule_cards, feed)
        else:
            feed.task = self._tasks.run_soon(self._send_cards(feed, running))

    async def _send_cards(self, feed: Feed, running: Round) -> None:
        """Send the runners their attempts of a round that has started."""
        runners = [session for session in feed.last_sent if _needs_cards(session, running)]
        try:
            delays = await asyncio.gather(
                *(self._send_attempt(feed, session, running) for session in runners)
            )
        finally:
            feed.task = None
        # Retry failed sends, and include sessions that have subscribed meanwhile.
        self._schedule_cards(feed, max(delays, default=0.0))

    async def _send_attempt(self, feed: Feed, session: Session, running: Round) -> float:
        """Send a runner its attempt, unless it has unsubscribed or received it meanwhile.

        Returns:
            The seconds until a retry, or 0 for no retry.
        """
        assert session.player is not None
        attempt = running.attempt(session.player)
        try:
            snapshot = await self._all_rooms.open_attempt(attempt, session.player)
        except UnavailableError as error:
            log.debug("attempt_send_deferred", attempt=attempt, error=str(error))
            return RETRY_AFTER
        except Refusal as refusal:
            if refusal.code == "not_started":
                # This node's clock was ahead of Redis's, and has been corrected.
                return EARLY_RETRY_AFTER
            log.warning("attempt_not_sent", attempt=attempt, code=refusal.code)
            session.shown.skip(attempt)
            return 0.0
        except UnreadableError as error:
            log.warning("attempt_not_sent", attempt=attempt, code=error.code)
            session.shown.skip(attempt)
            return 0.0
        except Exception:
            log.exception("attempt_send_failed", attempt=attempt)
            session.shown.skip(attempt)
            return 0.0
        if session in feed.last_sent and _needs_cards(session, running):
            number = session.shown.show(attempt, snapshot.start.room)
            session.send(play_present.attempt(snapshot, number, self._clock.now()))
            self.dealt.emit(session, attempt)
        return 0.0

    async def close(self) -> None:
        """Cancel all timers, and wait for pending sends of cards."""
        for feed in self._feeds.values():
            if feed.timer is not None:
                feed.timer.cancel()
        await self._tasks.wait()


def _needs_cards(session: Session, running: Round) -> bool:
    """Return whether a session's player is in a running round and has not been sent its cards."""
    player = session.player
    return (
        player is not None
        and player in running.players
        and player not in running.results
        and not session.shown.is_latest_of_rounds(running.attempt(player))
    )
