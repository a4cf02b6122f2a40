"""The sessions of this node.

Senders subscribe here to learn that a session leaves, in time independent of the number of
sessions.
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
from server.players.core.names import Profile, Recorded
from server.players.sessions import Sessions

SLICE = 0.0005  # seconds of removals before yielding to the event loop
CHECK_BATCH = 200  # sessions whose registration is checked in one batch
CHECK_PAUSE = 0.05  # seconds between batches: ten thousand sessions take about three seconds

# For how many seconds, and for how many players (0.3 kB each), the last address is kept after they
# leave, since their last commands are carried out and charged later.
SCOPES_KEPT_FOR, MAX_KEPT_SCOPES = 60.0, 10_000

ALL = "all"  # the checks' only work item: all sessions


class Hub:
    """The sessions of this node, by id and by player."""

    def __init__(self, sessions: Sessions, quotas: Quotas, background: Background) -> None:
        self._registered = sessions
        self.leaving = Signal[Session]()  # emitted with a session before its removal
        self.left = Signal[Session]()  # emitted with a session after its removal
        # Emitted with a session whose player has taken a new name.
        self.renamed = Signal[Session, Profile]()
        self.checked = Signal[Session]()  # emitted with a session that may have missed messages
        self._sessions: dict[str, Session] = {}
        self._by_player: dict[PlayerId, tuple[Session, ...]] = {}
        # Sessions that left before identification; their hello may still be in progress.
        self._left: WeakSet[Session] = WeakSet()
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

    async def add_session(
        self, session: Session, player: PlayerId, epoch: int, name: str | None = None
    ) -> Recorded | None:
        """Add a session of a player, unless its connection has ended in the meantime.

        Takes one round trip to the store, and a message to each other node with a session of the
        player. `epoch` is the token's; `name` and the result are as in `Sessions.register`. Refused
        as `bad_token`, if the player has been deleted or has signed out everywhere, or as `barred`.

        Raises:
            UnavailableError: the store does not answer; the session has not been added.
        """
        recorded = await self._registered.register(player, session.id, epoch, name)
        if session in self._left:
            self._registered.unregister(player, session.id)
            return recorded
        session.identify(player, epoch)
        self._sessions[session.id] = session
        self._by_player[player] = (*self.sessions_of(player), session)
        return recorded

    def remove_session(self, session: Session) -> None:
        """Schedule the removal of a session that has ended."""
        if session.player is None:
            self._left.add(session)
            return
        # Removals take about 20 µs and go in slices, so that the event loop stays responsive when
        # ten thousand connections drop together.
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
        """Return the scopes of a player's newest session here; empty for other players."""
        sessions = self.sessions_of(player)
        # A client that sends a command and disconnects is still charged.
        return scopes_of(sessions[-1].address) if sessions else self._last_scopes.get(player, ())

    def close(self) -> None:
        """Remove all departed sessions, while the services can still publish their departure."""
        for session in self._leaving.take():
            self._remove(session)

    def _replaced(self, session_id: str) -> None:
        session = self._sessions.get(session_id)
        if session is not None:
            session.close(Reason.REPLACED)

    def _barred(self, player: PlayerId) -> None:
        for session in self.sessions_of(player):
            session.close(Reason.BARRED)

    def _signed_out(self, player: PlayerId, epoch: int, stays: str | None) -> None:
        for session in self.sessions_of(player):
            if session.epoch < epoch and session.id != stays:
                session.close(Reason.SIGNED_OUT)

    async def _check_all(self, _: str) -> None:
        stop = self._background.stop
        sessions = iter(list(self._sessions.values()))
        while not stop.is_set and (batch := list(islice(sessions, CHECK_BATCH))):
            # If the store does not answer, the whole check is repeated, since more messages may
            # have been lost.
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
