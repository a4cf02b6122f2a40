"""Curves of dailies count each run once."""

from __future__ import annotations

import pytest

from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.refusal import Refusal
from server.play.core.finish import Finish
from server.results.core.boards import of_daily
from server.results.curves import curve_of
from server.results.leaderboards_store import Placement
from tests.builders import ADA, BOB, START
from tests.conftest import ALONE
from tests.nodes import Node

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
    fields = curve_of(run)
    await node.services.leaderboards.place(
        ADA, [Placement(of_daily(DAILY, "guests"), None, fields)]
    )
    assert (await node.services.curves.load(DAILY)).runs == 0


async def test_unknown_games_and_future_days_have_no_curves(node: Node) -> None:
    with pytest.raises(Refusal, match="unknown_game"):
        await node.services.curves.load(DailyId("chess", DAILY.day))
    with pytest.raises(Refusal, match="unknown_day"):
        await node.services.curves.load(DailyId(DAILY.game, DAILY.day + 1))
