"""The leaderboards service: identities, rows and pages."""

from __future__ import annotations

import pytest

from engine.catalog import games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.play.core.result import Row
from server.players.core.names import guest_name
from server.results.core.boards import (
    ALL_GAMES,
    BoardId,
    Group,
    Scope,
    of_best,
    of_daily,
    week_of,
)
from server.results.leaderboards import REACH, TOP
from tests.builders import ADA, START, refusal_of
from tests.nodes import Node
from tests.results.placing import place_player

DAY = days.day_at(START)
BOARD = of_daily(DailyId("robert", DAY), "guests")


@pytest.mark.parametrize("day", [DAY, DAY - 1, 0])
def test_every_game_has_a_leaderboard_for_each_day_up_to_today(node: Node, day: int) -> None:
    for game in games():
        daily_id = DailyId(game, day)
        board = of_daily(daily_id, "guests")
        assert node.services.leaderboards.of_daily(daily_id, "guests") == board


def test_today_changes_at_midnight(node: Node) -> None:
    node.clock.time = days.ends(DAY) - 1
    assert node.services.leaderboards.today("robert") == DailyId("robert", DAY)
    node.clock.time += 1
    assert node.services.leaderboards.today("robert") == DailyId("robert", DAY + 1)


@pytest.mark.parametrize(
    ("daily_id", "code"),
    [(DailyId("no-such-game", DAY), "unknown_game"), (DailyId("robert", DAY + 1), "unknown_day")],
)
def test_unknown_games_and_days_have_no_board(node: Node, daily_id: DailyId, code: str) -> None:
    assert refusal_of(lambda: node.services.leaderboards.of_daily(daily_id, "guests")) == code


@pytest.mark.parametrize(
    ("scope", "game", "period", "group"),
    [
        ("day", "robert", None, "guests"),
        ("day", ALL_GAMES, DAY - 1, "ranked"),
        ("week", "deuces", None, "ranked"),
        ("week", ALL_GAMES, week_of(DAY), "guests"),
        ("wins", ALL_GAMES, None, "ranked"),
        ("rating", "robert", None, "ranked"),
        ("races", ALL_GAMES, 0, "ranked"),
    ],
)
def test_a_leaderboard_is_identified_by_scope_game_period_and_group(
    node: Node, scope: Scope, game: str, period: int | None, group: Group
) -> None:
    current = {"day": DAY, "week": week_of(DAY)}.get(scope, 0)
    found = node.services.leaderboards.resolve(scope, game, period, group)
    assert found == BoardId(scope, game, current if period is None else period, group)


def test_best_runs_are_compared_within_a_variant(node: Node) -> None:
    resolve = node.services.leaderboards.resolve
    assert resolve("best", "spider", None, "ranked", variant="two-suits") == of_best(
        "spider", "two-suits"
    )
    # That of the dailies if none is named.
    assert resolve("best", "spider", None, "ranked") == of_best("spider", "one-suit")
    assert resolve("best", "yukon", None, "ranked") == of_best("yukon", "standard")


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (("week", "no-such-game", None, "ranked"), "unknown_game"),
        (("week", "robert", week_of(DAY) + 1, "ranked"), "unknown_day"),
        (("day", "robert", -1, "ranked"), "unknown_day"),
        (("wins", "robert", 7, "ranked"), "unknown_board"),
        (("wins", "robert", None, "guests"), "unknown_board"),
        (("best", ALL_GAMES, None, "ranked"), "unknown_board"),
        (("rating", ALL_GAMES, None, "ranked"), "unknown_board"),
        (("month", "robert", None, "ranked"), "unknown_board"),
        (("day", "robert", None, "friends"), "unknown_board"),
    ],
)
def test_an_unknown_leaderboard_is_refused(
    node: Node, wanted: tuple[Scope, str, int | None, Group], code: str
) -> None:
    assert refusal_of(lambda: node.services.leaderboards.resolve(*wanted)) == code


async def test_rows_are_paginated(node: Node) -> None:
    players = [PlayerId(f"{number:016}") for number in range(30)]
    for score, player in enumerate(players):
        await place_player(node.services.leaderboard_store, BOARD, player, score // 4)
    read = node.services.leaderboards.rows
    found = [await read(BOARD, first, 7) for first in range(1, 36, 7)]
    assert {size for size, _ in found} == {30}
    rows = [row for _, page in found for row in page]
    assert rows == [
        Row(1 + score // 4 * 4, player, score // 4) for score, player in enumerate(players)
    ]
    assert await read(BOARD, 31, 100) == (30, [])


async def test_a_page_has_the_top_and_the_players_neighbours(node: Node) -> None:
    players = [PlayerId(f"{number:016}") for number in range(30)]
    for score, player in enumerate(players):
        await place_player(node.services.leaderboard_store, BOARD, player, score)
    await node.services.player_store.update(players[20], "Bob")
    page = await node.services.leaderboards.page(BOARD, players[20])
    assert (page.board, page.size, [row.player for row in page.top]) == (BOARD, 30, players[:TOP])
    assert [row.player for row in page.around] == players[20 - REACH : 21 + REACH]
    assert page.profiles.keys() == {row.player for row in (*page.top, *page.around)}
    assert page.profiles[players[20]].name == "Bob"
    assert page.profiles[players[0]].name == guest_name(players[0])


async def test_a_player_without_an_entry_has_no_neighbours(node: Node) -> None:
    page = await node.services.leaderboards.page(BOARD, ADA)
    assert (page.size, page.top, page.middle, page.around, page.profiles) == (0, [], None, [], {})
