"""Attempts that several sessions of a player show: one holds it, the others mirror it.

The holder is the session that last moved or took the attempt over. The others receive its moves as
`Missed`, and once `Taken`. Holding is advice for clients: any session can move, and the journal
decides which move stands. A player with one session costs nothing here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import structlog

from engine.board import delta_between
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import Refusal, UnavailableError, UnreadableError
from server.base.nodes.node_bus import NodeBus
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.worker_pool import WorkerPool
from server.play import messages
from server.play import present as play_present
from server.play.attempts import Attempts
from server.play.core.attempt import move_of
from server.play.core.bus import Ended, Opened, Released, Taken
from server.play.journal import Step
from server.play.mirrors import Mirrors
from server.players.hub import Hub
from server.players.sessions import Sessions

CONCURRENCY = 32  # attempts read concurrently after missed entries
END_CHECKS = 32  # attempts read concurrently because their ends may have been missed

log = structlog.get_logger()


class HoldingFeed:
    """Tracks the holder of each shown attempt, and updates the player's other sessions."""

    def __init__(  # noqa: PLR0917 - its sources and recipients
        self,
        attempts: Attempts,
        mirrors: Mirrors,
        sessions: Sessions,
        node_bus: NodeBus,
        clock: Clock,
        background: Background,
        hub: Hub,
    ) -> None:
        self._attempts = attempts
        self._clock = clock
        self._sessions = sessions
        self._mirrors = mirrors
        self._node_bus = node_bus
        self._hub = hub
        self._sessions_of = hub.sessions_of
        self._reads: WorkerPool[tuple[PlayerId, AttemptId, str | None]] = WorkerPool(
            background,
            "mirrored_attempts",
            lambda item: self._send_snapshots(*item),
            size=CONCURRENCY,
        )
        self._ends: WorkerPool[Session] = WorkerPool(
            background, "missed_ends", self._send_missed_end, size=END_CHECKS
        )
        hub.leaving.subscribe(self.leave)
        hub.checked.subscribe(self._checked)
        self._mirrors.ended.subscribe(self._ended)
        self._mirrors.advanced.subscribe(self._advanced)
        self._mirrors.missed.subscribe(lambda *item: self._reads.add(item))
        node_bus.on(Opened, self._opened_elsewhere)
        node_bus.on(Taken, self._taken_elsewhere)
        node_bus.on(Released, lambda each: self._release(each.player, each.attempt, each.by))
        self._sessions.alone.subscribe(self._release_dead)

    def _checked(self, session: Session) -> None:
        if session.shown.latest is not None:
            self._ends.add(session)

    async def _send_missed_end(self, session: Session) -> None:
        if session.shown.latest is None or not self._hub.has(session):
            return
        attempt = await self._attempts.find(session.shown.latest)
        if attempt is not None and attempt.end in {"time", "stuck"}:
            self._ended(Ended.of(attempt))

    def _ended(self, ended: Ended) -> None:
        for session in self._sessions_of(ended.player):
            if session.shown.is_latest(ended.attempt):
                number = session.shown.assign_number(ended.attempt)
                result = play_present.result(ended.result)
                session.send(messages.Ended(number, ended.seq, result))

    def open(self, session: Session, attempt: AttemptId) -> None:
        """Notify a session that shows an attempt, after its answer, if another one holds it."""
        player, shown = session.player, session.shown
        assert player is not None
        # It may have left while its command was carried out.
        if not self._hub.has(session):
            return
        if attempt in {shown.held, shown.mirrored} or not self._sessions.has_several(player):
            return
        for other in self._showing(player, attempt):
            if other.shown.held == attempt:
                loop = asyncio.get_running_loop()
                # After the answer to the command that opened it.
                loop.call_soon(self._notify_taken, session, attempt, other.id)
                return
        self._sessions.publish(player, Opened(player, attempt, session.id, self._node_bus.node))

    def take(self, session: Session, attempt: AttemptId) -> None:
        """Make a session the holder of an attempt that it shows, and notify the mirrors."""
        player, shown = session.player, session.shown
        assert player is not None
        if not self._hub.has(session):
            return
        shown.held, shown.mirrored = attempt, None
        # Later than any takeover known here, even if this node's clock is behind.
        shown.taken_at = max(self._clock.now(), shown.known_taken_at + 1)
        if not self._sessions.has_several(player):
            return
        for other in self._showing(player, attempt):
            if other is not session:
                self._notify_taken(other, attempt, session.id)
        taken = Taken(player, attempt, session.id, shown.taken_at, None)
        self._sessions.publish(player, taken)
        self._sessions.use(player, session.id)

    def leave(self, session: Session) -> None:
        """Notify mirroring sessions that an ending session no longer holds its attempt."""
        player, attempt = session.player, session.shown.held
        assert player is not None
        if attempt is not None and self._sessions.has_several(player):
            self._release(player, attempt, session.id)
            self._sessions.publish(player, Released(player, attempt, session.id))

    def _release(self, player: PlayerId, attempt: AttemptId, by: str) -> None:
        """Notify sessions that mirror the ended session `by`, or an unknown one."""
        for session in self._showing(player, attempt):
            shown = session.shown
            if shown.mirrored == attempt and shown.holder in {by, None}:
                shown.mirrored = shown.holder = None
                session.send(messages.Released(shown.assign_number(attempt)))

    def _release_dead(self, player: PlayerId) -> None:
        """Release attempts held by sessions of other nodes of the player, which have died."""
        sessions = tuple(self._sessions_of(player))
        here = {each.id for each in sessions}
        for session in sessions:
            shown = session.shown
            if shown.mirrored is not None and shown.holder not in here:
                self._release(player, shown.mirrored, shown.holder or "")

    def _showing(self, player: PlayerId, attempt: AttemptId) -> Iterable[Session]:
        return (each for each in self._sessions_of(player) if each.shown.is_latest(attempt))

    def _notify_taken(self, session: Session, attempt: AttemptId, by: str | None) -> None:
        """Notify a session, once, that another session holds an attempt that it shows."""
        shown = session.shown
        if shown.held == attempt:
            shown.held, shown.taken_at = None, 0
        if not shown.is_latest(attempt):
            return
        shown.holder = by
        if shown.mirrored != attempt:
            shown.mirrored = attempt
            session.send(messages.Taken(shown.assign_number(attempt), by))

    def _advanced(self, step: Step, text: str | None, by: str | None) -> None:
        """Send an entry to mirroring sessions, and publish it if this node has appended it."""
        before, event, after = step
        player, attempt = after.start.player, after.id
        mirrors = []
        for session in self._showing(player, attempt):
            if session.shown.has_written(session.shown.assign_number(attempt), after.seq):
                by = session.id
                self._sessions.use(player, session.id)
            else:
                mirrors.append(session)
        if text is not None:
            self._mirrors.publish_entry(after, text, by)
        if not mirrors:
            return
        move = move_of(event)
        if before is None or move is None:
            self._reads.add((player, attempt, by))
            return
        delta = delta_between(before.board, after.board)
        now = self._clock.now()
        # Encoded once for each, as their numbers differ; a player has few sessions.
        for session in mirrors:
            number = session.shown.assign_number(attempt)
            session.send(play_present.missed_one(after, move, delta, number, now))
            self._notify_taken(session, attempt, by)

    async def _send_snapshots(self, player: PlayerId, attempt: AttemptId, by: str | None) -> None:
        """Send a snapshot to the mirroring sessions after missed entries."""
        try:
            state = await self._attempts.find(attempt)
            if state is None or state.start.player != player:
                return
            snapshot = await self._attempts.snapshot(state)
        except (Refusal, UnavailableError, UnreadableError) as error:
            # Their next entry will show a gap, and they will request a snapshot.
            log.debug("snapshot_not_sent", attempt=attempt, error=str(error))
            return
        for session in self._showing(player, attempt):
            shown = session.shown
            number = shown.assign_number(attempt)
            if shown.has_written(number, state.seq):
                continue
            session.send(play_present.attempt(snapshot, number, self._clock.now()))
            # A session that took over since then holds the attempt itself.
            if session.id != by and shown.taken_at < state.at:
                self._notify_taken(session, attempt, by)

    def _opened_elsewhere(self, opened: Opened) -> None:
        for session in self._showing(opened.player, opened.attempt):
            if session.shown.held == opened.attempt:
                at = session.shown.taken_at
                taken = Taken(opened.player, opened.attempt, session.id, at, opened.session)
                self._node_bus.send((opened.node,), taken)
                return

    def _taken_elsewhere(self, taken: Taken) -> None:
        """Notify sessions that one on another node holds an attempt; the latest takeover wins."""
        for session in self._showing(taken.player, taken.attempt):
            if taken.session not in {None, session.id}:
                continue
            shown = session.shown
            # Break ties by session id, so that all nodes agree.
            later = (shown.taken_at, session.id) > (taken.at, taken.by)
            shown.known_taken_at = max(shown.known_taken_at, taken.at)
            if shown.held != taken.attempt or not later:
                self._notify_taken(session, taken.attempt, taken.by)
