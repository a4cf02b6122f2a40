"""The sessions of this node.

What sends them something subscribes here to hear that they leave, which takes the same time however
many sessions there are. An idle session costs nothing here.
"""

from __future__ import annotations

import asyncio
import time
from itertools import islice
from weakref import WeakSet

from cachetools import TTLCache

from server.base.core.ids import PlayerId
from server.base.quotas.quotas import Quotas, Scope
from server.base.wire.contracts import Reason
from server.base.wire.scopes import scopes_of
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool
from server.players.sessions import Sessions

SLICE = 0.003
"""Seconds after which the removal of sessions yields to the event loop."""

CHECK_BATCH = 200
"""Sessions that are checked together: is each still registered?"""

CHECK_PAUSE = 0.05
"""Seconds between two batches: ten thousand sessions are checked in about three seconds."""

WERE_FOR, MAX_WERE = 60.0, 10_000
"""Seconds for which it is known where players were who have left, and how many of them, 0.3 kB
each: what they sent last is carried out after that."""

ALL = "all"
"""The item of the checks: all sessions."""


class Hub:
    """The sessions of this node, by id and by player.

    Attributes:
        leaving: emitted with a session before it is removed, unless it has been.
        left: emitted with a session after it has been removed.
        checked: emitted with a session to which messages may have been lost.
    """

    def __init__(self, sessions: Sessions, quotas: Quotas, background: Background) -> None:
        self._registered = sessions
        self.leaving = Signal[Session]()
        self.left = Signal[Session]()
        self.checked = Signal[Session]()
        self._sessions: dict[str, Session] = {}
        self._of_players: dict[PlayerId, tuple[Session, ...]] = {}
        self._left: WeakSet[Session] = WeakSet()
        """Those that have left before they were anybody's: their hello may be under way still."""
        self._were: TTLCache[PlayerId, tuple[Scope, ...]] = TTLCache(
            MAX_WERE, WERE_FOR, time.monotonic
        )
        self._background = background
        self._leaving: WorkerPool[Session] = WorkerPool(
            background, "leaving_sessions", self._remove_soon, size=1, turn=SLICE
        )
        self._checks: WorkerPool[str] = WorkerPool(
            background, "session_check", self._check_all, size=1
        )
        quotas.where = self._where
        sessions.superseded.subscribe(self._replaced)
        sessions.barred.subscribe(self._barred)
        sessions.signed_out.subscribe(self._signed_out)
        sessions.missed.subscribe(lambda: self._checks.add(ALL))

    @property
    def size(self) -> int:
        """The number of sessions."""
        return len(self._sessions)

    async def add_session(self, session: Session, player: PlayerId, epoch: int) -> None:
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
        await self._registered.register(player, session.id, epoch)
        if session in self._left:
            self._registered.unregister(player, session.id)
            return
        session.identify(player, epoch)
        self._sessions[session.id] = session
        self._of_players[player] = (*self.sessions_of(player), session)

    def remove_session(self, session: Session) -> None:
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
        """Remove a session, and let others know; it does not wait for the store."""
        player = session.player
        assert player is not None
        if self._sessions.pop(session.id, None) is not None:
            self._were[player] = scopes_of(session.address)
            self.leaving.emit(session)
            self._registered.unregister(player, session.id)
            others = tuple(each for each in self.sessions_of(player) if each is not session)
            if others:
                self._of_players[player] = others
            else:
                del self._of_players[player]
        self.left.emit(session)

    def has(self, session: Session) -> bool:
        """Return whether a session is one of these, and has not left."""
        return session.id in self._sessions

    def sessions_of(self, player: PlayerId) -> tuple[Session, ...]:
        """Return the sessions that a player has on this node."""
        return self._of_players.get(player, ())

    def _where(self, player: PlayerId) -> tuple[Scope, ...]:
        """Return where a player is whose newest session is on this node, or was a moment ago.

        It is empty for others. Who sends something and leaves at once is charged for it.
        """
        sessions = self.sessions_of(player)
        return scopes_of(sessions[-1].address) if sessions else self._were.get(player, ())

    def close(self) -> None:
        """Remove all sessions that have left, while the services can still publish that."""
        for session in self._leaving.take():
            self._remove(session)

    def _replaced(self, session_id: str) -> None:
        """Close a session, if it is on this node, since its player has too many newer ones."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.close(Reason.REPLACED)

    def _barred(self, player: PlayerId) -> None:
        """Close a player's sessions on this node."""
        for session in self.sessions_of(player):
            session.close(Reason.BARRED)

    def _signed_out(self, player: PlayerId, epoch: int, stays: str | None) -> None:
        """Close the sessions of a player on this node that are of earlier epochs, but for one."""
        for session in self.sessions_of(player):
            if session.epoch < epoch and session.id != stays:
                session.close(Reason.SIGNED_OUT)

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
        """Close sessions that are too many; let others make up for messages that were lost."""
        entered = [
            (session.player, session.id, session.epoch)
            for session in sessions
            if session.player is not None
        ]
        for dropped in await self._registered.check(entered, self._sessions.__contains__):
            self._replaced(dropped)
        for session in sessions:
            self.checked.emit(session)
