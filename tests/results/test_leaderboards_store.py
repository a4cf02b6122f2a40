"""Storage of leaderboards: rows, ranks and groups."""

from __future__ import annotations

from random import Random

import pytest

from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.play.core.result import MAX_MOVES, MAX_TIME, Row, pack
from server.results.core import keys
from server.results.core.boards import BoardId, of_daily
from server.results.leaderboards_store import LeaderboardStore
from tests.builders import ADA, BOB, CYD, DAN
from tests.results.placing import place_player

DAY = 20_778
BOARD = of_daily(DailyId("robert", DAY), "guests")
RANKED = of_daily(DailyId("robert", DAY), "ranked")


@pytest.fixture
def boards(database: Database) -> LeaderboardStore:
    return LeaderboardStore(database)


async def test_a_day_without_results_is_empty(boards: LeaderboardStore) -> None:
    assert await boards.rows(BOARD, 1, 10) == (0, [], None)
    assert (await boards.around(BOARD, [ADA], 3), await boards.around(BOARD, [], 3)) == ([[]], [])


async def test_equal_scores_share_a_rank(boards: LeaderboardStore) -> None:
    for player, score in ((DAN, 9), (ADA, 7), (CYD, 7), (BOB, 5)):
        await place_player(boards, BOARD, player, score)
    rows = [Row(1, BOB, 5), Row(2, ADA, 7), Row(2, CYD, 7), Row(4, DAN, 9)]
    assert await boards.rows(BOARD, 1, 10) == (4, rows, 7)
    assert await boards.rows(BOARD, 1, 2) == (4, rows[:2], 7)
    # The rank is correct even if the first player who shares it is not among the rows.
    assert await boards.around(BOARD, [DAN], 1) == [rows[2:]]


async def test_a_standing_has_the_players_row_and_the_row_count(boards: LeaderboardStore) -> None:
    for player, score in ((DAN, 9), (ADA, 7), (CYD, 7)):
        await place_player(boards, BOARD, player, score)
    assert await boards.standing(BOARD, CYD) == (3, Row(1, CYD, 7))
    assert await boards.standing(BOARD, DAN) == (3, Row(3, DAN, 9))
    assert await boards.standing(BOARD, BOB) == (3, None)
    assert await boards.standing(of_daily(DailyId("deuces", DAY), "guests"), ADA) == (0, None)


async def test_a_score_can_be_replaced_and_removed(boards: LeaderboardStore) -> None:
    assert await place_player(boards, BOARD, ADA, 7) == (None, None)
    assert await place_player(boards, BOARD, ADA, 7) == (7, None)
    assert await place_player(boards, BOARD, ADA, 9) == (7, None)
    assert await boards.rows(BOARD, 1, 10) == (1, [Row(1, ADA, 9)], 9)
    assert await place_player(boards, BOARD, ADA, None) == (9, None)
    assert await place_player(boards, BOARD, ADA, None) == (None, None)
    assert await boards.rows(BOARD, 1, 10) == (0, [], None)


async def test_a_player_is_in_only_one_group(boards: LeaderboardStore) -> None:
    await place_player(boards, BOARD, ADA, 7)
    assert await place_player(boards, RANKED, ADA, 7) == (None, 7)
    assert await boards.rows(BOARD, 1, 10) == (0, [], None)
    assert await boards.rows(RANKED, 1, 10) == (1, [Row(1, ADA, 7)], 7)


async def test_a_run_counts_once_in_a_days_curves(redis: Client, boards: LeaderboardStore) -> None:
    curve = ("0:1", "15:3")
    for board in (BOARD, BOARD, RANKED):
        await place_player(boards, board, ADA, 7, curve)
    await place_player(boards, BOARD, BOB, 9, ("0:1", "15:2"))
    key = keys.curves(BOARD)
    assert await redis.hgetall(key) == {"0:1": "2", "15:3": "1", "15:2": "1"}
    for _ in range(2):
        await place_player(boards, RANKED, ADA, None, curve)
    assert await redis.hgetall(key) == {"0:1": "1", "15:3": "0", "15:2": "1"}
    # The player has kept an identity in the meantime, which moves them to the other group.
    await place_player(boards, RANKED, BOB, None, ("0:1", "15:2"))
    assert await redis.hgetall(key) == {"0:1": "0", "15:3": "0", "15:2": "0"}


async def test_all_time_scores_do_not_expire(redis: Client, boards: LeaderboardStore) -> None:
    ever = BoardId("wins", "robert", 0, "ranked")
    await place_player(boards, ever, ADA, -3)
    assert await redis.ttl(keys.leaderboard(ever)) == -1
    assert await boards.rows(ever, 1, 1) == (1, [Row(1, ADA, -3)], -3)


async def test_each_game_and_day_has_a_leaderboard(redis: Client, boards: LeaderboardStore) -> None:
    await place_player(boards, BOARD, ADA, 7)
    assert (
        await boards.rows(of_daily(DailyId("robert", DAY + 1), "guests"), 1, 10)
        == await boards.rows(of_daily(DailyId("deuces", DAY), "guests"), 1, 10)
        == (0, [], None)
    )
    assert 0 < await redis.ttl(keys.leaderboard(BOARD)) <= keys.LEADERBOARD_LIFE_S


async def test_the_largest_scores_are_exact(boards: LeaderboardStore) -> None:
    worst = pack(127, MAX_TIME, MAX_MOVES)
    await place_player(boards, BOARD, ADA, worst)
    await place_player(boards, BOARD, BOB, worst - 1)
    rows = [Row(1, BOB, worst - 1), Row(2, ADA, worst)]
    assert await boards.rows(BOARD, 1, 10) == (2, rows, worst - 1)
    assert await boards.around(BOARD, [ADA], 0) == [rows[1:]]


@pytest.mark.parametrize("spread", [1, 4, 1_000])
async def test_rows_around_a_player_match_the_board(boards: LeaderboardStore, spread: int) -> None:
    chance = Random(spread)
    scores = {PlayerId(f"{number:016}"): chance.randrange(spread) for number in range(40)}
    for player, score in scores.items():
        await place_player(boards, BOARD, player, score)
    rows = [
        Row(1 + sum(other < score for other in scores.values()), player, score)
        for player, score in sorted(scores.items(), key=lambda item: (item[1], item[0]))
    ]
    assert await boards.rows(BOARD, 1, 100) == (40, rows, rows[19].score)
    for first in (2, 13, 40, 41):
        assert await boards.rows(BOARD, first, 7) == (
            40,
            rows[first - 1 : first + 6],
            rows[19].score,
        )
    players = [row.player for row in rows]
    circles = [chance.sample([*players, ADA], 10) for _ in range(5)]
    assert await boards.among(BOARD, circles, 4) == [
        [row for row in rows if row.player in circle][:4] for circle in circles
    ]
    around = await boards.around(BOARD, [*players, ADA], 3)
    assert around == [*(rows[max(0, place - 3) : place + 4] for place in range(40)), []]


async def test_sizes_and_curves_can_be_read(boards: LeaderboardStore) -> None:
    assert await boards.curves(BOARD) == {}
    await place_player(boards, BOARD, ADA, 7, ("0:1", "end:3"))
    await place_player(boards, BOARD, BOB, 8, ("0:1", "end:4"))
    assert await boards.curves(RANKED) == {"0:1": 2, "end:3": 1, "end:4": 1}
    assert await boards.sizes([BOARD, RANKED]) == [2, 0]
