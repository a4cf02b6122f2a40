"""The carrying out of sessions' commands, by handlers that are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from server.base.core.ids import AttemptId, PlayerId, has_owner
from server.base.core.refusal import Refusal
from server.base.net.budgets import Guess
from server.base.net.contracts import MoveAnswer
from server.base.wire.costs import MISSES
from server.base.wire.messages import Command, Event, MoveMessage
from server.base.wire.session import Session
from server.base.wire.shown import ShownAttempts

Decode = Callable[[bytes | None], Command | MoveMessage]
"""Returns the command or move in a frame: see `server.base.wire.codec.Decoder`."""

Play = Callable[[AttemptId, PlayerId, Any, Callable[[Any], None]], None]
"""Plays a move, and calls the last argument with what `AnswerMove` takes, or an exception."""

AnswerMove = Callable[[Any, ShownAttempts, int, int], MoveAnswer]
"""Returns the answer to a move: see `server.base.net.contracts.Answerer`."""


class UndeclaredMissError(Exception):
    """A command was refused as a wrong guess, of which it does not say that it may be one.

    Attributes:
        args: the command's name, and the code.
    """


class Handlers:
    """Carries out the commands of a node's sessions; the `Answerer` of `contracts`.

    Args:
        carry_out: carries out a command of a session by its handler.
        is_seated: returns whether a player has a seat in the room that a command names, as far as
            memory says: a read of the store for a guess would take another time if there is one.
        decode: decodes frames.
        play: plays a move.
        answer_move: makes the answers to moves.
    """

    def __init__(
        self,
        carry_out: Callable[[Command, Session], Awaitable[Event]],
        is_seated: Callable[[PlayerId, Command], bool],
        decode: Decode,
        play: Play,
        answer_move: AnswerMove,
    ) -> None:
        self._carry_out = carry_out
        self._is_seated = is_seated
        self.decode = decode
        self.play = play
        self.answer_move = answer_move

    async def answer(self, session: Session, command: Command) -> Event:
        """Carry a command out, and return the event that answers it.

        Raises:
            Refusal: it is not carried out.
        """
        if not command.for_bots and session.player is not None and has_owner(session.player):
            raise Refusal("not_for_bots")
        with self._guess(session, command) as guess:
            try:
                return await self._carry_out(command, session)
            except Refusal as refusal:
                if refusal.code in command.misses:
                    guess.missed()
                elif refusal.code in MISSES:
                    # It could be guessed by this command for nothing.
                    raise UndeclaredMissError(type(command).__name__, refusal.code) from None
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
