"""Handlers of commands, one module for each subject, as the messages are."""

from __future__ import annotations

from server.core.codes import read_room_code
from server.core.ids import AttemptId, PlayerId
from server.core.refusal import Refusal
from server.gateway.costs import MISSES
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
from server.gateway.messages.accounts import (
    ConfirmCode,
    ConfirmPasskey,
    CreatePasskey,
    KeepRecoveryCode,
    SignIn,
    UsePasskey,
)
from server.gateway.messages.deals import ShowDeal
from server.gateway.messages.rooms import JoinRoom
from server.gateway.messages.runs import GetRun, GetRuns
from server.gateway.messages.shared import Command, Event
from server.gateway.messages.watching import WatchRound
from server.gateway.session import Session
from server.service import quotas
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


GUESSES = (
    JoinRoom, WatchRound, SignIn, CreatePasskey, UsePasskey, KeepRecoveryCode, ConfirmCode,
    ConfirmPasskey, GetRun, GetRuns, ShowDeal,
)  # fmt: skip
"""Commands that may be guesses, which are refused while a player or an address has had too many
misses, whether right or wrong. `OpenAttempt` is none, so that everybody can return to a game: the
id of an attempt is that of its player with 80 random bits.
"""


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
        if isinstance(command, GUESSES) and not self._is_return(session, command):
            session.payer.admit_guess()
        try:
            return await HANDLERS[type(command)](request)
        except Refusal as refusal:
            if refusal.code in MISSES:
                session.payer.missed()
            raise

    def _is_return(self, session: Session, command: Command) -> bool:
        """Return whether a player has a seat in a room that is known here, so that it is no guess.

        Only what is in memory counts: a read of the store for a guess would take another time if
        there is such a room.
        """
        if not isinstance(command, JoinRoom | WatchRound) or session.player is None:
            return False
        live = self._services.live.find(read_room_code(command.code))
        return live is not None and live.room.seat_of(session.player) is not None

    def play(
        self, attempt: AttemptId, player: PlayerId, seq: int, numbers: MoveNumbers, reply: Reply
    ) -> None:
        """Play a move; `reply` is called with its outcome."""
        if self._services.quotas.is_full(player):
            reply(quotas.full())
            return
        self._services.attempts.play_soon(attempt, player, seq, numbers, reply)

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
        return self._services.clock.now()
