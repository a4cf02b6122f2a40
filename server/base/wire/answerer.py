"""Handlers of commands, one module for each subject, as the messages are."""

from __future__ import annotations

from server.accounts import handlers as accounts
from server.base.core.codes import read_room_code
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import Refusal
from server.base.net.budgets import Guess
from server.base.net.load import Load
from server.base.quotas import quotas
from server.base.wire.costs import MISSES
from server.base.wire.messages import Command, Event
from server.base.wire.request import Request
from server.base.wire.session import Session
from server.dailies import handlers as dailies
from server.lobby import handlers as lobby
from server.play import handlers as attempts
from server.play.moves import MoveNumbers, Reply
from server.players import handlers as session
from server.players.hub import Hub
from server.results import handlers as leaderboards
from server.rooms import handlers as rooms
from server.rooms.messages import RoomCommand
from server.runs import deal_handlers as deals
from server.runs import handlers as runs
from server.watching import handlers as watching
from server.wings import Services

HANDLERS = {
    **session.HANDLERS,
    **rooms.HANDLERS,
    **lobby.HANDLERS,
    **attempts.HANDLERS,
    **deals.HANDLERS,
    **dailies.HANDLERS,
    **leaderboards.HANDLERS,
    **runs.HANDLERS,
    **watching.HANDLERS,
    **accounts.HANDLERS,
}
"""The handler of every command, by the command's type."""


class UndeclaredMissError(Exception):
    """A command was refused as a wrong guess, of which it does not say that it may be one.

    Attributes:
        args: the command's name, and the code.
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
        with self._guess(session, command) as guess:
            try:
                return await HANDLERS[type(command)](request)
            except Refusal as refusal:
                if refusal.code in command.misses:
                    guess.missed()
                elif refusal.code in MISSES:
                    # It could be guessed by this command for nothing.
                    raise UndeclaredMissError(type(command).__name__, refusal.code) from None
                raise

    def _guess(self, session: Session, command: Command) -> Guess:
        """Charge for a command that may be a guess, unless its player has a seat in that room.

        Only what is in memory counts: a read of the store for a guess would take another time if
        there is such a room.

        Raises:
            Refusal: as `too_fast`.
        """
        if not command.misses:
            return Guess()
        if isinstance(command, RoomCommand) and session.player is not None:
            live = self._services.live.find(read_room_code(command.code))
            if live is not None and live.room.seat_of(session.player) is not None:
                return Guess()
        return session.payer.guess()

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
