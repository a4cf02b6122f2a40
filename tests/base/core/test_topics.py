"""Topics: names shared by the nodes of all releases."""

from __future__ import annotations

from server.base.core import topics
from server.base.core.days import DailyId
from server.players.core.bus import NAMES
from server.results.core import bus as board_bus
from server.results.core.boards import BoardId, of_daily
from server.rooms.core import bus as room_bus
from tests.builders import CODE

DAILY = DailyId("robert", 20_778)


def test_a_leaderboard_is_named_after_its_game_and_day() -> None:
    board = of_daily(DAILY, "guests")
    assert board == BoardId("day", "robert", 20_778, "guests")
    assert board.name == "robert:20778"


def test_the_names_of_topics_are_stable() -> None:
    assert NAMES == "names"
    assert room_bus.topic(CODE) == "room:H7KQ2"
    assert board_bus.topic(of_daily(DAILY, "guests")) == "leaderboard:robert:20778"
    assert board_bus.topic(of_daily(DAILY, "ranked")) == "leaderboard:robert:20778:ranked"
    assert topics.node("n1") == "node:n1"
