"""Handlers of commands, one module for each subject, as the messages are."""

from __future__ import annotations

from server.core.ids import AttemptId, PlayerId
from server.gateway.handlers import (
    accounts,
    attempts,
    dailies,
    deals,
    leaderboards,
    rooms,
    runs,
    session,
    watching,
)
from server.gateway.handlers.request import Request
from server.gateway.hub import Hub
from server.gateway.load import Load
from server.gateway.messages.shared import Command, Event
from server.gateway.session import Session
from server.service.moves import MoveNumbers, Reply
from server.service.services import Services

HANDLERS = {
    **session.HANDLERS,
    **rooms.HANDLERS,
    **attempts.HANDLERS,
    **deals.HANDLERS,
    **dailies.HANDLERS,
    **leaderboards.HANDLERS,
    **runs.HANDLERS,
    **watching.HANDLERS,
    **accounts.HANDLERS,
}
"""The handler of every command, by the command's type."""


class Handlers:
    """Carries out the commands of a node's sessions; the `Answerer` of `contracts`."""

    def __init__(self, services: Services, hub: Hub, load: Load) -> None:
        self._services = services
        self._hub = hub
        self._load = load

    async def answer(self, session: Session, command: Command) -> Event:
        """Carry a command out, and return the event that answers it.

        Raises:
            Refusal: it is not carried out.
            UnavailableError: the store does not answer.
        """
        request = Request(command, session, self._services, self._hub, self._load)
        return await HANDLERS[type(command)](request)

    def play(
        self, attempt: AttemptId, player: PlayerId, seq: int, numbers: MoveNumbers, reply: Reply
    ) -> None:
        """Play a move; `reply` is called with its outcome."""
        self._services.attempts.play_soon(attempt, player, seq, numbers, reply)

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
        return self._services.clock.now()
