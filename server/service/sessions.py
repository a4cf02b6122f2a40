"""Sessions: which one is a player's newest, on which node, and notifications to it.

Redis has one key for each player, written by `hello` and not renewed: the node and the id of the
newest session. It stays when the session ends, since a message to a session or a node that has
ended does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from server.core import topics
from server.core.attempt import Attempt
from server.core.ids import PlayerId
from server.core.refusal import UnavailableError
from server.service import bus_messages
from server.service.attempts import Attempts
from server.service.bus_messages import Ended, Replaced
from server.service.ports import MessageBus, PlayerStore
from server.service.signal import Signal
from server.service.tasks import Tasks

log = structlog.get_logger()


class Sessions:
    """Registers players' newest sessions, and notifies them across nodes.

    Attributes:
        superseded: emitted with the id of a session of this node that a newer one has replaced.
        ended: emitted when a player's attempt has ended without a command; the player may have no
            session on this node.
        missed: emitted when messages to this node may have been missed.
    """

    def __init__(
        self, players: PlayerStore, bus: MessageBus, node_id: str, attempts: Attempts
    ) -> None:
        self.superseded: Signal[str] = Signal()
        self.ended: Signal[Ended] = Signal()
        self.missed: Signal[()] = Signal()
        self._players = players
        self._bus = bus
        self._node = node_id
        self._local: dict[PlayerId, str] = {}
        self._tasks = Tasks()
        bus.subscribe(topics.node(node_id), self._receive)
        attempts.advanced.subscribe(self._attempt_advanced)

    async def take(self, player: PlayerId, session: str) -> None:
        """Register a session of this node as its player's newest, and notify the previous one.

        Raises:
            UnavailableError: the store does not answer; the session may be registered or not.
        """
        before = await self._players.take_session(player, f"{self._node}/{session}")
        self._local[player] = session
        if before is None:
            return
        node, _, older = before.partition("/")
        if older == session:
            # A retry of a `hello` that was not answered.
            return
        if node == self._node:
            self.superseded.emit(older)
        else:
            self._bus.publish(topics.node(node), bus_messages.encode(Replaced(older)))

    def release(self, player: PlayerId, session: str) -> None:
        """Handle that a session of this node has ended."""
        if self._local.get(player) == session:
            del self._local[player]

    async def replaced(self, sessions: Sequence[tuple[PlayerId, str]]) -> list[str]:
        """Return the ids of those sessions of this node that newer ones have replaced.

        One round trip for all of them. A session whose player has no newest session in the store
        any more is registered again.

        Args:
            sessions: (player, session id) of each.

        Raises:
            UnavailableError: the store does not answer.
        """
        newest = await self._players.newest_sessions([player for player, _ in sessions])
        found = []
        for (player, session), kept in zip(sessions, newest, strict=True):
            if kept is None:
                await self.take(player, session)
            elif kept != f"{self._node}/{session}":
                found.append(session)
        return found

    def notify_ended(self, attempt: Attempt) -> None:
        """Notify an attempt's player that it has ended without a command.

        One read of the store if the player has no session on this node, else none.
        """
        player = attempt.start.player
        ended = Ended.of(attempt)
        self.ended.emit(ended)
        if player not in self._local:
            self._tasks.start(self._publish_ended(player, ended))

    async def _publish_ended(self, player: PlayerId, ended: Ended) -> None:
        """Publish the end of an attempt to the node of its player's newest session."""
        try:
            (newest,) = await self._players.newest_sessions([player])
        except UnavailableError as error:
            # The player learns of it by the answer to the next command on the attempt.
            log.warning("end_not_published", attempt=ended.attempt, error=str(error))
            return
        node = newest.partition("/")[0] if newest else self._node
        if node != self._node:
            self._bus.publish(topics.node(node), bus_messages.encode(ended))

    def _attempt_advanced(self, attempt: Attempt) -> None:
        if attempt.end == "time":
            self.notify_ended(attempt)

    def _receive(self, payload: bytes | None) -> None:
        """Handle a message to this node; `None` if messages may have been missed."""
        message = bus_messages.node_message(payload)
        if isinstance(message, Replaced):
            self.superseded.emit(message.session)
        elif isinstance(message, Ended):
            self.ended.emit(message)
        else:
            self.missed.emit()

    async def close(self) -> None:
        """Wait for the notifications in flight."""
        await self._tasks.wait()
