"""Handlers of the commands in `server.play.messages`, and of moves, which run without a task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.base.core import costs
from server.base.core.costs import OUT_OF_ORDER
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.quotas import quotas
from server.base.quotas.quotas import Quotas
from server.base.wire import codec
from server.base.wire.contracts import MoveAnswer
from server.base.wire.messages import Command
from server.base.wire.shown import ShownAttempts
from server.base.work.clock import Clock
from server.play import present as play_present
from server.play.answers import Played, Snapshot
from server.play.attempts import Attempts
from server.play.core.attempt import UNDONE
from server.play.messages import (
    Attempt,
    Ended,
    Hint,
    Hinted,
    Missed,
    OpenAttempt,
    PlayMove,
    Resign,
    Undo,
)
from server.play.moves import Reply
from server.play.resume import MAX_MISSED, find_missed
from server.play.services import Request


class Moves:
    """Carries out the moves of sessions."""

    def __init__(self, attempts: Attempts, quotas_: Quotas, clock: Clock) -> None:
        self._attempts = attempts
        self._quotas = quotas_
        self._clock = clock

    def play(self, attempt: AttemptId, player: PlayerId, move: PlayMove, reply: Reply) -> None:
        """Play a move; `reply` is called with its outcome."""
        if self._quotas.is_full(player):
            reply(quotas.full())
            return
        numbers = move.source, move.target, move.count
        self._attempts.play_soon(attempt, player, move.seq, numbers, reply)

    def answer(
        self, found: Played | Snapshot, shown: ShownAttempts, number: int, seq: int
    ) -> MoveAnswer:
        """Return the answer to a move: see `server.base.wire.contracts.Answerer`."""
        if isinstance(found, Snapshot):
            event = play_present.attempt(
                found, shown.assign_number(found.attempt), self._clock.now()
            )
            frame = codec.encode(event, (number, seq))
            return MoveAnswer(frame, found.start.game, "stale", written=False, cost=OUT_OF_ORDER)
        after, frame = found.after, play_present.moved_frame(found, number)
        outcome = after.end or "played"
        if found.is_repeated:
            return MoveAnswer(frame, after.start.game, outcome, written=True, cost=OUT_OF_ORDER)
        return MoveAnswer(frame, after.start.game, outcome, written=True)


async def open_attempt(request: Request[OpenAttempt]) -> Attempt | Missed:
    """Return the snapshot, or the missed moves if they are known and take fewer bytes."""
    attempts, have = request.services.attempts, request.command.have
    attempt = AttemptId(request.command.attempt)
    if not await attempts.has_rules(attempt):
        request.pay(costs.RULES)
    await pay_for_reading(request, [attempt])
    snapshot = await request.services.rooms.open_attempt(attempt, request.player)
    missed = None
    if have is not None:
        if 0 < (count := snapshot.seq - have.seq) <= MAX_MISSED:
            request.pay(costs.READ + costs.MISSED * count)
        missed = await find_missed(attempts, snapshot, have.seq, have.digest)
    whole = show(request, snapshot, take=request.command.take)
    if missed is None:
        return whole
    # A small snapshot can be shorter than the moves.
    part = play_present.missed(missed, whole.number, whole.now)
    return part if len(codec.encode(part)) < len(codec.encode(whole)) else whole


async def pay_for_reading(request: Request[Any], attempts: Iterable[AttemptId]) -> None:
    """Charge for the entries of attempts that are not in memory, or raise a `Refusal`."""
    unread = await request.services.attempts.unread(attempts)
    request.pay(sum(costs.READ + costs.ENTRY * length for length in unread))


async def resign(request: Request[Resign]) -> Ended | Attempt:
    """End the attempt; return its snapshot instead if `seq` is not its next entry."""
    command = request.command
    attempt = _attempt(request)
    found = await request.services.attempts.resign(attempt, request.player, command.seq)
    if isinstance(found, Snapshot):
        return play_present.attempt(found, command.number, request.now())
    return play_present.ended(found, command.number)


async def undo(request: Request[Undo]) -> Missed | Attempt:
    """Undo the last move; return the snapshot instead if `seq` is not its next entry."""
    number, seq = request.command.number, request.command.seq
    _check_quota(request)
    found = await request.services.attempts.undo(_attempt(request), request.player, seq)
    if isinstance(found, Snapshot):
        return play_present.attempt(found, number, request.now())
    # No await between the append and the answer: other sessions are notified only after it.
    request.session.shown.wrote(number, found.after.seq)
    return play_present.missed_one(found.after, UNDONE, found.delta, number, request.now())


async def hint(request: Request[Hint]) -> Hinted | Attempt:
    """Give a hint; return the snapshot instead if `seq` is not the next entry."""
    number, seq = request.command.number, request.command.seq
    _check_quota(request)
    found = await request.services.attempts.hint(
        _attempt(request),
        request.player,
        seq,
        lambda moves: request.pay(moves * costs.JUDGED),
    )
    if isinstance(found, Snapshot):
        return play_present.attempt(found, number, request.now())
    request.session.shown.wrote(number, found.seq)
    return play_present.hinted(found, number)


def _check_quota(request: Request[Undo] | Request[Hint]) -> None:
    """Refuse another entry if the player's quota is used up, as for moves."""
    if request.services.quotas.is_full(request.player):
        raise quotas.full()


def _attempt(request: Request[Resign] | Request[Undo] | Request[Hint]) -> AttemptId:
    attempt = request.session.shown.attempt_of(request.command.number)
    if attempt is None:
        raise Refusal(BaseRefusals.unknown_attempt)
    return attempt


def show(request: Request[Command], snapshot: Snapshot, *, take: bool) -> Attempt:
    """Return a snapshot under its number in the session, which shows it from now on.

    With `take`, the session also holds it; otherwise it mirrors the holder.
    """
    number = request.session.shown.show(snapshot.attempt, snapshot.start.room)
    if snapshot.result.end is None:
        holding = request.services.holding
        (holding.take if take else holding.open)(request.session, snapshot.attempt)
    return play_present.attempt(snapshot, number, request.now())
