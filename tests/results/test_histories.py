"""Players' histories and leaderboards with concurrent writers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import DealId, PlayerId
from server.results.core import boards
from server.results.core.boards import BoardId, Group, of_daily
from server.results.core.history import DayResult, RoundResult
from server.results.leaderboards_store import LeaderboardStore
from tests.builders import ADA, DEAL, START
from tests.nodes import Node

GAME = "robert"
TODAY = days.day_at(START)
HALF = DayResult(27, 25, 400_000, 80, "stuck", 51)
KEPT = replace(HALF, ranked=True)
LESS = DayResult(20, 32, 300_000, 60, "resigned", 38)


def race(at: int) -> RoundResult:
    result = RoundResult(at, 1, 2, True, 20, 32, 5_000, 40, "stuck", shift=1.0, factor=0.9)
    return replace(result, ranked=True)


async def score(node: Node, board: BoardId, player: PlayerId = ADA) -> int | None:
    _, row = await node.services.leaderboard_store.standing(board, player)
    return row.score if row else None


def week(group: Group, game: str = GAME) -> BoardId:
    return BoardId("week", game, boards.week_of(TODAY), group)


async def test_a_daily_counts_once_on_the_day_and_week_boards(node: Node, other: Node) -> None:
    nodes = [node, other] * 2
    await asyncio.gather(
        *(n.services.histories.add_day(ADA, GAME, TODAY, HALF, ()) for n in nodes),
        *(n.services.histories.add_day(ADA, "deuces", TODAY, LESS, ()) for n in nodes),
    )
    assert await score(node, of_daily(DailyId(GAME, TODAY), "guests")) == HALF.packed
    assert await score(node, week("guests")) == -51
    assert await score(node, week("guests", "all")) == -(51 + 38)
    assert await score(node, boards.of_best(GAME, "standard")) is None


async def test_a_kept_identity_ranks_the_player_from_the_next_run(node: Node) -> None:
    histories = node.services.histories
    await histories.add_day(ADA, GAME, TODAY, HALF, ())
    await histories.keep(ADA, START)
    day = of_daily(DailyId(GAME, TODAY), "guests")
    assert await score(node, day) == HALF.packed
    assert await score(node, day._replace(group="ranked")) is None
    assert await score(node, week("guests", "all")) == -51
    assert await score(node, boards.of_best(GAME, "standard")) is None
    first = await histories.load(ADA)
    await histories.keep(ADA, START + 1)
    assert await histories.load(ADA) == first
    # The next run makes the player ranked, and only that run counts there.
    await histories.add_day(ADA, "deuces", TODAY, replace(LESS, ranked=True), ())
    assert await score(node, day) == HALF.packed
    assert await score(node, week("guests", "all")) is None
    assert await score(node, week("ranked", "all")) == -38
    assert await score(node, boards.of_best("deuces", "standard")) == LESS.packed


async def test_a_ranked_run_counts_once_in_the_curves(node: Node) -> None:
    day = of_daily(DailyId(GAME, TODAY), "ranked")
    for _ in range(2):
        await node.services.histories.add_day(ADA, GAME, TODAY, KEPT, ["0:1", "end:27"])
    assert await score(node, day) == HALF.packed
    assert await node.services.leaderboard_store.curves(day) == {"0:1": 1, "end:27": 1}


@pytest.mark.parametrize("ranked", [True, False])
async def test_scores_are_rewritten_after_a_concurrent_change_of_the_history(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch, ranked: bool
) -> None:
    place, theirs = LeaderboardStore.place, other.services.histories
    changed = False

    async def after_a_change(self: LeaderboardStore, *given: Any) -> Any:
        nonlocal changed
        if not changed:
            changed = True
            await theirs.add_day(ADA, "deuces", TODAY, replace(LESS, ranked=ranked), ())
        return await place(self, *given)

    monkeypatch.setattr(LeaderboardStore, "place", after_a_change)
    await node.services.histories.add_day(ADA, GAME, TODAY, HALF, ())
    group: Group = "ranked" if ranked else "guests"
    others: Group = "guests" if ranked else "ranked"
    points = 38 if ranked else 51 + 38
    assert await score(node, week(group, "all")) == -points
    assert await score(node, week(others, "all")) is None


async def test_races_can_be_recorded_concurrently_and_in_any_order(node: Node, other: Node) -> None:
    await node.services.histories.keep(ADA, START)
    deals = [DEAL, DealId("dea2000000000000"), DealId("dea3000000000000")]
    await asyncio.gather(
        *(
            each.services.histories.add_round(ADA, GAME, deal, race(START + number))
            for number, deal in enumerate(deals)
            for each in (node, other)
        )
    )
    rating = (await node.services.histories.load(ADA)).rating(GAME)
    assert (rating.mean, rating.rated) == (28.0, 3)
    assert await score(node, BoardId("races", "all", 0, "ranked")) == -3
    assert await score(node, BoardId("rating", GAME, 0, "ranked")) == -rating.value
