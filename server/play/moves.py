"""A move in flight: from a session to the journal, and its reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from engine.board import Delta
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.core.machine import Step
from server.base.work.tasks import run_soon
from server.play.answers import Played, Snapshot
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Event

# A move as (source pile, target pile, count) in numbers, not yet validated.
MoveNumbers = tuple[int, int, int]


class SequenceError(Refusal):
    """The command's number is not the number of the journal's next entry."""

    def __init__(self) -> None:
        super().__init__(BaseRefusals.bad_message)


# Called with the outcome of a move: its effect, a snapshot if its number was not the next one, a
# `Refusal`, or an `UnavailableError` if it is unknown whether the move was stored.
Reply = Callable[[Played | Snapshot | Exception], None]

# See `Attempts.answer_again`.
AnswerAgain = Callable[[AttemptId, PlayerId, int, MoveNumbers], Awaitable[Played | Snapshot]]


class PendingMove(Struct, gc=False):
    """A move in flight, to become entry `seq`; `again` answers if that is not the next number.

    Attributes:
        delta: its delta, once it has been decided.
    """

    attempt: AttemptId
    player: PlayerId
    seq: int
    numbers: MoveNumbers
    again: AnswerAgain
    reply: Reply
    delta: Delta | None = None

    def decide(self, state: Attempt | None, now: int) -> tuple[Event, Attempt]:
        """Return the event of the move, and the attempt after it. Refused as for `core.play`."""
        if state is None or state.start.player != self.player:
            raise Refusal(BaseRefusals.unknown_attempt)
        if self.seq != state.seq + 1:
            raise SequenceError
        move = state.board.ruleset.move_of(*self.numbers)
        if move is None:
            raise Refusal(BaseRefusals.bad_move)
        played = core.play(state, move, now)
        self.delta = played.delta
        return played.event, played.after

    def finish(self, outcome: Step[Attempt] | Exception) -> None:
        """Reply with the attempt before and after the move, or the error."""
        if isinstance(outcome, Step):
            assert outcome.before is not None
            assert self.delta is not None
            self.reply(Played(outcome.before, outcome.after, self.delta))
        elif isinstance(outcome, SequenceError):
            # It may be a retry of a move that is stored already.
            run_soon(self._answer_again())
        else:
            self.reply(outcome)

    async def _answer_again(self) -> None:
        try:
            answer = await self.again(self.attempt, self.player, self.seq, self.numbers)
        except Exception as error:
            self.reply(error)
        else:
            self.reply(answer)
