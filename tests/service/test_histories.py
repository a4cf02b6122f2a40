"""Players' histories, and the leaderboards that follow from them, with several writers at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.core import boards, daily
from server.core.boards import BoardId, Group, of_daily
from server.core.daily import DailyId
from server.core.history import DayResult, RoundResult
from server.core.ids import DealId, PlayerId
from server.store.leaderboards import Leaderboards
from tests.core.builders import ADA, DEAL, START
from tests.service.nodes import Node, SetClock

GAME = "robert"
TODAY = daily.day_at(START)
HALF = DayResult(27, 25, 400_000, 80, "stuck", 51)
LESS = DayResult(20, 32, 300_000, 60, "resigned", 38)


def race(at: int) -> RoundResult:
    """Return a race that was won, rated."""
    return RoundResult(at, 1, 2, True, 20, 32, 5_000, 40, "stuck", shift=1.0, factor=0.9)


async def score(node: Node, board: BoardId, player: PlayerId = ADA) -> int | None:
    _, row = await node.store.leaderboards.standing(board, player)
    return row.score if row else None


def week(group: Group, game: str = GAME) -> BoardId:
    return BoardId("week", game, boards.week_of(TODAY), group)


async def test_a_daily_counts_on_day_and_week_once(node: Node, other: Node) -> None:
    nodes = [node, other] * 2
    await asyncio.gather(
        *(n.services.histories.add_day(ADA, GAME, TODAY, HALF, ()) for n in nodes),
        *(n.services.histories.add_day(ADA, "deuces", TODAY, LESS, ()) for n in nodes),
    )
    assert await score(node, of_daily(DailyId(GAME, TODAY), "guests")) == HALF.packed
    assert await score(node, week("guests")) == -51
    assert await score(node, week("guests", "all")) == -(51 + 38)
    assert await score(node, BoardId("best", GAME, 0, "ranked")) is None


async def test_who_keeps_an_identity_is_moved_to_the_ranked_players(
    node: Node, clock: SetClock
) -> None:
    histories = node.services.histories
    await histories.add_day(ADA, GAME, TODAY, HALF, ())
    await histories.keep(ADA, START)
    day = of_daily(DailyId(GAME, TODAY), "ranked")
    assert await score(node, day) == HALF.packed
    assert await score(node, day._replace(group="guests")) is None
    assert await score(node, BoardId("best", GAME, 0, "ranked")) == HALF.packed
    first = await histories.find(ADA)
    await histories.keep(ADA, START + 1)
    assert await histories.find(ADA) == first


async def test_leaderboards_of_closed_days_stay_as_they_are(node: Node, clock: SetClock) -> None:
    histories = node.services.histories
    await histories.add_day(ADA, GAME, TODAY, HALF, ())
    clock.time = daily.closes(TODAY) + 7 * 86_400_000
    await histories.keep(ADA, clock.time)
    day = of_daily(DailyId(GAME, TODAY), "guests")
    assert await score(node, day) == HALF.packed
    assert await score(node, day._replace(group="ranked")) is None


@pytest.mark.parametrize("change", ["keep", "add_day"])
async def test_scores_are_written_anew_if_the_history_has_changed_meanwhile(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    place, theirs = Leaderboards.place, other.services.histories
    changed = False

    async def after_a_change(self: Leaderboards, *given: Any) -> Any:
        nonlocal changed
        if not changed:
            changed = True
            if change == "keep":
                await theirs.keep(ADA, START)
            else:
                await theirs.add_day(ADA, "deuces", TODAY, LESS, ())
        return await place(self, *given)

    monkeypatch.setattr(Leaderboards, "place", after_a_change)
    await node.services.histories.add_day(ADA, GAME, TODAY, HALF, ())
    group: Group = "ranked" if change == "keep" else "guests"
    others: Group = "guests" if change == "keep" else "ranked"
    points = 51 if change == "keep" else 51 + 38
    assert await score(node, week(group, "all")) == -points
    assert await score(node, week(others, "all")) is None


async def test_races_are_entered_at_once_and_in_any_order(node: Node, other: Node) -> None:
    await node.services.histories.keep(ADA, START)
    deals = [DEAL, DealId("dea2000000000000"), DealId("dea3000000000000")]
    await asyncio.gather(
        *(
            each.services.histories.add_round(ADA, GAME, deal, race(START + number))
            for number, deal in enumerate(deals)
            for each in (node, other)
        )
    )
    found = await node.services.histories.find(ADA)
    rating = found.rating(GAME)
    assert (rating.mean, rating.rated) == (28.0, 3)
    assert await score(node, BoardId("races", "all", 0, "ranked")) == -3
    assert await score(node, BoardId("rating", GAME, 0, "ranked")) == -rating.value
