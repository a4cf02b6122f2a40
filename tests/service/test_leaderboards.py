"""Leaderboards as players see them."""

from __future__ import annotations

import pytest

from engine.catalog import games
from server.core import daily
from server.core.boards import of_day
from server.core.ids import PlayerId
from server.core.names import guest_name
from server.core.refusal import Refusal
from server.service.leaderboards import REACH, TOP
from tests.core.builders import ADA, START
from tests.service.nodes import Node, SetClock

DAY = daily.day_at(START)


@pytest.mark.parametrize(("asked", "day"), [(None, DAY), (DAY, DAY), (DAY - 1, DAY - 1), (0, 0)])
def test_the_day_defaults_to_today(node: Node, asked: int | None, day: int) -> None:
    for game in games():
        assert node.services.leaderboards.of_day(game, asked) == of_day(game, day)


def test_today_changes_at_midnight(node: Node, clock: SetClock) -> None:
    clock.time = daily.ends(DAY) - 1
    assert node.services.leaderboards.of_day("robert", None) == of_day("robert", DAY)
    clock.time += 1
    assert node.services.leaderboards.of_day("robert", None) == of_day("robert", DAY + 1)


@pytest.mark.parametrize(
    ("game", "day", "code"),
    [("no-such-game", None, "unknown_game"), ("robert", DAY + 1, "unknown_day")],
)
def test_unknown_games_and_future_days_have_no_leaderboard(
    node: Node, game: str, day: int | None, code: str
) -> None:
    with pytest.raises(Refusal, match=code):
        node.services.leaderboards.of_day(game, day)


async def test_a_page_has_the_top_and_the_players_neighbours(node: Node) -> None:
    players = [PlayerId(f"{number:016}") for number in range(30)]
    for score, player in enumerate(players):
        await node.store.leaderboards.enter(of_day("robert", DAY), player, score)
    await node.store.players.keep(players[20], "Bob")
    page = await node.services.leaderboards.page(of_day("robert", DAY), players[20])
    assert (page.board, page.size) == (of_day("robert", DAY), 30)
    assert [row.player for row in page.top] == players[:TOP]
    assert [row.player for row in page.around] == players[20 - REACH : 21 + REACH]
    assert page.profiles.keys() == {row.player for row in (*page.top, *page.around)}
    assert page.profiles[players[20]].name == "Bob"
    assert page.profiles[players[0]].name == guest_name(players[0])


async def test_a_player_without_an_entry_has_no_neighbours(node: Node) -> None:
    page = await node.services.leaderboards.page(of_day("robert", DAY), ADA)
    assert (page.size, page.top, page.around, page.profiles) == (0, [], [], {})
