"""The sessions of this node.

Senders subscribe here to learn that a session leaves, in time independent of the number of
sessions. An idle session costs nothing.
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
"""Seconds of removals before yielding to the event loop."""

CHECK_BATCH = 200
"""Sessions whose registration is checked in one batch."""

CHECK_PAUSE = 0.05
"""Seconds between batches: ten thousand sessions take about three seconds."""

SCOPES_KEPT_FOR, MAX_KEPT_SCOPES = 60.0, 10_000
"""How long, and for how many players, the last address of departed players is kept.

In seconds, and at 0.3 kB a player. Their last commands are carried out and charged after they
leave.
"""

ALL = "all"
"""The checks' only work item: all sessions."""


class Hub:
    """The sessions of this node, by id and by player.

    Attributes:
        leaving: emitted with a session before its removal.
        left: emitted with a session after its removal.
        checked: emitted with a session that may have missed messages.
    """

    def __init__(self, sessions: Sessions, quotas: Quotas, background: Background) -> None:
        self._registered = sessions
        self.leaving = Signal[Session]()
        self.left = Signal[Session]()
        self.checked = Signal[Session]()
        self._sessions: dict[str, Session] = {}
        self._by_player: dict[PlayerId, tuple[Session, ...]] = {}
        self._left: WeakSet[Session] = WeakSet()
        """Sessions that left before identification; their hello may still be in progress."""
        self._last_scopes: TTLCache[PlayerId, tuple[Scope, ...]] = TTLCache(
            MAX_KEPT_SCOPES, SCOPES_KEPT_FOR, time.monotonic
        )
        self._background = background
        self._leaving: WorkerPool[Session] = WorkerPool(
            background, "leaving_sessions", self._remove_soon, size=1, turn=SLICE
        )
        self._checks: WorkerPool[str] = WorkerPool(
            background, "session_check", self._check_all, size=1
        )
        quotas.where = self._scopes_of
        sessions.superseded.subscribe(self._replaced)
        sessions.barred.subscribe(self._barred)
        sessions.signed_out.subscribe(self._signed_out)
        sessions.missed.subscribe(lambda: self._checks.add(ALL))

    @property
    def size(self) -> int:
        """The number of sessions."""
        return len(self._sessions)

    async def add_session(self, session: Session, player: PlayerId, epoch: int) -> None:
        """Add a session of a player, possibly besides others on any node.

        A session whose connection has ended in the meantime is not added. Takes one round trip to
        the store, and a message to each other node with a session of the player.

        Args:
            session: the session.
            player: the player.
            epoch: the token's.

        Raises:
            Refusal: as `bad_token`, if the player has just signed out everywhere; as `barred`.
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
        self._by_player[player] = (*self.sessions_of(player), session)

    def remove_session(self, session: Session) -> None:
        """Schedule the removal of a session that has ended.

        A removal takes about 20 µs. If ten thousand connections drop together, they are removed in
        slices so that the event loop stays responsive.
        """
        if session.player is None:
            self._left.add(session)
            return
        self._leaving.add(session)

    async def _remove_soon(self, session: Session) -> None:
        self._remove(session)

    def _remove(self, session: Session) -> None:
        """Remove a session and notify subscribers, without waiting for the store."""
        player = session.player
        assert player is not None
        # It may have been removed already.
        if self._sessions.pop(session.id, None) is not None:
            self._last_scopes[player] = scopes_of(session.address)
            self.leaving.emit(session)
            self._registered.unregister(player, session.id)
            others = tuple(each for each in self.sessions_of(player) if each is not session)
            if others:
                self._by_player[player] = others
            else:
                del self._by_player[player]
        self.left.emit(session)

    def has(self, session: Session) -> bool:
        """Return whether a session is registered here and has not left."""
        return session.id in self._sessions

    def sessions_of(self, player: PlayerId) -> tuple[Session, ...]:
        """Return a player's sessions on this node."""
        return self._by_player.get(player, ())

    def _scopes_of(self, player: PlayerId) -> tuple[Scope, ...]:
        """Return the scopes of a player's newest session here, also shortly after it has left.

        Empty for other players. A client that sends a command and disconnects is still charged.
        """
        sessions = self.sessions_of(player)
        return scopes_of(sessions[-1].address) if sessions else self._last_scopes.get(player, ())

    def close(self) -> None:
        """Remove all departed sessions, while the services can still publish their departure."""
        for session in self._leaving.take():
            self._remove(session)

    def _replaced(self, session_id: str) -> None:
        """Close a session of this node, since its player has too many newer ones."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.close(Reason.REPLACED)

    def _barred(self, player: PlayerId) -> None:
        """Close a player's sessions on this node."""
        for session in self.sessions_of(player):
            session.close(Reason.BARRED)

    def _signed_out(self, player: PlayerId, epoch: int, stays: str | None) -> None:
        """Close a player's sessions of earlier epochs on this node, except one."""
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
        """Close superseded sessions, and let subscribers catch up on lost messages."""
        entered = [
            (session.player, session.id, session.epoch)
            for session in sessions
            if session.player is not None
        ]
        for dropped in await self._registered.check(entered, self._sessions.__contains__):
            self._replaced(dropped)
        for session in sessions:
            self.checked.emit(session)
