"""The sessions that listen to rooms, and what they are sent.

What is sent of a room is encoded once for each change, whoever listens; sending it costs a few
microseconds a subscriber. Changes gather for one turn of the event loop, and many rooms are told in
slices of some milliseconds, between which moves are answered.
"""

from __future__ import annotations

import asyncio
import time

import structlog

from server.core.ids import DealId, RoomCode
from server.core.race import Room, Round
from server.core.refusal import Refusal, UnavailableError, UnreadableError
from server.gateway import codec, present
from server.gateway.contracts import Reason
from server.gateway.session import Session
from server.service.services import Services

SLICE = 0.003
"""Seconds after which telling rooms lets others go first."""

SHOWN_WITHIN = 1.0
"""Seconds for which the answer to a join waits for the attempt to go out before it."""

AGAIN_AFTER = 1.0
"""Seconds before cards that could not be read are tried again."""

SOON = 0.02
"""Seconds before cards are tried again for which it was too early by Redis's clock."""

log = structlog.get_logger()


class Feed:
    """What the subscribers of one room are sent.

    Attributes:
        last_sent: the frame that each subscriber was sent last, `None` at first.
        frame: the room as it was told last, and its version.
        deal: of the round in it, if there is one.
        behind: who does not keep up, and has missed progress.
        timer: when the cards of the round are to be sent.
        task: sends them.
    """

    __slots__ = ("behind", "code", "deal", "frame", "last_sent", "task", "timer", "version")

    def __init__(self, code: RoomCode) -> None:
        self.code = code
        self.last_sent: dict[Session, bytes | None] = {}
        self.frame = b""
        self.version = 0
        self.behind: set[Session] = set()
        self.deal: DealId | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None


class RoomFeeds:
    """All rooms that sessions of this node listen to."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._live = services.live
        self._feeds: dict[RoomCode, Feed] = {}
        self._changed: dict[RoomCode, None] = {}
        self._sending = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._live.changed.subscribe(self._room_changed)
        self._live.progressed.subscribe(self._progressed)

    def subscribe(self, session: Session, room: Room) -> None:
        """Let a session listen to a room, and to no other any more."""
        code = room.opened.code
        if session.room == code:
            return
        assert session.player is not None
        self.unsubscribe(session)
        session.room = code
        feed = self._feeds.setdefault(code, Feed(code))
        feed.last_sent[session] = None
        self._live.enter(room, session.player)

    def unsubscribe(self, session: Session) -> None:
        """Let a session listen to no room. It takes the same time however many there are."""
        code = session.room
        if code is None:
            return
        assert session.player is not None
        session.room = None
        feed = self._feeds[code]
        del feed.last_sent[session]
        feed.behind.discard(session)
        if not feed.last_sent:
            del self._feeds[code]
            if feed.timer is not None:
                feed.timer.cancel()
        self._live.leave(code, session.player)

    async def ready(self, session: Session, room: Room) -> None:
        """Wait until a session that has just subscribed can be answered.

        What is known of the room has been read, and an attempt that the player is in the middle of
        has gone out, if either can be had soon: a client that sees in the answer that a round goes
        on need not ask for the cards then.
        """
        code = room.opened.code
        await self._live.wait_until_loaded(code)
        feed = self._feeds.get(code)
        if feed is None:
            return
        self._arm(feed)
        running = room.running
        if running is not None and _wants_cards(session, running) and feed.task is not None:
            await asyncio.wait({feed.task}, timeout=SHOWN_WITHIN)

    def answered(self, session: Session, code: RoomCode) -> None:
        """Note that a session is being told in an answer how the room stands."""
        feed = self._feeds.get(code)
        if feed is not None and feed.last_sent.get(session, b"") is None:
            feed.last_sent[session] = feed.frame

    def _room_changed(self, code: RoomCode) -> None:
        """Send a room to its subscribers soon: it may have changed."""
        if code not in self._feeds:
            return
        self._changed[code] = None
        if not self._sending:
            self._sending = True
            asyncio.get_running_loop().call_soon(self._send_changed)

    def _send_changed(self) -> None:
        until = time.monotonic() + SLICE
        while self._changed:
            code = next(iter(self._changed))
            del self._changed[code]
            feed = self._feeds.get(code)
            if feed is not None:
                self._send_room(feed)
            if time.monotonic() > until:
                asyncio.get_running_loop().call_soon(self._send_changed)
                return
        self._sending = False

    def _send_room(self, feed: Feed) -> None:
        """Send a room to its subscribers, if it is not as they have it."""
        page = self._live.page(feed.code)
        if page is None:
            # It is being read, and told when it has been.
            return
        version = page.room.version
        if version < feed.version:
            # A client takes a lower version for old news, unless it comes anew.
            for session in list(feed.last_sent):
                session.close(Reason.WENT_BACK)
            feed.version, feed.frame = version, b""
            return
        frame = codec.encode(present.room(page))
        if frame != feed.frame:
            feed.frame = frame
        feed.version = version
        feed.deal = page.room.round.deal if page.room.round is not None else None
        for session, sent in feed.last_sent.items():
            if sent is not feed.frame:
                feed.last_sent[session] = feed.frame
                session.send_frame(feed.frame, ("room", feed.code))
        self._arm(feed)

    def _progressed(self, code: RoomCode, counters: list[int]) -> None:
        """Send how far runners have got: (place, home, moves) of each.

        A runner who alone got further is not told so: it knows. Nor is a subscriber who has not
        been told of the room yet: it will be, with all counters. One who does not keep up is sent
        nothing to wait behind what waits already, but the counters of all runners later.
        """
        feed = self._feeds.get(code)
        live = self._live.find(code)
        if feed is None or live is None or live.room.round is None:
            return
        if code in self._changed:
            # The places are those among the runners of the room as it is told last.
            del self._changed[code]
            self._send_room(feed)
        if live.room.round.deal != feed.deal:
            # The room has not been told of this round yet, and is going to be, with all counters.
            self._room_changed(code)
            return
        frame = codec.encode_progress(counters)
        alone = live.room.round.players[counters[0]] if len(counters) == _NUMBERS else None
        whole: bytes | None = None
        for session, sent in feed.last_sent.items():
            if sent is None:
                continue
            if session.behind:
                feed.behind.add(session)
            elif session in feed.behind:
                feed.behind.discard(session)
                whole = whole or codec.encode_progress(live.all_counters())
                session.send_frame(whole)
            elif session.player != alone:
                session.send_frame(frame)

    def _arm(self, feed: Feed, later: float = 0.0) -> None:
        """See to it that runners get their cards when the round begins: one timer for all."""
        live = self._live.find(feed.code)
        running = live.room.running if live is not None else None
        if feed.timer is not None:
            feed.timer.cancel()
            feed.timer = None
        if feed.task is not None or running is None:
            return
        if not any(_wants_cards(session, running) for session in feed.last_sent):
            return
        left = max(later, (running.starts - self._services.clock.now()) / 1000)
        loop = asyncio.get_running_loop()
        if left > 0:
            feed.timer = loop.call_later(left, self._arm, feed)
        else:
            feed.task = loop.create_task(self._deal(feed, running))
            self._tasks.add(feed.task)
            feed.task.add_done_callback(self._tasks.discard)

    async def _deal(self, feed: Feed, running: Round) -> None:
        """Send every runner the cards of a round that has begun."""
        wanting = [session for session in feed.last_sent if _wants_cards(session, running)]
        waits = await asyncio.gather(*(self._show(feed, session, running) for session in wanting))
        feed.task = None
        # Whoever has come meanwhile, or could not be sent any, is seen to next.
        self._arm(feed, later=max(waits, default=0.0))

    async def _show(self, feed: Feed, session: Session, running: Round) -> float:
        """Send a runner its cards, unless it has turned away or has them by then.

        Returns:
            Seconds after which they are to be tried again, or 0.
        """
        assert session.player is not None
        attempt = running.attempt(session.player)
        try:
            snapshot = await self._services.rooms.open_attempt(attempt, session.player)
        except UnavailableError as error:
            log.warning("attempt_waits", attempt=attempt, error=str(error))
            return AGAIN_AFTER
        except Refusal as refusal:
            if refusal.code == "not_started":
                # This node's clock was wrong, and has been put right.
                return SOON
            log.warning("attempt_not_sent", attempt=attempt, code=refusal.code)
            session.shown_round = attempt
            return 0.0
        except UnreadableError as error:
            log.warning("attempt_not_sent", attempt=attempt, code=error.code)
            session.shown_round = attempt
            return 0.0
        except Exception:
            log.exception("attempt_broken", attempt=attempt)
            session.shown_round = attempt
            return 0.0
        if session in feed.last_sent and _wants_cards(session, running):
            session.shows(attempt, snapshot.start.room)
            number = session.number_of(attempt)
            session.send(present.attempt(snapshot, number, self._services.clock.now()))
        return 0.0

    async def close(self) -> None:
        """Wait for cards that are on their way."""
        for feed in self._feeds.values():
            if feed.timer is not None:
                feed.timer.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


_NUMBERS = 3
"""Numbers in a frame of progress for each runner."""


def _wants_cards(session: Session, running: Round) -> bool:
    """Return whether a session's player is in a round, and has not been shown its cards."""
    player = session.player
    return (
        player is not None
        and player in running.players
        and player not in running.results
        and session.shown_round != running.attempt(player)
    )
