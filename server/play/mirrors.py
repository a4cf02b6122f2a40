"""Mirrors of attempts: entries are published to the player's other sessions, on all nodes."""

from __future__ import annotations

import asyncio

import structlog

from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import UnavailableError, UnreadableError
from server.base.nodes.node_bus import NodeBus
from server.base.work.signal import Signal
from server.base.work.tasks import Tasks
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt, move_of
from server.play.core.attempt import Ended as EndedEntry
from server.play.core.bus import Advanced, Ended
from server.play.journal import Step, decode
from server.players.sessions import Sessions

log = structlog.get_logger()


class Mirrors:
    """Notifies a player's sessions of changes to the player's attempts."""

    def __init__(self, attempts: Attempts, sessions: Sessions, node_bus: NodeBus) -> None:
        # Emitted when a player's attempt has ended without a command of this session; the player
        # may have no session on this node.
        self.ended: Signal[Ended] = Signal()
        # Emitted with each entry of an attempt whose player has several sessions, after its answer:
        # the entry, its text (JSON) or `None` for another node's entry, and the session that caused
        # it, if another node has reported one.
        self.advanced: Signal[Step, str | None, str | None] = Signal()
        # Emitted with a player, an attempt and the session that moved, if an entry of another node
        # does not follow this node's last one.
        self.missed: Signal[PlayerId, AttemptId, str | None] = Signal()
        self._attempts = attempts
        self._sessions = sessions
        self._node = node_bus.node
        self._tasks = Tasks()
        node_bus.on(Ended, self.ended.emit)
        node_bus.on(Advanced, self._receive_entry)
        attempts.appended.subscribe(self._appended)
        attempts.given_up.subscribe(self._given_up)

    def notify_ended(self, attempt: Attempt) -> None:
        """Notify all sessions of an attempt's player that it has ended without their command."""
        player = attempt.start.player
        ended = Ended.of(attempt)
        self.ended.emit(ended)
        # Otherwise two reads of the store find the player's nodes.
        if self._sessions.is_here(player):
            self._sessions.publish(player, ended)
        else:
            self._tasks.run_soon(self._publish_ended(player, ended))

    async def _publish_ended(self, player: PlayerId, ended: Ended) -> None:
        try:
            await self._sessions.publish_to_all({player: ended})
        except UnavailableError as error:
            # The answer to the player's next command on the attempt will report it.
            log.debug("end_not_published", attempt=ended.attempt, error=str(error))

    def _appended(self, before: Attempt | None, after: Attempt, text: str) -> None:
        """Handle an entry of this node: two look-ups if its player has no other session."""
        # Deadlines are applied by reads, so no session has requested this end.
        if after.end == "time":
            self.notify_ended(after)
        elif before is not None and self._sessions.has_several(after.start.player):
            # Let the session that moved get its answer first.
            asyncio.get_running_loop().call_soon(self._advanced, before, after, text)

    def _advanced(self, before: Attempt, after: Attempt, text: str) -> None:
        event = decode(text)
        if not isinstance(event, EndedEntry):
            self.advanced.emit(Step(before, event, after), text, None)
        elif event.end == "resigned":
            # For other ends, the code that appends them notifies the player.
            self.notify_ended(after)

    def _given_up(self, after: Attempt) -> None:
        if not self._sessions.has_several(after.start.player):
            self.notify_ended(after)

    def publish_entry(self, after: Attempt, text: str, by: str | None) -> None:
        """Publish an entry of this node, caused by session `by`, to the player's other nodes."""
        player = after.start.player
        message = Advanced(player, self._node, after.id, after.seq, text, by)
        # One message for each node, however many sessions it has.
        self._sessions.publish(player, message)

    def _receive_entry(self, message: Advanced) -> None:
        if not self._sessions.is_here(message.player):
            # The sending node has missed that the last session here has ended.
            self._sessions.tell_left(message.player, message.node)
            return
        try:
            step = self._attempts.receive(message.attempt, message.number, message.text)
        except UnreadableError as error:
            # The cause was logged when it was read.
            log.debug("entry_not_mirrored", attempt=message.attempt, code=error.code.name)
            return
        if step is not None and move_of(step.event) is not None:
            self.advanced.emit(step, None, message.by)
        else:
            self.missed.emit(message.player, message.attempt, message.by)

    async def close(self) -> None:
        """Wait for notifications in flight."""
        await self._tasks.wait()
