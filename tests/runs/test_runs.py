"""Runs: their content, and when players can see them."""

from __future__ import annotations

import asyncio

import pytest

from engine.deal import deal_seed
from engine.notation import parse_move
from engine.play import play
from server.base.core import days
from server.base.core.ids import AttemptId, DealId
from server.base.core.refusal import Refusal
from server.base.journals.reader import rules_of
from server.runs import runs
from tests.builders import ADA, BOB, CYD, refusal_from, round_of
from tests.conftest import ALONE
from tests.nodes import BEGUN, OVER, Node, attempt_of

pytestmark = ALONE


async def test_a_run_has_the_moves_of_its_attempt_with_their_times(node: Node, other: Node) -> None:
    room, _ = await node.race_of(ADA)
    attempt = attempt_of(room, ADA)
    for seconds in (1, 3, 4):
        node.clock.time = BEGUN + seconds * 1_000
        await node.play(attempt, ADA)
    node.clock.time = BEGUN + 9_000
    await node.attempts.give_up(attempt)
    await node.apply_effects()
    found = await other.services.runs.load(attempt)
    run, deal = found.run, found.deal
    assert [time for _, time in run.moves] == [1_000, 3_000, 4_000]
    assert (run.end, run.ended, found.profile.id) == ("resigned", 9_000, ADA)
    rules = rules_of(deal.game, deal.variant, run.start.rules)
    board = deal_seed(rules, deal.seed)
    for text, _ in run.moves:
        board, _ = play(board, parse_move(rules, text))
    assert board == (await node.state_of(attempt)).board


async def test_no_run_is_shown_during_a_race_on_its_deal(node: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    attempt = attempt_of(room, ADA)
    deal = DealId(attempt.partition(".")[0])
    node.clock.time = BEGUN
    await node.attempts.give_up(attempt)
    await node.apply_effects()
    assert await refusal_from(node.services.runs.load(attempt)) == "deal_open"
    assert await refusal_from(node.services.runs.on(deal, BOB)) == "deal_open"
    await node.rooms.leave(code, BOB)
    await node.apply_effects()
    assert await refusal_from(node.services.runs.load(attempt)) is None


async def test_a_run_of_a_daily_is_shown_from_its_close_on(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, "robert")).attempt
    day = (await node.state_of(attempt)).start.day
    assert day is not None
    node.clock.time = days.closes(day) - 1
    assert await refusal_from(node.services.runs.load(attempt)) == "deal_open"
    # The attempt was not read since, so this read applies the deadline.
    node.clock.time = days.closes(day)
    found = await node.services.runs.load(attempt)
    assert (found.run.end, found.run.start.at + found.run.ended) == ("time", node.clock.time)


async def test_runs_on_a_rounds_deal_are_its_runners_best_first(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA, BOB)
    node.clock.time = BEGUN
    await node.play_out(attempt_of(room, BOB), BOB)
    await node.attempts.give_up(attempt_of(room, ADA))
    await node.apply_effects()
    first = round_of(room).deal
    await node.rematch(code, ADA, BOB)
    node.clock.time = OVER * 2
    for asked in (node, other):
        size, rows = await asked.services.runs.on(first, CYD)
        assert (size, [(row.profile.id, row.rank) for row in rows]) == (2, [(BOB, 1), (ADA, 2)])
        bob = (await node.state_of(rows[0].attempt)).result
        assert (rows[0].left, rows[0].time, rows[0].moves) == (bob.left, bob.time, bob.moves)


async def test_the_runs_on_a_dailys_deal_are_on_its_leaderboard(node: Node) -> None:
    attempts = [(await node.dailies.open(player, "robert")).attempt for player in (ADA, BOB)]
    state = await node.state_of(attempts[0])
    await node.play_out(attempts[1], BOB)
    await node.play(attempts[0], ADA)
    await node.attempts.give_up(attempts[0])
    await node.apply_effects()
    assert state.start.day is not None
    node.clock.time = days.closes(state.start.day)
    size, rows = await node.services.runs.on(state.start.deal, ADA)
    assert (size, [row.profile.id for row in rows]) == (2, [BOB, ADA])
    assert {row.attempt for row in rows} == set(attempts)


async def test_an_invalid_run_is_refused(node: Node) -> None:
    room, code = await node.race_of(ADA)
    node.clock.time = BEGUN
    await node.rooms.leave(code, ADA)
    await node.apply_effects()
    deal = attempt_of(room, ADA).partition(".")[0]
    for wrong in ("", "nothing", f"{deal}.{BOB}", f"dea1000000000000.{ADA}"):
        assert await refusal_from(node.services.runs.load(AttemptId(wrong))) == "unknown_run"
    with pytest.raises(Refusal, match="unknown_deal"):
        await node.services.runs.on(DealId("dea1000000000000"), ADA)


async def test_concurrent_reads_of_runs_are_limited(node: Node) -> None:
    room, code = await node.race_of(ADA)
    node.clock.time = BEGUN
    await node.rooms.leave(code, ADA)
    await node.apply_effects()
    attempt = attempt_of(room, ADA)
    codes = await asyncio.gather(
        *(refusal_from(node.services.runs.load(attempt)) for _ in range(runs.MAX_READS + 2))
    )
    assert codes == [None] * runs.MAX_READS + ["overloaded"] * 2
    assert await refusal_from(node.services.runs.load(attempt)) is None
