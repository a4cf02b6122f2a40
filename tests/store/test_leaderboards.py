"""Leaderboards: rows, and ranks that depend on the scores alone."""

from __future__ import annotations

from random import Random

import pytest

from server.core.boards import of_daily
from server.core.daily import DailyId
from server.core.ids import PlayerId
from server.core.ranking import MAX_MOVES, MAX_TIME, Row, pack
from server.store import keys
from server.store.connection import Client
from server.store.database import Database
from server.store.leaderboards import Leaderboards
from tests.core.builders import ADA, BOB, CYD, DAN

DAY = 20_778


@pytest.fixture
def boards(database: Database) -> Leaderboards:
    return Leaderboards(database)


async def test_a_day_without_results_is_empty(boards: Leaderboards) -> None:
    assert await boards.top(of_daily(DailyId("robert", DAY)), 10) == (0, [])
    assert await boards.around(of_daily(DailyId("robert", DAY)), [ADA], 3) == [[]]
    assert await boards.around(of_daily(DailyId("robert", DAY)), [], 3) == []


async def test_equal_scores_share_a_rank(boards: Leaderboards) -> None:
    for player, score in ((DAN, 9), (ADA, 7), (CYD, 7), (BOB, 5)):
        await boards.enter(of_daily(DailyId("robert", DAY)), player, score)
    rows = [Row(1, BOB, 5), Row(2, ADA, 7), Row(2, CYD, 7), Row(4, DAN, 9)]
    assert await boards.top(of_daily(DailyId("robert", DAY)), 10) == (4, rows)
    assert await boards.top(of_daily(DailyId("robert", DAY)), 2) == (4, rows[:2])
    # The rank is right although the first player who shares it is not among the rows.
    assert await boards.around(of_daily(DailyId("robert", DAY)), [DAN], 1) == [rows[2:]]


async def test_a_standing_is_the_row_of_a_player_and_the_number_of_rows(
    boards: Leaderboards,
) -> None:
    for player, score in ((DAN, 9), (ADA, 7), (CYD, 7)):
        await boards.enter(of_daily(DailyId("robert", DAY)), player, score)
    assert await boards.standing(of_daily(DailyId("robert", DAY)), CYD) == (3, Row(1, CYD, 7))
    assert await boards.standing(of_daily(DailyId("robert", DAY)), DAN) == (3, Row(3, DAN, 9))
    assert await boards.standing(of_daily(DailyId("robert", DAY)), BOB) == (3, None)
    assert await boards.standing(of_daily(DailyId("deuces", DAY)), ADA) == (0, None)


async def test_entering_twice_changes_nothing(boards: Leaderboards) -> None:
    assert await boards.enter(of_daily(DailyId("robert", DAY)), ADA, 7)
    for score in (7, 5, 9):
        assert not await boards.enter(of_daily(DailyId("robert", DAY)), ADA, score)
    assert await boards.top(of_daily(DailyId("robert", DAY)), 10) == (1, [Row(1, ADA, 7)])


async def test_each_game_and_day_has_its_own_leaderboard(
    redis: Client, boards: Leaderboards
) -> None:
    await boards.enter(of_daily(DailyId("robert", DAY)), ADA, 7)
    assert (
        await boards.top(of_daily(DailyId("robert", DAY + 1)), 10)
        == await boards.top(of_daily(DailyId("deuces", DAY)), 10)
        == (0, [])
    )
    assert (
        0
        < await redis.ttl(keys.leaderboard(of_daily(DailyId("robert", DAY))))
        <= keys.LEADERBOARD_LIFE
    )


async def test_the_greatest_scores_are_exact(boards: Leaderboards) -> None:
    worst = pack(127, MAX_TIME, MAX_MOVES)
    await boards.enter(of_daily(DailyId("robert", DAY)), ADA, worst)
    await boards.enter(of_daily(DailyId("robert", DAY)), BOB, worst - 1)
    rows = [Row(1, BOB, worst - 1), Row(2, ADA, worst)]
    assert await boards.top(of_daily(DailyId("robert", DAY)), 10) == (2, rows)
    assert await boards.around(of_daily(DailyId("robert", DAY)), [ADA], 0) == [rows[1:]]


@pytest.mark.parametrize("spread", [1, 4, 1_000])
async def test_rows_around_a_player_are_those_of_the_whole_leaderboard(
    boards: Leaderboards, spread: int
) -> None:
    chance = Random(spread)
    scores = {PlayerId(f"{number:016}"): chance.randrange(spread) for number in range(40)}
    for player, score in scores.items():
        await boards.enter(of_daily(DailyId("robert", DAY)), player, score)
    rows = [
        Row(1 + sum(other < score for other in scores.values()), player, score)
        for player, score in sorted(scores.items(), key=lambda item: (item[1], item[0]))
    ]
    assert await boards.top(of_daily(DailyId("robert", DAY)), 100) == (40, rows)
    players = [row.player for row in rows]
    around = await boards.around(of_daily(DailyId("robert", DAY)), [*players, ADA], 3)
    assert around == [*(rows[max(0, place - 3) : place + 4] for place in range(40)), []]
