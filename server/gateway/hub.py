"""The sessions of this node: who has come, who has gone, and what each of them listens to.

A session knows what it listens to, and takes exactly that away when it leaves. Nothing here is done
for a session to which nothing happens.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from itertools import islice

import structlog

from server.core.boards import BoardId
from server.core.ids import PlayerId, RoomCode
from server.core.race import Room
from server.core.refusal import UnavailableError
from server.gateway import present
from server.gateway.contracts import Reason
from server.gateway.leaderboards import LeaderboardFeeds
from server.gateway.messages import attempts as messages
from server.gateway.rooms import RoomFeeds
from server.gateway.session import Session
from server.service.bus_messages import Ended
from server.service.leaderboards import Page
from server.service.services import Services
from server.stop import Stop

SLICE = 0.003
"""Seconds after which sessions that have gone let others go first."""

CHECKED_AT_ONCE = 200
"""Sessions of which it is asked together whether they are still their players' newest."""

CHECK_PAUSE = 0.05
"""Seconds between two such questions: ten thousand sessions are checked in some three seconds."""

CHECK_AGAIN = 1.0
"""Seconds before sessions that could not be checked are."""

log = structlog.get_logger()


class Hub:
    """The sessions of this node, by id and by player."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._sessions: dict[str, Session] = {}
        self._newest: dict[PlayerId, Session] = {}
        self._entering: set[Session] = set()
        self._leaving: deque[Session] = deque()
        self._forgetting = False
        self._unchecked = asyncio.Event()
        self.rooms = RoomFeeds(services)
        self.leaderboards = LeaderboardFeeds(services.leaderboards)
        services.sessions.superseded.subscribe(self._replaced)
        services.sessions.ended.subscribe(self._ended)
        services.sessions.missed.subscribe(self._unchecked.set)

    @property
    def size(self) -> int:
        """How many sessions there are."""
        return len(self._sessions)

    async def enter(self, session: Session, player: PlayerId) -> None:
        """Make a session its player's newest; older ones, on any node, are closed.

        One round trip, and one message if the older one is on another node.

        Raises:
            UnavailableError: the store does not answer; the session has not entered.
        """
        self._entering.add(session)
        try:
            await self._services.sessions.take(player, session.id)
        finally:
            gone = session not in self._entering
            self._entering.discard(session)
        if gone:
            self._services.sessions.release(player, session.id)
            return
        session.player = player
        older = self._newest.get(player)
        self._sessions[session.id] = session
        self._newest[player] = session
        if older is not None:
            older.close(Reason.REPLACED)

    def leave(self, session: Session) -> None:
        """Forget a session that has ended.

        What has to be done for that takes some 20 microseconds, and is done in slices: when ten
        thousand sockets drop at once, others are answered between them.
        """
        self._entering.discard(session)
        if session.player is None:
            return
        self._leaving.append(session)
        if not self._forgetting:
            self._forgetting = True
            asyncio.get_running_loop().call_soon(self._forget_some)

    def _forget_some(self) -> None:
        until = time.monotonic() + SLICE
        while self._leaving and time.monotonic() < until:
            self._forget(self._leaving.popleft())
        self._forgetting = bool(self._leaving)
        if self._forgetting:
            asyncio.get_running_loop().call_soon(self._forget_some)

    def _forget(self, session: Session) -> None:
        """Take away what a session listens to. Neither waits nor looks at anything else."""
        assert session.player is not None
        self._sessions.pop(session.id, None)
        if self._newest.get(session.player) is session:
            del self._newest[session.player]
            self._services.sessions.release(session.player, session.id)
        self.rooms.unsubscribe(session)
        self.leaderboards.unwatch(session)

    def close(self) -> None:
        """Forget all sessions that have ended, before what tells others of it is stopped."""
        while self._leaving:
            self._forget(self._leaving.popleft())

    async def enter_room(self, session: Session, room: Room) -> None:
        """Let a session listen to a room, and wait until it can be answered."""
        if session.id in self._sessions:
            self.rooms.subscribe(session, room)
            await self.rooms.ready(session, room)

    def leave_room(self, session: Session, code: RoomCode) -> None:
        """Let a session not listen to a room any more, if that is the one it listens to."""
        if session.room == code:
            self.rooms.unsubscribe(session)

    async def watch(self, session: Session, board: BoardId) -> Page:
        """Let a session watch a leaderboard, and return it as it is now.

        Raises:
            UnavailableError: the store does not answer.
        """
        page = await self.leaderboards.watch(session, board)
        if session.id not in self._sessions:
            # It has gone meanwhile.
            self.leaderboards.unwatch(session)
        return page

    def _replaced(self, session_id: str) -> None:
        """Close a session whose player has opened a newer one."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.close(Reason.REPLACED)

    def _ended(self, ended: Ended) -> None:
        """Tell a player that an attempt is over, if the session of this node was shown it."""
        session = self._newest.get(ended.player)
        if session is not None and ended.attempt in {session.attempt, session.shown_round}:
            number = session.number_of(ended.attempt)
            session.send(messages.Ended(number, ended.seq, present.result(ended.result)))

    async def run(self, stop: Stop) -> None:
        """Tell watchers of leaderboards, and make up for lost messages, until told to stop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.leaderboards.run(stop))
            group.create_task(self._check_sessions(stop))
        await self.rooms.close()

    async def _check_sessions(self, stop: Stop) -> None:
        """Find out what sessions have missed whenever messages to this node may have been lost."""
        while not stop.is_set:
            await stop.or_wait(self._unchecked.wait())
            self._unchecked.clear()
            try:
                await self._check_all(stop)
            except UnavailableError as error:
                # The messages that come next may be lost as well: all are checked anew.
                log.warning("sessions_unchecked", error=str(error))
                self._unchecked.set()
                await stop.or_wait(asyncio.sleep(CHECK_AGAIN))

    async def _check_all(self, stop: Stop) -> None:
        sessions = iter(list(self._sessions.values()))
        while not stop.is_set and (some := list(islice(sessions, CHECKED_AT_ONCE))):
            await self._check(some)
            await stop.or_wait(asyncio.sleep(CHECK_PAUSE))

    async def _check(self, sessions: list[Session]) -> None:
        """Close those that are no longer the newest, and tell the others of ends they missed."""
        ids = [(session.player, session.id) for session in sessions if session.player is not None]
        for replaced in await self._services.sessions.replaced(ids):
            self._replaced(replaced)
        over = [session for session in sessions if session.attempt is not None]
        await asyncio.gather(*map(self._send_missed_end, over))

    async def _send_missed_end(self, session: Session) -> None:
        if session.attempt is None or session.player is None:
            return
        attempt = await self._services.attempts.find(session.attempt)
        if attempt is not None and attempt.end in {"time", "stuck"}:
            self._ended(Ended(session.player, attempt.id, attempt.seq, attempt.result))
