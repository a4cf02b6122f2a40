"""Leaderboards as players see them."""

from __future__ import annotations

import pytest

from engine.catalog import games
from server.core import daily
from server.core.boards import of_daily
from server.core.daily import DailyId
from server.core.ids import PlayerId
from server.core.names import guest_name
from server.core.refusal import Refusal
from server.service.leaderboards import REACH, TOP
from tests.core.builders import ADA, START
from tests.service.nodes import Node, SetClock

DAY = daily.day_at(START)
BOARD = of_daily(DailyId("robert", DAY), "guests")


@pytest.mark.parametrize("day", [DAY, DAY - 1, 0])
def test_every_game_has_a_leaderboard_for_each_day_that_has_begun(node: Node, day: int) -> None:
    for game in games():
        daily_id = DailyId(game, day)
        board = of_daily(daily_id, "guests")
        assert node.services.leaderboards.of_daily(daily_id, "guests") == board


def test_today_changes_at_midnight(node: Node, clock: SetClock) -> None:
    clock.time = daily.ends(DAY) - 1
    assert node.services.leaderboards.today("robert") == DailyId("robert", DAY)
    clock.time += 1
    assert node.services.leaderboards.today("robert") == DailyId("robert", DAY + 1)


@pytest.mark.parametrize(
    ("daily_id", "code"),
    [
        (DailyId("no-such-game", DAY), "unknown_game"),
        (DailyId("robert", DAY + 1), "unknown_day"),
    ],
)
def test_unknown_games_and_future_days_have_no_leaderboard(
    node: Node, daily_id: DailyId, code: str
) -> None:
    with pytest.raises(Refusal, match=code):
        node.services.leaderboards.of_daily(daily_id, "guests")


async def test_a_page_has_the_top_and_the_players_neighbours(node: Node) -> None:
    players = [PlayerId(f"{number:016}") for number in range(30)]
    for score, player in enumerate(players):
        await node.store.leaderboards.place(BOARD, player, score)
    await node.store.players.keep(players[20], "Bob")
    page = await node.services.leaderboards.page(BOARD, players[20])
    assert (page.board, page.size) == (BOARD, 30)
    assert [row.player for row in page.top] == players[:TOP]
    assert [row.player for row in page.around] == players[20 - REACH : 21 + REACH]
    assert page.profiles.keys() == {row.player for row in (*page.top, *page.around)}
    assert page.profiles[players[20]].name == "Bob"
    assert page.profiles[players[0]].name == guest_name(players[0])


async def test_a_player_without_an_entry_has_no_neighbours(node: Node) -> None:
    page = await node.services.leaderboards.page(BOARD, ADA)
    assert (page.size, page.top, page.around, page.profiles) == (0, [], [], {})
