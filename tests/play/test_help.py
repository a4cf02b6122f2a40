"""Undo and hints: stored before they are answered, on any node."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from engine.board import apply_delta, view_of
from server.base.core.ids import AttemptId, PlayerId, RoomCode
from server.play.answers import Played, Snapshot
from server.play.attempts import Attempts
from server.play.core import attempt as core
from server.play.core.attempt import Attempt, Hinted, Undone
from server.play.core.digest import digest
from server.play.core.result import Help
from server.play.resume import find_missed
from server.rooms.core import commands
from tests.builders import ADA, BOB, LIMIT, refusal_from
from tests.nodes import BEGUN, Node, attempt_of
from tests.play.test_attempts import entries


async def begin(
    node: Node, allowed: Help = "hints", game: str = "robert"
) -> tuple[AttemptId, RoomCode]:
    """Start a round with this help, and return Ada's attempt and the room's code."""
    room = await node.rooms.create(
        ADA, game, "standard", seats=2, limit=LIMIT, creation="with help", allowed=allowed
    )
    code = room.opened.code
    await node.rooms.decide(code, commands.take_seat, BOB)
    room = await node.rooms.start(code, ADA, (ADA, BOB))
    node.clock.time = BEGUN
    attempt = attempt_of(room, ADA)
    await node.rooms.open_attempt(attempt, ADA)
    return attempt, code


async def undo(node: Node, attempt: AttemptId, seq: int) -> Played:
    answer = await node.attempts.undo(attempt, ADA, seq)
    assert isinstance(answer, Played)
    return answer


async def hint(node: Node, attempt: AttemptId, seq: int) -> Attempt:
    answer = await node.attempts.hint(attempt, ADA, seq, lambda _: None)
    assert isinstance(answer, Attempt)
    return answer


async def types(node: Node, attempt: AttemptId) -> list[str]:
    texts = await entries(node, attempt)
    return [msgspec.json.decode(text)["type"] for text in texts]


async def test_an_undo_is_stored_and_restores_the_board(node: Node, other: Node) -> None:
    attempt, _ = await begin(node)
    view = (await node.attempts.open(attempt, ADA)).view
    played = await node.play(attempt, ADA)
    undone = await undo(other, attempt, 3)
    assert apply_delta(view_of(played.after.board), undone.delta).piles == view.piles
    assert await types(node, attempt) == ["started", "moved", "undone"]
    for each in (node, other):
        state = await each.state_of(attempt)
        assert (state.result.moves, state.result.undos, state.result.peeked) == (2, 1, True)
    await node.play(attempt, ADA)


async def test_a_resent_undo_is_answered_again(node: Node, other: Node) -> None:
    attempt, _ = await begin(node)
    await node.play(attempt, ADA)
    assert await refusal_from(node.attempts.undo(attempt, BOB, 3)) == "unknown_attempt"
    first = await undo(node, attempt, 3)
    for each in (node, other):
        assert await undo(each, attempt, 3) == first
    assert len(await entries(node, attempt)) == 3


def _hint(attempts: Attempts, attempt: AttemptId, player: PlayerId, seq: int) -> Any:
    return attempts.hint(attempt, player, seq, lambda _: None)


@pytest.mark.parametrize("command", [Attempts.undo, _hint])
@pytest.mark.parametrize("seq", [1, 2, 4, 100])
async def test_an_unexpected_number_gets_a_snapshot(node: Node, command: Any, seq: int) -> None:
    attempt, _ = await begin(node)
    await node.play(attempt, ADA)
    answer = await command(node.attempts, attempt, ADA, seq)
    assert isinstance(answer, Snapshot)
    assert (answer.seq, answer.undoable) == (2, 1)
    assert len(await entries(node, attempt)) == 2


async def test_two_nodes_undo_a_move_only_once(node: Node, other: Node) -> None:
    attempt, _ = await begin(node)
    await node.play(attempt, ADA)
    await node.play(attempt, ADA)
    await other.state_of(attempt)
    answers = await asyncio.gather(undo(node, attempt, 4), undo(other, attempt, 4))
    assert answers[0].after == answers[1].after
    assert await types(node, attempt) == ["started", "moved", "moved", "undone"]


async def test_a_repeated_hint_is_stored_once(node: Node, other: Node) -> None:
    attempt, _ = await begin(node)
    given = await hint(node, attempt, 2)
    assert given.hinted is not None
    for each, seq in ((node, 2), (other, 2), (node, 3), (other, 3)):
        assert await hint(each, attempt, seq) == given
    assert await types(node, attempt) == ["started", "hinted"]
    snapshot = await other.attempts.open(attempt, ADA)
    assert (snapshot.hinted, snapshot.result.hints) == (given.hinted, 1)


async def test_hints_at_the_start_are_right(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt, _ = await begin(node)
    times = iter([BEGUN - 1])
    monkeypatch.setattr(node.clock, "now", lambda: next(times, BEGUN))
    assert await refusal_from(hint(node, attempt, 2)) == "not_started"
    assert (await hint(node, attempt, 2)).hinted is not None


async def test_missed_entries_include_undos_hints_need_snapshots(node: Node, other: Node) -> None:
    attempt, _ = await begin(node)
    before = await node.attempts.open(attempt, ADA)
    await node.play(attempt, ADA)
    await undo(node, attempt, 3)
    now = await other.attempts.open(attempt, ADA)
    missed = await find_missed(other.attempts, now, 1, digest(before.view))
    assert missed is not None
    assert [text for text, _ in missed.moves] == ["s>w", core.UNDONE]
    await hint(node, attempt, 4)
    now = await other.attempts.open(attempt, ADA)
    assert await find_missed(other.attempts, now, 3, digest(before.view)) is None
    assert await find_missed(other.attempts, now, 4, digest(now.view)) is not None


async def test_another_node_applies_published_undos_and_hints(node: Node, other: Node) -> None:
    attempt, _ = await begin(node)
    await node.play(attempt, ADA)
    await other.state_of(attempt)
    await undo(node, attempt, 3)
    await hint(node, attempt, 4)
    *_, undone, hinted = await entries(node, attempt)
    for number, text, kind in ((3, undone, Undone), (4, hinted, Hinted)):
        step = other.attempts.receive(attempt, number, text)
        assert step is not None
        assert isinstance(step.event, kind)
    assert await other.state_of(attempt) == await node.state_of(attempt)
