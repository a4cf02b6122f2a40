"""Execution of sessions' commands by injected handlers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from server.base.core.ids import AttemptId, PlayerId, has_owner
from server.base.core.refusal import BaseRefusals, Refusal, RefusalCode
from server.base.net.budgets import Guess
from server.base.wire.contracts import MoveAnswer
from server.base.wire.messages import Command, Event, MoveMessage
from server.base.wire.session import Session
from server.base.wire.shown import ShownAttempts

Decode = Callable[[bytes | None], Command | MoveMessage]
"""Decodes a frame into a command or move: see `server.base.wire.codec.Decoder`."""

Play = Callable[[AttemptId, PlayerId, Any, Callable[[Any], None]], None]
"""Plays a move, and calls the last argument with a result for `AnswerMove`, or an exception."""

AnswerMove = Callable[[Any, ShownAttempts, int, int], MoveAnswer]
"""Returns the answer to a move: see `server.base.wire.contracts.Answerer`."""


class UndeclaredMissError(Exception):
    """A command was refused as a wrong guess without declaring that refusal in `misses`.

    Attributes:
        args: the command's name and the code.
    """


class Handlers:
    """Executes the commands of a node's sessions; the `Answerer` of `contracts`.

    Args:
        carry_out: executes a session's command with its handler.
        is_seated: returns whether a player has a seat in a command's room, from memory only: a read
            of the store would reveal by its timing whether the room exists.
        decode: decodes frames.
        play: plays a move.
        answer_move: builds the answers to moves.
        misses: the misses of all commands.
    """

    def __init__(
        self,
        carry_out: Callable[[Command, Session], Awaitable[Event]],
        is_seated: Callable[[PlayerId, Command], bool],
        decode: Decode,
        play: Play,
        answer_move: AnswerMove,
        *,
        misses: frozenset[RefusalCode],
    ) -> None:
        self._carry_out = carry_out
        self._is_seated = is_seated
        self.decode = decode
        self.play = play
        self.answer_move = answer_move
        self._misses = misses

    async def answer(self, session: Session, command: Command) -> Event:
        """Execute a command, and return its answer.

        Raises:
            Refusal: the command is refused.
        """
        if not command.for_bots and session.player is not None and has_owner(session.player):
            raise Refusal(BaseRefusals.not_for_bots)
        with self._guess(session, command) as guess:
            try:
                return await self._carry_out(command, session)
            except Refusal as refusal:
                if refusal.code in command.misses:
                    guess.missed()
                elif refusal.code in self._misses:
                    # An uncharged refusal would allow unlimited guesses with this command.
                    raise UndeclaredMissError(type(command).__name__, refusal.code.name) from None
                raise

    def _guess(self, session: Session, command: Command) -> Guess:
        """Charge for a command that may be a guess, unless its player has a seat in that room.

        Raises:
            Refusal: as `too_fast`.
        """
        if not command.misses:
            return Guess()
        if session.player is not None and self._is_seated(session.player, command):
            return Guess()
        return session.payer.guess()
