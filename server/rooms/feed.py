"""Subscriptions of sessions to rooms, and the fan-out of room states.

Each change of a room is encoded once for all subscribers; sending costs a few microseconds per
subscriber. Changes are coalesced for one iteration of the event loop, and sent in slices of a few
milliseconds, between which moves are answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TypeAlias

import structlog

from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.wire import codec
from server.base.wire.feed import SLICE, Audience, Feed, Subscribers, close_all
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.base.work.tasks import Tasks
from server.play import present as play_present
from server.play.attempts import Reading
from server.play.core.refusals import PlayRefusals
from server.rooms import present as rooms_present
from server.rooms.core.room import Room, Round
from server.rooms.live_room import RoomPage
from server.rooms.live_rooms import LiveRooms
from server.rooms.messages import Removed, RoomState
from server.rooms.rooms import Rooms

CARDS_TIMEOUT = 1.0
"""Maximum seconds that the answer to a join waits for the player's attempt to be sent first."""

RETRY_AFTER = 1.0
"""Seconds before a failed read of an attempt is retried."""

EARLY_RETRY_AFTER = 0.02
"""Seconds before a retry if the round has not started by Redis's clock."""

_NONE: frozenset[DealId] = frozenset()

Withheld = Callable[[Mapping[DealId, int], PlayerId | None], Awaitable[frozenset[DealId]]]
"""See `RoomFeeds`."""

Kind: TypeAlias = tuple[bool, frozenset[DealId]]
"""A kind of viewer: whether the seed is hidden, and the deals whose results are hidden."""

_PER_RUNNER = 4
"""Numbers per runner in a progress message: place, home, moves and headway."""

log = structlog.get_logger()


class RoomStates:
    """A room's page, and the states that show it, each built once."""

    __slots__ = ("_states", "page")

    def __init__(self, page: RoomPage) -> None:
        self.page = page
        self._states: dict[Kind, RoomState] = {}

    def kind(self, viewer: PlayerId | None, hidden: frozenset[DealId]) -> Kind:
        """Return the kind of a viewer who may not see the results on `hidden` deals."""
        return rooms_present.is_secret(self.page, viewer), hidden

    def of(self, kind: Kind) -> RoomState:
        """Return the state for a kind of viewer; there are few kinds."""
        found = self._states.get(kind)
        if found is None:
            secret, hidden = kind
            found = rooms_present.room(self.page, secret=secret, hidden=hidden)
            self._states[kind] = found
        return found


class RoomAudience(Audience[RoomPage | None]):
    """The subscribers of one room.

    A mark is the page in the subscriber's last room state, `None` before the first.

    Attributes:
        code: the room.
        seatless: subscribers who watch without a seat.
        hidden: the deals with hidden results for each subscriber with any.
        page: the page in the latest sent room state, or `None`.
        states: of that page, if it shows the room as it still is, and an answer or the next update
            is about to need them; else `None`.
        version: the version of the room in the latest state sent to all.
        deal: the deal of the round in that state, or `None`.
        entering: subscribers whose command is not answered yet; they are sent their cards before
            the answer, which shows them the room.
        behind: slow subscribers that have missed progress.
        timer: fires at the start of the round, to send its cards.
        task: sends the cards.
    """

    __slots__ = (
        "behind",
        "code",
        "deal",
        "entering",
        "hidden",
        "page",
        "seatless",
        "states",
        "task",
        "timer",
        "version",
    )

    def __init__(self, code: RoomCode) -> None:
        super().__init__()
        self.code = code
        self.seatless: set[Session] = set()
        self.entering: set[Session] = set()
        self.hidden: dict[Session, frozenset[DealId]] = {}
        self.page: RoomPage | None = None
        self.states: RoomStates | None = None
        self.version = 0
        self.behind: set[Session] = set()
        self.deal: DealId | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None

    def remove(self, session: Session) -> None:
        """Remove a subscriber, in constant time."""
        super().remove(session)
        self.behind.discard(session)
        self.seatless.discard(session)
        self.entering.discard(session)
        self.hidden.pop(session, None)
        if not self.marks:
            self.stop_timer()

    def settled(self) -> Iterator[Session]:
        """Yield the subscribers that are not entering; an entering one is sent its cards then."""
        entering = self.entering
        return (session for session in self.marks if session not in entering)

    def stop_timer(self) -> None:
        """Cancel the timer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class RoomFeeds(Feed[RoomCode, RoomAudience]):
    """All rooms with subscribed sessions on this node.

    Args:
        rooms: opens the attempts of rounds.
        live: the followed rooms.
        withheld: returns those of some deals, given with a time, whose results are hidden from a
            player.
        sessions: the sessions of this node.
        clock: the node's clock.
        background: the node's background work.

    Attributes:
        dealt: emitted after a session was sent its attempt of a round.
    """

    def __init__(
        self,
        rooms: Rooms,
        live: LiveRooms,
        withheld: Withheld,
        sessions: Subscribers,
        *,
        clock: Clock,
        background: Background,
    ) -> None:
        super().__init__(
            "rooms", sessions, background, concurrency=1, is_immediate=True, turn=SLICE
        )
        self._rooms = rooms
        self._withheld = withheld
        self._clock = clock
        self._live = live
        self._tasks = Tasks()
        self.dealt: Signal[Session, AttemptId] = Signal()
        self._live.changed.subscribe(self._notify)
        self._live.progressed.subscribe(self._progressed)

    def is_seatless(self, session: Session) -> bool:
        """Return whether a session is subscribed to a room without a seat."""
        code = self._topics.get(session)
        return code is not None and session in self._audiences[code].seatless

    async def hidden_from(self, session: Session, room: Room) -> frozenset[DealId]:
        """Return the deals of a room's rounds whose results are hidden from a session.

        They are determined at subscription. The store is read only if there are rounds that the
        player has not raced.
        """
        code = room.opened.code
        if self._topics.get(session) == code:
            return self._audiences[code].hidden.get(session, _NONE)
        return await self._hidden_from(session.player, room)

    async def _hidden_from(self, player: PlayerId | None, room: Room) -> frozenset[DealId]:
        deals = dict.fromkeys(room.not_raced(player), room.at)
        return await self._withheld(deals, player) if deals else _NONE

    async def enter(self, session: Session, room: Room, *, seated: bool = True) -> None:
        """Subscribe a session to a room, and wait until its command can be answered.

        If `seated`, its player counts as present in the room.
        """
        hidden = await self.hidden_from(session, room)
        if self._sessions.has(session):
            self._add(session, room, seated=seated, hidden=hidden)
            await self._wait_until_ready(session, room)

    async def enter_again(self, session: Session, room: Room) -> Room | None:
        """Subscribe a session like `enter`, if its player still has the seat in a known room.

        The player has a seat in `room`, a state from memory that may be stale. It takes one round
        trip to confirm the state, and meanwhile to read the player's cards.

        Returns:
            The room as it is now; `None` if the session has not been subscribed.
        """
        player, code = session.player, room.opened.code
        assert player is not None
        if self._topics.get(session) == code:
            return None
        known, reading = room.running, None
        if known is not None and _needs_cards(session, known):
            reading = self._rooms.read_soon(known.attempt(player))
        hidden = await self.hidden_from(session, room)
        if not self._sessions.has(session):
            return None
        is_new = self._live.known(code) is None
        self._add(session, room, seated=True, hidden=hidden, writes=is_new)
        audience = self._audiences[code]
        audience.entering.add(session)
        try:
            found = await self._live.confirm(code, player, is_new=is_new)
            if found is None or found.closed or found.seat_of(player) is None:
                self.leave(session, code)
                return None
            if found.version != room.version:
                # Nothing has been sent to it yet.
                hidden = await self._hidden_from(player, found)
                if session in audience.marks:
                    audience.hidden[session] = hidden
            if known is None or found.running is None or known.deal != found.running.deal:
                reading = None
            delay = await self._deal(audience, session, found.running, reading)
        except BaseException:
            self.leave(session, code)
            raise
        finally:
            audience.entering.discard(session)
        self._schedule_cards(audience, delay)
        return found

    def _add(
        self,
        session: Session,
        room: Room,
        *,
        seated: bool,
        hidden: frozenset[DealId],
        writes: bool = True,
    ) -> None:
        """Subscribe a session to a room instead of any other.

        Args:
            session: the session.
            room: the room.
            seated: whether its player counts as present. A later call can raise this to true. In
                the store, a thousand subscribers without seats cost as much as one.
            hidden: the deals with results hidden from the session. Results that it saw before a
                challenge hid them are not revoked.
            writes: as in `LiveRooms.subscribe`.
        """
        code = room.opened.code
        if self._topics.get(session) == code:
            audience = self._audiences[code]
            if seated and session in audience.seatless:
                audience.seatless.discard(session)
                self._live.subscribe(room, session.player)
                self._live.unsubscribe(code, None)
            return
        assert session.player is not None
        self.unsubscribe(session)
        self._topics[session] = code
        audience = self._audiences.setdefault(code, RoomAudience(code))
        audience.marks[session] = None
        if not seated:
            audience.seatless.add(session)
        if hidden:
            audience.hidden[session] = hidden
        self._live.subscribe(room, session.player if seated else None, writes=writes)

    def unsubscribe(self, session: Session) -> None:
        """Unsubscribe a session from its room, if any, in constant time."""
        code = self._topics.get(session)
        if code is not None:
            player = None if self.is_seatless(session) else session.player
            super().unsubscribe(session)
            self._live.unsubscribe(code, player)

    def leave(self, session: Session, code: RoomCode) -> None:
        """Unsubscribe a session from a room, if it is subscribed to it."""
        if self._topics.get(session) == code:
            self.unsubscribe(session)

    async def _wait_until_ready(self, session: Session, room: Room) -> None:
        """Wait until the join of a newly subscribed session can be answered.

        The room should be loaded, and the player's attempt at a running round sent, so that the
        client need not request the cards of the round that it finds in the answer. Each wait has a
        time limit, so neither is guaranteed. A player alone in a room without rounds waits for
        nothing: the room is as this node has just written it.
        """
        code = room.opened.code
        if room.round is None and [seat.player for seat in room.seats] == [session.player]:
            return
        audience = self._audiences[code]
        audience.entering.add(session)
        try:
            await self._live.wait_until_loaded(code)
            state = self._live.state(code)
            running = state.running if state is not None else None
            delay = await self._deal(audience, session, running)
        finally:
            audience.entering.discard(session)
        self._schedule_cards(audience, delay)

    async def _deal(
        self,
        audience: RoomAudience,
        session: Session,
        running: Round | None,
        reading: Reading | None = None,
    ) -> float:
        """Send an entering session its attempt of a round, if it has started and needs it.

        Returns:
            The seconds until a retry by `_schedule_cards`, if the attempt has not been sent.
        """
        if running is None or running.starts > self._clock.now():
            return 0.0
        if not _needs_cards(session, running):
            return 0.0
        try:
            async with asyncio.timeout(CARDS_TIMEOUT):
                return await self._send_attempt(audience, session, running, reading)
        except TimeoutError:
            return 0.0

    async def state(self, session: Session, room: Room) -> RoomState:
        """Return a room's state for the answer to a session, which is not sent the same again.

        This reads the store only if no session of this node is subscribed. `room` is as known to
        the caller; the state may be newer.
        """
        hidden = await self.hidden_from(session, room)
        audience = self._audiences.get(room.opened.code)
        states = audience.states if audience is not None else None
        if states is None or states.page.room is not room:
            states = RoomStates(await self._live.load_page(room))
            audience = self._audiences.get(room.opened.code)
        # Nothing is awaited from here on: a change would make the page stale.
        version = states.page.room.version
        if audience is not None and session in audience.marks and version >= audience.version:
            if states is not audience.states:
                states.page = self._show(audience, states.page)
            audience.marks[session] = states.page
            # An update that is due shows the same.
            audience.states = states if audience.code in self._updates else None
        return states.of(states.kind(session.player, hidden))

    def _notify(self, topic: RoomCode) -> None:
        audience = self._audiences.get(topic)
        if audience is not None:
            audience.states = None
            super()._notify(topic)

    async def _update(self, topic: RoomCode) -> None:
        audience = self._audiences.get(topic)
        if audience is not None:
            self._send_room(audience)

    def _send_room(self, audience: RoomAudience) -> None:
        """Send the state of a room to the subscribers that do not have it."""
        states = audience.states
        page = self._live.page(audience.code) if states is None else states.page
        if page is None:
            # The pending refresh reports a change when it ends.
            return
        version = page.room.version
        if version < audience.version:
            # Redis has lost entries. Clients ignore a lower version unless they reconnect.
            close_all(audience)
            audience.version, audience.page = version, None
            return
        if states is None:
            page = self._show(audience, page)
            states = RoomStates(page)
        # An entering session's answer probably shows the same.
        audience.states = states if audience.entering else None
        audience.version = version
        audience.deal = page.room.round.deal if page.room.round is not None else None
        self._unsubscribe_removed(audience, page.room)
        frames: dict[Kind, bytes] = {}
        for session, sent in audience.marks.items():
            if sent is page or session in audience.entering:
                continue
            audience.marks[session] = page
            kind = states.kind(session.player, audience.hidden.get(session, _NONE))
            if kind not in frames:
                frames[kind] = codec.encode(states.of(kind))
            session.send_frame(frames[kind], ("room", audience.code))
        self._schedule_cards(audience)

    @staticmethod
    def _show(audience: RoomAudience, page: RoomPage) -> RoomPage:
        """Return the page to show: the last one if it is equal, so that marks compare by `is`."""
        if page != audience.page:
            audience.page = page
            return page
        assert audience.page is not None, "it is equal"
        return audience.page

    def _unsubscribe_removed(self, audience: RoomAudience, room: Room) -> None:
        """Unsubscribe and notify the sessions of removed players, or all sessions of a closed room.

        Rooms without removals skip the look-up for each subscriber.
        """
        if not room.removed and not room.closed:
            return
        for session in list(audience.marks):
            if room.closed or session.player in room.removed:
                self._dismiss(session, Removed(audience.code, room.closed))

    def _progressed(self, code: RoomCode, counters: list[int]) -> None:
        """Send the progress of runners to the subscribers.

        Runners are not sent their own progress alone. Subscribers that wait for their first room
        state are skipped, since it contains all counters. Slow subscribers are skipped too, and
        later get the counters of all runners in one message.

        `counters` is a flat list of (place, home, moves, headway) for each runner who has advanced;
        place is the index among the runners of the round.
        """
        audience, room = self._audiences.get(code), self._live.state(code)
        if audience is None or room is None or room.round is None:
            return
        audience.states = None
        if code in self._updates:
            # Clients look places up in the latest room state, so send it first.
            self._updates.discard(code)
            self._send_room(audience)
        if room.round.deal != audience.deal:
            # This round's state has not been sent yet; it will contain all counters.
            self._notify(code)
            return
        frame = codec.encode_progress(counters)
        alone = room.round.players[counters[0]] if len(counters) == _PER_RUNNER else None
        all_counters: bytes | None = None
        for session, sent in audience.marks.items():
            if sent is None:
                continue
            # A slow reader would only queue it, so send all counters later instead.
            if session.behind:
                audience.behind.add(session)
            elif session in audience.behind:
                audience.behind.discard(session)
                all_counters = all_counters or codec.encode_progress(self._live.counters(code))
                session.send_frame(all_counters)
            elif session.player != alone:
                session.send_frame(frame)

    def _schedule_cards(self, audience: RoomAudience, delay: float = 0.0) -> None:
        """Schedule sending the runners their cards at the start of the round, if any need them.

        `delay` is the minimum delay in seconds.
        """
        room = self._live.state(audience.code)
        running = room.running if room is not None else None
        audience.stop_timer()
        if audience.task is not None or running is None:
            return
        if not any(_needs_cards(session, running) for session in audience.settled()):
            return
        delay = max(delay, (running.starts - self._clock.now()) / 1000)
        if delay > 0:
            loop = asyncio.get_running_loop()
            audience.timer = loop.call_later(delay, self._schedule_cards, audience)
        else:
            audience.task = self._tasks.run_soon(self._send_cards(audience, running))

    async def _send_cards(self, audience: RoomAudience, running: Round) -> None:
        """Send the runners their attempts of a round that has started."""
        runners = [session for session in audience.settled() if _needs_cards(session, running)]
        sends = [self._send_attempt(audience, session, running) for session in runners]
        try:
            # A player who returns is usually alone, and needs no other task.
            delays = [await sends[0]] if len(sends) == 1 else await asyncio.gather(*sends)
        finally:
            audience.task = None
        # Retry failed sends, and include sessions that have subscribed meanwhile.
        self._schedule_cards(audience, max(delays, default=0.0))

    async def _send_attempt(
        self,
        audience: RoomAudience,
        session: Session,
        running: Round,
        reading: Reading | None = None,
    ) -> float:
        """Send a runner its attempt, unless it has unsubscribed or received it meanwhile.

        `reading` is as for `Attempts.open`.

        Returns:
            The seconds until a retry, or 0 for no retry.
        """
        assert session.player is not None
        attempt = running.attempt(session.player)
        try:
            snapshot = await self._rooms.open_attempt(attempt, session.player, reading)
        except UnavailableError as error:
            log.debug("attempt_send_deferred", attempt=attempt, error=str(error))
            return RETRY_AFTER
        except Refusal as refusal:
            if refusal.code == PlayRefusals.not_started:
                # This node's clock was ahead of Redis's, and has been corrected.
                return EARLY_RETRY_AFTER
            log.warning("attempt_not_sent", attempt=attempt, code=refusal.code.name)
            session.shown.skip(attempt)
            return 0.0
        except UnreadableError as error:
            log.warning("attempt_not_sent", attempt=attempt, code=error.code.name)
            session.shown.skip(attempt)
            return 0.0
        except Exception:
            log.exception("attempt_send_failed", attempt=attempt)
            session.shown.skip(attempt)
            return 0.0
        if session in audience.marks and _needs_cards(session, running):
            number = session.shown.show(attempt, snapshot.start.room)
            session.send(play_present.attempt(snapshot, number, self._clock.now()))
            self.dealt.emit(session, attempt)
        return 0.0

    async def close(self) -> None:
        """Cancel all timers, and wait for pending sends of cards."""
        for audience in self._audiences.values():
            audience.stop_timer()
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
