"""Curves of dailies count each run once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.notation import parse_move
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import Refusal
from server.play.core.finish import Finish
from server.results.core.boards import of_daily
from server.results.core.curve import Band
from server.results.leaderboards_store import Placement
from tests.builders import ADA, BOB, START
from tests.conftest import ALONE
from tests.deals.certified import pooled
from tests.nodes import Node
from tests.results import leaving

pytestmark = ALONE

DAILY = DailyId("robert", days.day_at(START))


async def test_applying_a_finish_repeatedly_counts_it_once(node: Node, other: Node) -> None:
    for player in (ADA, BOB):
        await node.play_out((await node.dailies.open(player, DAILY.game)).attempt, player)
    finishes = [node.outbox.queue.get_nowait() for _ in range(2)]
    for each in (node, other, node):
        for finish in finishes:
            await each.outbox.apply(finish)
    found = await other.services.curves.load(DAILY)
    assert found.runs == 2
    homes = sorted(finish.result.home for finish in finishes if isinstance(finish, Finish))
    assert found.end == (homes[0], homes[0], homes[1])
    await node.services.histories.keep(ADA, START)
    assert await node.services.curves.load(DAILY) == found


async def test_a_voided_result_is_removed_from_the_curves(node: Node) -> None:
    attempt = (await node.dailies.open(ADA, DAILY.game)).attempt
    await node.play_out(attempt, ADA)
    await node.apply_effects()
    run = await node.attempts.run(attempt)
    assert run is not None
    fields = await node.services.curves.of_run(run)
    await node.services.leaderboards.place(
        ADA, [Placement(of_daily(DAILY, "guests"), None, fields)]
    )
    assert (await node.services.curves.load(DAILY)).runs == 0


async def test_runs_that_leave_by_themselves_are_in_the_curves(node: Node) -> None:
    await node.services.pool_store.put(replace(pooled(leaving.GAME), seed=leaving.SEED))
    attempt = (await node.dailies.open(ADA, leaving.GAME)).attempt
    state = await node.state_of(attempt)
    for seq, text in enumerate(leaving.leaving_moves(), 2):
        move = parse_move(state.board.ruleset, text)
        state = (await node.move(attempt, ADA, seq, move)).after
    assert state.end == "stuck"
    await node.apply_effects()
    found = await node.services.curves.load(DailyId(leaving.GAME, DAILY.day))
    assert (found.runs, found.end) == (1, Band(*[leaving.HOME] * 3))


async def test_unknown_games_and_future_days_have_no_curves(node: Node) -> None:
    with pytest.raises(Refusal, match="unknown_game"):
        await node.services.curves.load(DailyId("chess", DAILY.day))
    with pytest.raises(Refusal, match="unknown_day"):
        await node.services.curves.load(DailyId(DAILY.game, DAILY.day + 1))
