"""A session's moves: those that wait for an earlier command take turns, and some cost more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import msgpack
import pytest

from server import protocol
from server.base.core.costs import MOVE
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import BaseRefusals
from server.base.net import limits
from server.base.wire.contracts import MoveAnswer, Reason
from server.base.wire.messages import Command, Event, MoveMessage
from server.base.wire.session import Session
from server.base.wire.shown import ShownAttempts
from server.base.work.metrics import Metrics
from tests.recorded_wire import RecordedWire

ME = PlayerId("p" * 16)
ATTEMPT = AttemptId("robert.1")


class _Moves:
    """An `Answerer` of moves, which answers each when told."""

    decode = staticmethod(protocol.decode)

    def __init__(self) -> None:
        self.replies: deque[tuple[int, Callable[[Any], None]]] = deque()
        self.cost = 0.0

    async def answer(self, session: Session, command: Command) -> Event:
        """Fail: only moves are sent."""
        raise AssertionError

    def play(
        self,
        attempt: AttemptId,
        player: PlayerId,
        move: MoveMessage,
        reply: Callable[[Any], None],
    ) -> None:
        self.replies.append((move.seq, reply))

    def answer_move(self, found: Any, shown: ShownAttempts, number: int, seq: int) -> MoveAnswer:
        return MoveAnswer(b"%d" % seq, "robert", "played", written=False, cost=self.cost)

    def answer_next(self) -> int:
        """Answer the oldest move, and return its number."""
        seq, reply = self.replies.popleft()
        reply(seq)
        return seq


class _Connection:
    """A session with a known player and attempt."""

    def __init__(self) -> None:
        self.wire, self.moves = RecordedWire(), _Moves()
        self.session = Session("s", self.wire, self.moves, Metrics())
        self.session.cancel_hello_timer()
        self.session.identify(ME)
        self.number = self.session.shown.assign_number(ATTEMPT)

    def move(self, seq: int, number: int | None = None) -> None:
        """Receive a move's frame."""
        self.session.receive(msgpack.packb([number or self.number, seq, 1, 2]))


@pytest.fixture
async def connection() -> _Connection:
    return _Connection()


async def test_a_move_without_a_pending_one_starts_at_once(connection: _Connection) -> None:
    for seq in (2, 3):
        connection.move(seq)
        assert not connection.wire.turns
        assert connection.moves.answer_next() == seq


async def test_pending_moves_start_one_by_one_in_turns(connection: _Connection) -> None:
    for seq in (2, 3, 4):
        connection.move(seq)
    assert connection.moves.answer_next() == 2
    for seq in (3, 4):
        assert not connection.moves.replies
        assert connection.wire.take_turn() == MOVE
        assert connection.moves.answer_next() == seq
    assert not connection.wire.turns
    assert connection.wire.sent == [b"2", b"3", b"4"]
    # Nothing is pending any longer.
    connection.move(5)
    assert connection.moves.answer_next() == 5


async def test_a_move_does_not_overtake_one_that_waits_for_its_turn(
    connection: _Connection,
) -> None:
    connection.move(2)
    connection.move(3)
    connection.moves.answer_next()
    connection.move(4)
    assert not connection.moves.replies
    connection.wire.take_turn()
    assert connection.moves.answer_next() == 3
    connection.wire.take_turn()
    assert connection.moves.answer_next() == 4


async def test_a_refused_pending_move_is_followed_by_the_next(connection: _Connection) -> None:
    connection.move(2)
    connection.move(3, connection.number + 1)
    connection.move(4)
    connection.moves.answer_next()
    connection.wire.take_turn()
    refused = msgpack.unpackb(connection.wire.sent[-1])
    assert BaseRefusals.unknown_attempt.name in refused
    connection.wire.take_turn()
    assert connection.moves.answer_next() == 4


async def test_a_closing_session_answers_the_move_that_waits_for_its_turn(
    connection: _Connection,
) -> None:
    for seq in (2, 3, 4):
        connection.move(seq)
    connection.moves.answer_next()
    connection.session.close(Reason.TOO_FAST)
    assert connection.wire.codes == []
    connection.wire.take_turn()
    assert connection.moves.answer_next() == 3
    assert connection.wire.codes == [Reason.TOO_FAST.value[0]]
    assert not connection.moves.replies


async def test_the_additional_cost_of_an_answer_becomes_a_debt(connection: _Connection) -> None:
    connection.moves.cost = limits.PLAYER_COMMANDS.at_once
    for seq in (2, 3):
        connection.move(seq)
    connection.moves.answer_next()
    # The first move was answered, and the next must wait for about five seconds.
    answered, refused = connection.wire.sent
    assert answered == b"2"
    _, re, code, _, wait = msgpack.unpackb(refused)
    assert (re, code) == ([connection.number, 3], BaseRefusals.too_fast.name)
    assert 0 < wait <= 1_000 * limits.PLAYER_COMMANDS.at_once / limits.PLAYER_COMMANDS.second
