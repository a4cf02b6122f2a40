"""The sessions of this node, and their subscriptions to rooms, leaderboards and attempts.

Each session records what it is subscribed to, so that removing it takes the same time however many
sessions there are. An idle session costs nothing here.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from weakref import WeakSet

from server.accounts.challenges import Challenges
from server.accounts.confirmations import Confirmations
from server.base.core.ids import PlayerId, RoomCode
from server.base.net.contracts import Reason
from server.base.quotas.quotas import Scope
from server.base.wire.scopes import scopes_of
from server.base.wire.session import Session
from server.base.work.worker_pool import WorkerPool
from server.play.holding_feed import Following
from server.results.core.boards import BoardId
from server.results.feed import LeaderboardFeeds
from server.results.leaderboards import Page
from server.rooms.core.room import Room
from server.rooms.emotes_feed import Emotes
from server.rooms.feed import RoomFeeds
from server.rooms.same_address_feed import NeighbourFeeds
from server.watching.feed import WatchFeeds
from server.wings import Services

SLICE = 0.003
"""Seconds after which the removal of sessions yields to the event loop."""

CHECK_BATCH = 200
"""Sessions that are checked together: is each still registered?"""

CHECK_PAUSE = 0.05
"""Seconds between two batches: ten thousand sessions are checked in about three seconds."""

CHECK_ENDS = 32
"""Attempts that are read at the same time, since their ends may have been missed."""

ALL = "all"
"""What is checked: all sessions."""


class Hub:
    """The sessions of this node, by id and by player.

    Attributes:
        rooms: the sessions that are subscribed to rooms.
        emotes: what members send to a room for the moment.
        leaderboards: the sessions that watch leaderboards.
        watching: the sessions that watch rounds.
        neighbours: what hosts are told of players at the same place.
        confirmations: which sessions have shown a credential of their player.
        challenges: those of passkeys that sessions have not answered.
        following: who of a player's sessions plays an attempt, while the others follow.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._sessions: dict[str, Session] = {}
        self._of_players: dict[PlayerId, tuple[Session, ...]] = {}
        self._left: WeakSet[Session] = WeakSet()
        """Those that have left before they were anybody's: their hello may be under way still."""
        background = services.background
        self._background = background
        self._leaving: WorkerPool[Session] = WorkerPool(
            background, "leaving_sessions", self._remove_soon, size=1, turn=SLICE
        )
        self._checks: WorkerPool[str] = WorkerPool(
            background, "session_check", self._check_all, size=1
        )
        self._ends: WorkerPool[Session] = WorkerPool(
            background, "missed_ends", self._send_missed_end, size=CHECK_ENDS
        )
        self.rooms = RoomFeeds(services)
        self.emotes = Emotes(services, self.rooms)
        self.watching = WatchFeeds(services, self.rooms)
        self.neighbours = NeighbourFeeds(services, self.rooms)
        self.leaderboards = LeaderboardFeeds(services.leaderboards, services.metrics, background)
        self.confirmations = Confirmations()
        self.challenges = Challenges()
        self.following = Following(services, self._sessions_of)
        self.rooms.dealt.subscribe(self.following.open)
        services.quotas.where = self._where
        services.sessions.superseded.subscribe(self._replaced)
        services.sessions.barred.subscribe(self._barred)
        services.sessions.signed_out.subscribe(self._signed_out)
        services.sessions.missed.subscribe(lambda: self._checks.add(ALL))

    @property
    def size(self) -> int:
        """The number of sessions."""
        return len(self._sessions)

    async def enter(self, session: Session, player: PlayerId, epoch: int) -> None:
        """Add a session of a player, beside those that the player has on any node.

        One whose connection has ended meanwhile is not added. It takes one round trip to the store,
        and a message to each other node that has one.

        Args:
            session: the session.
            player: the player.
            epoch: that of the player's token.

        Raises:
            Refusal: as `bad_token`, if the player has signed out everywhere just now; as `barred`.
            UnavailableError: the store does not answer; the session has not been added.
        """
        if session in self._left:
            return
        await self._services.sessions.enter(player, session.id, epoch)
        if session in self._left:
            self._services.sessions.leave(player, session.id)
            return
        session.identify(player, epoch)
        self._sessions[session.id] = session
        self._of_players[player] = (*self._sessions_of(player), session)

    def leave(self, session: Session) -> None:
        """Remove a session that has ended, soon.

        A removal takes about 20 µs. When ten thousand connections drop at once, they are removed
        in slices, between which the event loop serves others.
        """
        if session.player is None:
            self._left.add(session)
            return
        self._leaving.add(session)

    async def _remove_soon(self, session: Session) -> None:
        self._remove(session)

    def _remove(self, session: Session) -> None:
        """Remove a session and its subscriptions; it does not wait for the store."""
        player = session.player
        assert player is not None
        if self._sessions.pop(session.id, None) is not None:
            self.following.leave(session)
            self._services.sessions.leave(player, session.id)
            others = tuple(each for each in self._sessions_of(player) if each is not session)
            if others:
                self._of_players[player] = others
            else:
                del self._of_players[player]
        self.rooms.unsubscribe(session)
        self.leaderboards.unwatch(session)

    def _sessions_of(self, player: PlayerId) -> tuple[Session, ...]:
        """Return the sessions that a player has on this node."""
        return self._of_players.get(player, ())

    def _where(self, player: PlayerId) -> tuple[Scope, ...]:
        """Return where a player is whose newest session is on this node; empty for others."""
        sessions = self._sessions_of(player)
        return scopes_of(sessions[-1].address) if sessions else ()

    def close(self) -> None:
        """Remove all sessions that have left, while the services can still publish that."""
        for session in self._leaving.take():
            self._remove(session)

    async def enter_room(self, session: Session, room: Room, *, seated: bool = True) -> None:
        """Subscribe a session to a room, and wait until its command can be answered.

        Args:
            session: the session.
            room: the room.
            seated: whether its player counts as present in the room.
        """
        if session.id in self._sessions:
            self.rooms.subscribe(session, room, seated=seated)
            await self.rooms.wait_until_ready(session, room)

    def leave_room(self, session: Session, code: RoomCode) -> None:
        """Unsubscribe a session from a room, if it is subscribed to that one."""
        if self.rooms.room_of(session) == code:
            self.rooms.unsubscribe(session)

    def stop_watching(self, session: Session) -> None:
        """Let a session watch no round; one without a seat is not subscribed to the room either."""
        code = self.watching.code_of(session)
        if code is not None and self.rooms.is_seatless(session):
            self.rooms.unsubscribe(session)
        else:
            self.watching.stop(session)

    async def watch(self, session: Session, board: BoardId) -> Page:
        """Let a session watch a leaderboard, and return its current page for the player.

        Raises:
            UnavailableError: the store does not answer.
        """
        page = await self.leaderboards.watch(session, board)
        if session.id not in self._sessions:
            # It has left meanwhile.
            self.leaderboards.unwatch(session)
        return page

    def _replaced(self, session_id: str) -> None:
        """Close a session, if it is on this node, since its player has too many newer ones."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.close(Reason.REPLACED)

    def _barred(self, player: PlayerId) -> None:
        """Close a player's sessions on this node."""
        for session in self._sessions_of(player):
            session.close(Reason.BARRED)

    def _signed_out(self, player: PlayerId, epoch: int, stays: str | None) -> None:
        """Close the sessions of a player on this node that are of earlier epochs, but for one."""
        for session in self._sessions_of(player):
            if session.epoch < epoch and session.id != stays:
                session.close(Reason.SIGNED_OUT)

    async def finish(self) -> None:
        """Wait until what is being sent has been, after `close`."""
        await self.watching.close()
        await self.rooms.close()

    async def _check_all(self, _: str) -> None:
        """Check all sessions, since messages to this node may have been lost.

        Raises:
            UnavailableError: the store does not answer. More messages may have been lost since, so
                the next check covers all sessions again.
        """
        stop = self._background.stop
        sessions = iter(list(self._sessions.values()))
        while not stop.is_set and (batch := list(islice(sessions, CHECK_BATCH))):
            await self._check(batch)
            await stop.or_wait(asyncio.sleep(CHECK_PAUSE))

    async def _check(self, sessions: list[Session]) -> None:
        """Close sessions that are too many; notify the others of ends that they missed."""
        entered = [
            (session.player, session.id, session.epoch)
            for session in sessions
            if session.player is not None
        ]
        for dropped in await self._services.sessions.check(entered):
            self._replaced(dropped)
        for session in sessions:
            if session.shown.latest is not None:
                self._ends.add(session)

    async def _send_missed_end(self, session: Session) -> None:
        if session.shown.latest is None or session.id not in self._sessions:
            return
        attempt = await self._services.attempts.find(session.shown.latest)
        if attempt is not None and attempt.end in {"time", "stuck"}:
            self.following.end(attempt)
