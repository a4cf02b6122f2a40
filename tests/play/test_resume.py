"""Resuming an attempt: missed moves applied to an earlier view give the current one."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import View, apply_delta, view_of
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from server.base.core.costs import OUT_OF_ORDER
from server.base.core.ids import AttemptId
from server.base.journals.core.machine import KEEP_EVERY
from server.base.journals.store import JournalStore
from server.base.redis.database import Database
from server.base.wire.shown import ShownAttempts
from server.play.answers import Played, Snapshot, snapshot_of
from server.play.core import attempt as core
from server.play.core import keys
from server.play.core.attempt import Attempt, Moved
from server.play.core.digest import digest, fnv1a, view_text
from server.play.handlers import Moves
from server.play.journal import Step
from server.play.resume import MAX_MISSED, Missed, find_missed, missed_of
from tests.builders import ADA, LIMIT, START, started
from tests.conftest import ALONE
from tests.engine.positions import ALL
from tests.nodes import Node
from tests.play.test_attempts import begin, command
from tests.relatives import find_ruleset
from tests.sizes import SAMPLED, cases

pytestmark = ALONE


def play_on(attempt: Attempt, chance: Random, most: int, *, resigns: bool) -> list[Step]:
    """Return the entries of up to `most` random moves, and of a resignation if `resigns`."""
    steps = [Step(None, attempt.start, attempt)]
    while attempt.end is None and len(steps) <= most:
        moves = legal_moves(attempt.board)
        if attempt.undoable and (not moves or chance.random() < 0.2):
            decided = core.undo(attempt, START + 1_000)
        else:
            decided = core.play(attempt, chance.choice(moves), START + 1_000)
        steps.append(Step(attempt, decided.event, decided.after))
        attempt = decided.after
    if resigns and attempt.end is None:
        end = core.resign(attempt, START + 1_000)
        steps.append(Step(attempt, end, core.fold(attempt, end)))
    return steps


@st.composite
def journals(draw: st.DrawFn) -> list[Step]:
    """Draw a journal of any game."""
    rules = find_ruleset(*draw(st.sampled_from(ALL)))
    chance = Random(draw(st.integers(0, 2**32 - 1)))
    any_game = started(allowed=draw(st.sampled_from(["none", "undo"])))
    start = msgspec.structs.replace(any_game, game=rules.game, rules=rules.digest)
    board = deal_seed(rules, chance.randbytes(32))
    most = draw(st.integers(1, 120))
    return play_on(core.begin(start, board), chance, most, resigns=draw(st.booleans()))


def followed(view: View, missed: Missed) -> View:
    for _, delta in missed.moves:
        view = apply_delta(view, delta)
    return view


def now(steps: list[Step]) -> Snapshot:
    return snapshot_of(steps[-1].after, "00")


@given(journals(), st.data())
def test_missed_moves_lead_to_the_snapshot(steps: list[Step], data: st.DataObject) -> None:
    # A client with the last entry is answered without the journal.
    had = data.draw(st.sampled_from(steps[:-1])).after
    view = view_of(had.board)
    missed = missed_of(steps, now(steps), had.seq, digest(view))
    assert missed is not None
    assert followed(view, missed) == now(steps).view
    without = steps[-1].after.seq - had.seq - len(missed.moves)
    assert without in {0, 1}
    assert without == 0 or missed.now.result.end is not None


@given(journals(), st.data())
def test_a_wrong_digest_gets_no_missed_moves(steps: list[Step], data: st.DataObject) -> None:
    had = data.draw(st.sampled_from(steps)).after
    wrong = data.draw(st.integers(0, 2**32 - 1))
    if wrong != digest(view_of(had.board)):
        assert missed_of(steps, now(steps), had.seq, wrong) is None


@given(journals())
def test_a_journal_that_ends_before_the_snapshot_gives_no_missed_moves(steps: list[Step]) -> None:
    had = steps[0].after
    if len(steps) > 1:
        assert missed_of(steps[:-1], now(steps), had.seq, digest(view_of(had.board))) is None


@given(journals())
def test_the_text_of_a_view_has_two_letters_per_card(steps: list[Step]) -> None:
    for step in steps[-3:]:
        view = view_of(step.after.board)
        *piles, redeals = view_text(view).split(",")
        assert [len(pile) for pile in piles] == [2 * len(pile) for pile in view.piles]
        assert (int(redeals), digest(view)) == (view.redeals, fnv1a(view_text(view)))


async def missed_since(node: Node, attempt: AttemptId, had: Snapshot) -> Missed | None:
    found = await node.attempts.open(attempt, ADA)
    return await find_missed(node.attempts, found, had.seq, digest(had.view))


async def test_any_node_finds_the_missed_moves(node: Node, other: Node) -> None:
    attempt = await begin(node, game="robert")
    had = [await node.attempts.open(attempt, ADA)]
    for _ in range(6):
        await node.play(attempt, ADA)
        had.append(await node.attempts.open(attempt, ADA))
    for back in (node, other):
        for view in had:
            missed = await missed_since(back, attempt, view)
            assert missed is not None
            assert (len(missed.moves), followed(view.view, missed)) == (7 - view.seq, had[-1].view)


async def test_a_current_client_is_answered_without_reading_the_journal(node: Node) -> None:
    attempt = await begin(node)
    await node.play(attempt, ADA)
    had = await node.attempts.open(attempt, ADA)
    await node.redis.delete(keys.attempt(attempt))
    missed = await find_missed(node.attempts, had, had.seq, digest(had.view))
    assert missed == Missed(had.seq, (), had)
    assert await find_missed(node.attempts, had, had.seq, digest(had.view) ^ 1) is None
    assert await find_missed(node.attempts, had, had.seq - 1, digest(had.view)) is None


async def test_more_missed_moves_than_the_limit_are_not_returned(node: Node) -> None:
    attempt = await begin(node, game="deuces")
    had = await node.attempts.open(attempt, ADA)
    for seq in range(2, MAX_MISSED + 2):
        await command(node, attempt, seq, "s>w")
    missed = await missed_since(node, attempt, had)
    assert missed is not None
    assert len(missed.moves) == MAX_MISSED
    await command(node, attempt, MAX_MISSED + 2, "s>w")
    assert await missed_since(node, attempt, had) is None


async def test_an_end_without_a_move_is_in_the_result(node: Node, other: Node) -> None:
    attempt = await begin(node)
    had = await node.attempts.open(attempt, ADA)
    await node.play(attempt, ADA)
    node.clock.time = START + LIMIT
    missed = await missed_since(other, attempt, had)
    assert missed is not None
    assert (missed.now.seq, len(missed.moves), missed.now.result.end) == (3, 1, "time")


LONG = 4_000


async def long_attempt(node: Node) -> tuple[AttemptId, list[Step]]:
    """Start an attempt, and store a long journal for it without folding it on a node."""
    steps: list[Step] = []
    while len(steps) < LONG:
        attempt = await begin(node, game="deuces")
        steps = long_line(await node.state_of(attempt))
    async with node.redis.pipeline(transaction=False) as batch:
        for step in steps[1:]:
            text = msgspec.json.encode(step.event).decode()
            batch.xadd(keys.attempt(attempt), {"e": text}, id=f"0-{step.after.seq}")
        await batch.execute()
    return attempt, steps


def long_line(state: Attempt) -> list[Step]:
    """Return `LONG` entries of a running attempt, or none if it ends earlier."""
    chance = Random(1)
    steps = [Step(None, state.start, state)]
    rules = state.board.ruleset
    home = len(rules.foundations)
    while len(steps) < LONG and state.end is None:
        moves = legal_moves(state.board)
        around = [m for m in moves if m.target >= home and m.source != rules.stock]
        played = core.play(state, chance.choice(around or moves), START)
        steps.append(Step(state, played.event, played.after))
        state = played.after
    return steps if state.end is None else []


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    page, both = JournalStore._page, Database.read_both

    async def counting(self: JournalStore, *args: Any, **options: Any) -> Any:
        reply = await page(self, *args, **options)
        found.append(len(reply.value))
        return reply

    async def counting_first(self: Database, *args: Any) -> Any:
        replies = await both(self, *args)
        found.append(len(replies[0].value))
        return replies

    monkeypatch.setattr(JournalStore, "_page", counting)
    monkeypatch.setattr(Database, "read_both", counting_first)
    return found


@SAMPLED
@pytest.mark.parametrize("later", [0, 64, 1, 40, 63][: cases(2, 5)])
async def test_resuming_reads_few_entries(node: Node, counted: list[int], later: int) -> None:
    attempt, steps = await long_attempt(node)
    await node.state_of(attempt)
    # The whole journal has been read once, since it was not in the cache.
    assert sum(counted) >= LONG
    for _ in range(later):
        await node.play(attempt, ADA)
    now = await node.attempts.open(attempt, ADA)
    for missing in range(max(later, 1), MAX_MISSED + 1, 9):
        had = view_of(steps[now.seq - missing - 1].after.board)
        counted.clear()
        missed = await find_missed(node.attempts, now, now.seq - missing, digest(had))
        assert missed is not None
        assert (len(missed.moves), followed(had, missed), len(counted)) == (missing, now.view, 1)
        assert counted[0] <= 2 * KEEP_EVERY + 2


def cost_of(node: Node, answer: Played | Snapshot) -> float:
    """Return the additional cost of a move's answer."""
    services, shown = node.services, ShownAttempts()
    moves = Moves(services.attempts, services.quotas, services.clock)
    attempt = answer.attempt if isinstance(answer, Snapshot) else answer.after.id
    return moves.answer(answer, shown, shown.assign_number(attempt), 2).cost


async def test_the_next_move_has_no_additional_cost(node: Node) -> None:
    attempt = await begin(node, game="deuces")
    board = (await node.state_of(attempt)).board
    answer = await command(node, attempt, 2, move_text(board.ruleset, legal_moves(board)[0]))
    assert isinstance(answer, Played)
    assert cost_of(node, answer) == 0


async def test_a_late_duplicate_reads_few_entries(node: Node, counted: list[int]) -> None:
    attempt, steps = await long_attempt(node)
    await node.state_of(attempt)
    counted.clear()
    for back in (0, 1, 50, 63):
        step = steps[-1 - back]
        assert isinstance(step.event, Moved)
        answer = await command(node, attempt, step.after.seq, step.event.move)
        assert isinstance(answer, Played)
        assert (answer.before, answer.after) == (step.before, step.after)
        assert cost_of(node, answer) == OUT_OF_ORDER
    # The last entry is read to confirm it, and then at most two checkpoints' worth.
    assert max(counted) <= 2 * KEEP_EVERY + 2
    assert len(counted) <= 4 * 3


async def test_a_very_old_duplicate_gets_a_snapshot_unread(node: Node, counted: list[int]) -> None:
    attempt, steps = await long_attempt(node)
    await node.state_of(attempt)
    counted.clear()
    step = steps[2_000]
    assert isinstance(step.event, Moved)
    answer = await command(node, attempt, step.after.seq, step.event.move)
    assert isinstance(answer, Snapshot)
    assert answer.seq == LONG
    assert cost_of(node, answer) == OUT_OF_ORDER
    assert max(counted, default=0) <= 1
    had = snapshot_of(step.after, "00")
    assert await find_missed(node.attempts, answer, had.seq, digest(had.view)) is None
