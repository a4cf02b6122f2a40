"""What was missed, added to what was had, is what there is."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import View, apply_delta, view_of
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from server.core import attempt as core
from server.core.attempt import Attempt, Play, Resign
from server.core.digest import digest, fnv1a, view_text
from server.core.ids import AttemptId
from server.service.answers import Snapshot, snapshot_of
from server.service.attempts import Step
from server.service.resume import MOST_MISSED, Missed, find_missed, missed_of
from server.store import keys
from tests.core.builders import ADA, LIMIT, START, started
from tests.engine.positions import ALL
from tests.relatives import find_ruleset
from tests.service.nodes import Node, SetClock
from tests.service.test_attempts import begin, command


def play_on(attempt: Attempt, chance: Random, most: int, *, resigns: bool) -> list[Step]:
    """Return the entries of a journal of random moves, and of a resignation if wanted."""
    steps = [Step(None, attempt.start, attempt)]
    while attempt.end is None and len(steps) <= most:
        move = chance.choice(legal_moves(attempt.board))
        steps.append(_step(attempt, Play(move_text(attempt.board.ruleset, move))))
        attempt = steps[-1].after
    if resigns and attempt.end is None:
        steps.append(_step(attempt, Resign()))
    return steps


def _step(attempt: Attempt, what: Play | Resign) -> Step:
    event = core.decide(attempt, what, START + 1_000)
    return Step(attempt, event, core.fold(attempt, event))


@st.composite
def journals(draw: st.DrawFn) -> list[Step]:
    """Draw a journal of any game."""
    rules = find_ruleset(*draw(st.sampled_from(ALL)))
    chance = Random(draw(st.integers(0, 2**32 - 1)))
    start = started(rules.game)
    board = deal_seed(rules, chance.randbytes(32))
    most = draw(st.integers(0, 120))
    return play_on(core.begin(start, board), chance, most, resigns=draw(st.booleans()))


def followed(view: View, missed: Missed) -> View:
    """Return the view that a client has which had this one."""
    for _, delta in missed.moves:
        view = apply_delta(view, delta)
    return view


def now(steps: list[Step]) -> Snapshot:
    """Return the snapshot after the last entry."""
    return snapshot_of(steps[-1].after, "00")


@given(journals(), st.data())
def test_what_was_had_and_what_was_missed_is_the_snapshot(
    steps: list[Step], data: st.DataObject
) -> None:
    had = data.draw(st.sampled_from(steps)).after
    view = view_of(had.board)
    missed = missed_of(steps, now(steps), had.seq, digest(view))
    assert missed is not None
    assert followed(view, missed) == now(steps).view
    without = steps[-1].after.seq - had.seq - len(missed.moves)
    assert without in {0, 1}
    assert without == 0 or missed.now.result.end is not None


@given(journals(), st.data())
def test_another_digest_gets_nothing(steps: list[Step], data: st.DataObject) -> None:
    had = data.draw(st.sampled_from(steps)).after
    wrong = data.draw(st.integers(0, 2**32 - 1))
    if wrong != digest(view_of(had.board)):
        assert missed_of(steps, now(steps), had.seq, wrong) is None


@given(journals())
def test_a_journal_that_ends_before_the_snapshot_tells_nothing(steps: list[Step]) -> None:
    had = steps[0].after
    if len(steps) > 1:
        assert missed_of(steps[:-1], now(steps), had.seq, digest(view_of(had.board))) is None


@given(journals())
def test_a_view_has_one_text_of_two_letters_a_card(steps: list[Step]) -> None:
    for step in steps[-3:]:
        view = view_of(step.after.board)
        *piles, redeals = view_text(view).split(",")
        assert [len(pile) for pile in piles] == [2 * len(pile) for pile in view.piles]
        assert int(redeals) == view.redeals
        assert digest(view) == fnv1a(view_text(view))


@pytest.mark.parametrize(
    ("text", "found"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)]
)
def test_the_hash_is_the_known_one(text: str, found: int) -> None:
    assert fnv1a(text) == found


async def asked(node: Node, attempt: AttemptId, had: Snapshot) -> Missed | None:
    """Return what a client missed that has a snapshot."""
    found = await node.attempts.open(attempt, ADA)
    return await find_missed(node.attempts, found, had.seq, digest(had.view))


async def test_any_node_tells_what_was_missed(node: Node, other: Node) -> None:
    attempt = await begin(node, game="robert")
    had = [await node.attempts.open(attempt, ADA)]
    for _ in range(6):
        await node.play(attempt, ADA)
        had.append(await node.attempts.open(attempt, ADA))
    for back in (node, other):
        for view in had:
            missed = await asked(back, attempt, view)
            assert missed is not None
            assert len(missed.moves) == 7 - view.seq
            assert followed(view.view, missed) == had[-1].view


async def test_who_has_it_all_costs_no_look_at_the_journal(node: Node) -> None:
    attempt = await begin(node)
    await node.play(attempt, ADA)
    had = await node.attempts.open(attempt, ADA)
    await node.redis.delete(keys.attempt(attempt))
    missed = await find_missed(node.attempts, had, had.seq, digest(had.view))
    assert missed == Missed(had.seq, (), had)
    assert await find_missed(node.attempts, had, had.seq, digest(had.view) ^ 1) is None
    assert await find_missed(node.attempts, had, had.seq - 1, digest(had.view)) is None


async def test_more_than_the_most_is_not_told(node: Node) -> None:
    attempt = await begin(node, game="deuces")
    had = await node.attempts.open(attempt, ADA)
    for seq in range(2, MOST_MISSED + 2):
        await command(node, attempt, seq, "s>w")
    missed = await asked(node, attempt, had)
    assert missed is not None
    assert len(missed.moves) == MOST_MISSED
    await command(node, attempt, MOST_MISSED + 2, "s>w")
    assert await asked(node, attempt, had) is None


async def test_an_end_without_a_move_is_in_the_result(
    node: Node, other: Node, clock: SetClock
) -> None:
    attempt = await begin(node)
    had = await node.attempts.open(attempt, ADA)
    await node.play(attempt, ADA)
    clock.time = START + LIMIT
    missed = await asked(other, attempt, had)
    assert missed is not None
    assert (missed.now.seq, len(missed.moves), missed.now.result.end) == (3, 1, "time")
