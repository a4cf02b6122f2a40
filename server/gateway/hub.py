"""Which session hears of what, and telling it.

A wake-up says only that something changed; the hub looks at what there is now, and sends that. For
each topic one look is under way at a time, and those that are wanted meanwhile become one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from server.core.ids import AttemptId, PlayerId, RoomCode
from server.core.race import Room, Round
from server.core.refusal import Refusal, UnavailableError
from server.gateway import messages, present
from server.gateway.session import Reason, Session
from server.service import topics
from server.service.rooms import RoomPage
from server.service.services import Services
from server.stop import Stop

RENEW_EVERY = 5.0
"""Seconds between two renewals of every session's presence."""

SHOWN_WITHIN = 1.0
"""Seconds for which the answer to a join waits for the attempt to go out before it."""

AGAIN_AFTER = 1.0
"""Seconds before a look that failed is tried again."""

log = structlog.get_logger()

Listen = Callable[[str], None]


class Hub:
    """The sessions of this node, by what they hear of."""

    def __init__(self, services: Services, listen: Listen, unlisten: Listen, stop: Stop) -> None:
        self._services = services
        self._listen = listen
        self._unlisten = unlisten
        self._stop = stop
        self._sessions: set[Session] = set()
        self._heard: dict[str, set[Session]] = {}
        self._wanted: set[str] = set()
        self._looking: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: set[Session] = set()

    async def enter(self, session: Session, player: PlayerId) -> None:
        """Make a session its player's newest; older ones, on any node, are closed.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._services.players.take_session(player, session.id)
        session.player = player
        self._sessions.add(session)
        self._hear(session, topics.session(player))
        self._hear(session, topics.ended(player))
        await self._services.publish(topics.session(player))

    async def leave(self, session: Session) -> None:
        """Forget a session that has ended, and let its room know."""
        if session.player is None:
            return
        self._sessions.discard(session)
        for topic in [topic for topic, heard in self._heard.items() if session in heard]:
            self._unhear(session, topic)
        try:
            await self._services.players.drop_session(session.player, session.id)
            if session.room is not None:
                await self.tell_room(session.room)
        except UnavailableError as error:
            log.warning("presence_lingers", error=str(error))

    async def enter_room(self, session: Session, player: PlayerId, room: Room) -> None:
        """Let a session hear of a room, and give it the attempt that it is in the middle of.

        The attempt goes out before this returns, and so before the answer, if it can be had soon:
        a client that sees in the answer that a round goes on need not ask for the cards then.
        """
        code = room.opened.code
        self.watch_room(session, code)
        await self.tell_room(code)
        running = room.running
        if running is None or player not in running.unfinished():
            return
        push = self._push_attempt(session, running.attempt(player), running.starts)
        task = self._soon(push)
        if self._services.now() >= running.starts:
            await asyncio.wait({task}, timeout=SHOWN_WITHIN)

    def watch_room(self, session: Session, code: RoomCode | None) -> None:
        """Let a session hear of a room, or of none."""
        if session.room is not None:
            self._unhear(session, topics.room(session.room))
            self._unhear(session, topics.progress(session.room))
        session.room = code
        if code is not None:
            self._hear(session, topics.room(code))
            self._hear(session, topics.progress(code))

    def watch_leaderboard(self, session: Session, watched: tuple[str, int] | None) -> None:
        """Let a session hear of a leaderboard, or of none."""
        if session.watched is not None:
            self._unhear(session, topics.leaderboard(*session.watched))
        session.watched = watched
        if watched is not None:
            self._hear(session, topics.leaderboard(*watched))

    async def tell_room(self, code: RoomCode) -> None:
        """Wake everyone who hears of a room.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._services.publish(topics.room(code))

    async def wake(self, topic: str) -> None:
        """Look at a topic soon: something changed, or a wake-up may have been lost."""
        self._wanted.add(topic)
        if topic not in self._looking:
            self._looking.add(topic)
            self._soon(self._look(topic))

    async def _look(self, topic: str) -> None:
        """Look at a topic until nothing new is wanted."""
        look = {
            "room": self._look_at_room,
            "progress": self._look_at_progress,
            "leaderboard": self._look_at_leaderboard,
            "session": self._look_at_session,
            "ended": self._look_at_ended,
        }[topic.partition(":")[0]]
        try:
            while topic in self._wanted and not self._stop.told:
                self._wanted.discard(topic)
                try:
                    await look(self._heard.get(topic, set()).copy())
                except Refusal as refusal:
                    # It has been forgotten since; whoever asks for it will be told.
                    log.info("look_refused", topic=topic, code=refusal.code)
                except UnavailableError as error:
                    log.warning("look_failed", topic=topic, error=str(error))
                    self._wanted.add(topic)
                    await self._stop.or_wait(asyncio.sleep(AGAIN_AFTER))
        finally:
            self._looking.discard(topic)

    async def _look_at_room(self, sessions: set[Session]) -> None:
        page = await self._room_page(sessions)
        if page is None:
            return
        event, code = present.room(page), page.room.opened.code
        for session in sessions:
            told = session.told
            if told is not None and told.code == code and event.version < told.version:
                # A client takes a lower version for old news, unless it comes anew.
                session.close(Reason.WENT_BACK)
            # Most looks find nothing new: they are taken to find out what was missed.
            elif told != event:
                session.told = event
                session.send(event, ("room", code))
        if page.room.running is not None:
            self._push_attempts(sessions, page.room.running)

    def _push_attempts(self, sessions: set[Session], running: Round) -> None:
        """Give every runner the cards of a round that has not been shown them, at its start."""
        for session in sessions - self._waiting:
            if session.player is not None and session.player in running.unfinished():
                attempt = running.attempt(session.player)
                self._soon(self._push_attempt(session, attempt, running.starts))

    async def _push_attempt(self, session: Session, attempt: AttemptId, starts: int) -> None:
        """Send an attempt to its player once it has begun, unless the session was shown it."""
        assert session.player is not None
        self._waiting.add(session)
        try:
            while session.dealt != attempt and session in self._sessions:
                await self._until(starts)
                if self._stop.told:
                    return
                try:
                    snapshot = await self._services.attempts.open(attempt, session.player)
                except UnavailableError as error:
                    log.warning("attempt_waits", attempt=attempt, error=str(error))
                    await self._stop.or_wait(asyncio.sleep(AGAIN_AFTER))
                except Refusal as refusal:
                    if refusal.code != "not_started":
                        log.warning("attempt_not_sent", attempt=attempt, code=refusal.code)
                        return
                    # This node's clock was wrong, and has been put right.
                else:
                    if session.dealt != attempt:
                        session.shows(attempt, snapshot.start.room)
                        session.send(
                            present.attempt(
                                snapshot, session.number_of(attempt), self._services.now()
                            )
                        )
        finally:
            self._waiting.discard(session)

    async def _until(self, time: int) -> None:
        while (left := time - self._services.now()) > 0 and not self._stop.told:
            await self._stop.or_wait(asyncio.sleep(left / 1000))

    async def _look_at_progress(self, sessions: set[Session]) -> None:
        """To be replaced."""

    async def _room_page(self, sessions: set[Session]) -> RoomPage | None:
        """Return the room that these sessions hear of, or `None` if they have all gone."""
        code = next((session.room for session in sessions if session.room is not None), None)
        if code is None:
            return None
        return await self._services.rooms.page(await self._services.rooms.find(code))

    async def _look_at_leaderboard(self, sessions: set[Session]) -> None:
        for session in sessions:
            if session.watched is not None and session.player is not None:
                game, day = session.watched
                page = await self._services.leaderboards.page(game, day, session.player)
                session.send(present.leaderboard(page), ("leaderboard", game, day))

    async def _look_at_session(self, sessions: set[Session]) -> None:
        for session in sessions:
            await self._renew(session)

    async def _look_at_ended(self, sessions: set[Session]) -> None:
        for session in sessions:
            if session.player is None or session.attempt is None:
                continue
            found = await self._services.attempts.open(session.attempt, session.player)
            if found.result.end is not None:
                session.send(
                    messages.Ended(
                        session.number_of(found.attempt), found.seq, present.result(found.result)
                    )
                )

    async def keep_present(self) -> None:
        """Renew the presence of all sessions again and again, until told to stop.

        Rooms are looked at as often: the sessions of a node that was killed are gone without a
        word, and a wake-up may have been lost with it.
        """
        while not self._stop.told:
            await self._stop.or_wait(asyncio.sleep(RENEW_EVERY))
            renewals = [self._renew(session) for session in self._sessions]
            failures = [
                error
                for error in await asyncio.gather(*renewals, return_exceptions=True)
                if error is not None
            ]
            for error in failures:
                if not isinstance(error, UnavailableError):
                    raise error
            if failures:
                log.warning("presence_not_renewed", sessions=len(failures), error=str(failures[0]))
                continue
            for code in {session.room for session in self._sessions if session.room is not None}:
                await self.wake(topics.room(code))

    async def _renew(self, session: Session) -> None:
        """Keep a session present, or close it if its player has opened a newer one."""
        assert session.player is not None
        if not await self._services.players.renew_session(session.player, session.id):
            session.close(Reason.REPLACED)

    async def close(self) -> None:
        """Wait until nothing is being looked at any more; it has been told to stop."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _hear(self, session: Session, topic: str) -> None:
        self._heard.setdefault(topic, set()).add(session)
        self._listen(topic)

    def _unhear(self, session: Session, topic: str) -> None:
        heard = self._heard.get(topic, set())
        if session in heard:
            heard.discard(session)
            self._unlisten(topic)
            if not heard:
                del self._heard[topic]

    def _soon(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("look_broken", exc_info=task.exception())
