"""Which session is a player's newest, on whichever node, and how to reach it.

What is kept is one key a player, written by `hello` and not renewed: it says on which node the
newest session was opened. A session that ends leaves it there, since a message to a session that
has ended, or to a node that has, does nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from server.core import topics
from server.core.attempt import Attempt
from server.core.ids import PlayerId
from server.core.refusal import UnavailableError
from server.service import bus_messages
from server.service.attempts import Attempts
from server.service.bus_messages import Ended, Replaced
from server.service.signal import Signal
from server.service.store import Store
from server.store.bus import Bus

log = structlog.get_logger()


class Sessions:
    """The sessions of all nodes, by player.

    Attributes:
        superseded: emitted with the id of a session of this node that is no longer the newest.
        ended: emitted when a player's attempt ended without a command.
        missed: emitted when messages to this node may have been missed.
    """

    def __init__(self, store: Store, bus: Bus, node_id: str, attempts: Attempts) -> None:
        self.superseded: Signal[str] = Signal()
        self.ended: Signal[Ended] = Signal()
        self.missed: Signal[()] = Signal()
        self._players = store.players
        self._bus = bus
        self._node = node_id
        self._local: dict[PlayerId, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        bus.subscribe(topics.node(node_id), self._receive)
        attempts.advanced.subscribe(self._attempt_advanced)

    async def take(self, player: PlayerId, session: str) -> None:
        """Make a session of this node its player's newest, and let the one before it know.

        Raises:
            UnavailableError: it is not known whether it is.
        """
        before = await self._players.take_session(player, f"{self._node}/{session}")
        self._local[player] = session
        if before is None:
            return
        node, _, older = before.partition("/")
        if older == session:
            # The same command once more: the first time it was not answered.
            return
        if node == self._node:
            self.superseded.emit(older)
        else:
            self._bus.publish(topics.node(node), bus_messages.encode(Replaced(older)))

    def release(self, player: PlayerId, session: str) -> None:
        """Note that a session of this node has ended."""
        if self._local.get(player) == session:
            del self._local[player]

    async def replaced(self, sessions: Sequence[tuple[PlayerId, str]]) -> list[str]:
        """Return which of some sessions of this node are no longer their players' newest.

        One round trip for all of them. Of a player of whom nothing is known any more, the session
        is made the newest again.

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

    def tell_ended(self, attempt: Attempt) -> None:
        """Let an attempt's player know that it is over without a command.

        One look-up if the player has no session on this node, else none.
        """
        player = attempt.start.player
        ended = Ended(player, attempt.id, attempt.seq, attempt.result)
        self.ended.emit(ended)
        if player not in self._local:
            task = asyncio.create_task(self._tell_elsewhere(player, ended))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _tell_elsewhere(self, player: PlayerId, ended: Ended) -> None:
        try:
            (newest,) = await self._players.newest_sessions([player])
        except UnavailableError as error:
            # The next thing that the player does with the attempt says it.
            log.warning("end_untold", attempt=ended.attempt, error=str(error))
            return
        node = newest.partition("/")[0] if newest else self._node
        if node != self._node:
            self._bus.publish(topics.node(node), bus_messages.encode(ended))

    def _attempt_advanced(self, attempt: Attempt) -> None:
        if attempt.end == "time":
            self.tell_ended(attempt)

    def _receive(self, payload: bytes | None) -> None:
        """Take a message to this node; `None` when some may have been missed."""
        message = bus_messages.node_message(payload)
        if isinstance(message, Replaced):
            self.superseded.emit(message.session)
        elif isinstance(message, Ended):
            self.ended.emit(message)
        else:
            self.missed.emit()

    async def close(self) -> None:
        """Wait for what is on its way."""
        if self._tasks:
            await asyncio.wait(self._tasks)
