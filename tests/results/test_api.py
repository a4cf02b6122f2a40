"""Leaderboards over HTTP."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.catalog import games, ruleset
from server.base.core import days
from server.base.core.ids import DealId, PlayerId, attempt_id
from server.base.core.refusal import Refusal
from server.base.web.api.route import HOUR, LIVE
from server.results.api import OfBoard, board_of
from server.results.core import boards
from server.results.core.history import RoundResult
from tests.builders import ADA, BOB, START
from tests.clients.site import CLOSED, DATE, DAY, GAME, SETTLED, Site, play_daily
from tests.conftest import ALONE
from tests.nodes import Node
from tests.results.placing import place_player

pytestmark = ALONE

BOARD = boards.BoardId("day", GAME, DAY, "ranked")


async def test_a_closed_days_board_shows_results_and_runs(site: Site, node: Node) -> None:
    await node.services.histories.keep(ADA, START)
    attempts = [await play_daily(node, ADA), await play_daily(node, BOB, moves=2)]
    path = f"/boards/day/{GAME}/{DATE}"
    reply = await site.get(path)
    (row,) = reply.json["rows"]
    result = (await node.state_of(attempts[0])).result
    assert (row["value"], row["left"], row["moves"]) == (result.home, result.left, result.moves)
    assert (row["player"]["id"], row["run"], reply.json["size"]) == (ADA, None, 1)
    assert reply.headers["Cache-Control"] == f"public, max-age={LIVE}"
    node.clock.time = CLOSED
    (guest,) = (await site.get(f"{path}?group=guests")).json["rows"]
    assert (guest["player"]["id"], guest["run"]) == (BOB, attempts[1])
    node.clock.time = SETTLED
    later = await site.get(f"{path}?count=10")
    assert (
        later.json["rows"][0]["run"]
        == attempts[0]
        == attempt_id((await node.state_of(attempts[0])).start.deal, ADA)
    )
    assert later.headers["Cache-Control"] == f"public, max-age={HOUR}"


async def test_a_board_is_paginated_and_equal_values_share_a_rank(site: Site, node: Node) -> None:
    players = [PlayerId(f"{number:016}") for number in range(7)]
    for number, player in enumerate(players):
        await place_player(node.services.leaderboard_store, BOARD, player, number // 2)
    pages = [
        (await site.get(f"/boards/day/{GAME}/{DATE}?from={first}&count=3")).json
        for first in (1, 4, 7, 10)
    ]
    rows = [row for page in pages for row in page["rows"]]
    assert [row["player"]["id"] for row in rows] == players
    assert [row["rank"] for row in rows] == [1, 1, 3, 3, 5, 5, 7]
    assert {page["size"] for page in pages} == {7}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"day/all/{DATE}", 3),
        (f"week/{GAME}/{{week}}", 4),
        ("week/all/{week}", 5),
        (f"wins/{GAME}/all", 6),
        ("races/all/all", 7),
        (f"rating/{GAME}/all", 2500),
    ],
)
async def test_boards_of_numbers_show_them(site: Site, node: Node, path: str, value: int) -> None:
    year, week, _ = date.fromisoformat(DATE).isocalendar()
    path = path.format(week=f"{year}-W{week:02}")
    scope, game, period = path.split("/")
    asked = OfBoard(scope=scope, game=game, period=period)
    await place_player(node.services.leaderboard_store, board_of(asked, DAY), ADA, -value)
    found = (await site.get(f"/boards/{path}")).json
    (row,) = found["rows"]
    assert (row["value"], row["left"], row["time"], row["moves"], row["run"]) == (
        value, None, None, None, None,
    )  # fmt: skip
    assert (found["scope"], found["game"], found["period"]) == (scope, game, period)


async def test_the_board_of_best_runs_shows_results(site: Site, node: Node) -> None:
    await node.services.histories.keep(ADA, START)
    await play_daily(node, ADA)
    found = (await site.get(f"/boards/best/{GAME}/all")).json
    (row,) = found["rows"]
    assert (row["value"] + row["left"], row["run"]) == (ruleset(GAME).total, None)
    assert found["variant"] == "standard"
    assert (await site.get(f"/boards/best/{GAME}/all?variant=standard")).json == found


async def test_each_variant_has_a_board_of_best_runs(site: Site, node: Node) -> None:
    race = RoundResult(START, 1, 2, True, 26, 78, 9_000, 80, "stuck", ranked=True)
    await node.services.histories.keep(ADA, START)
    await node.services.histories.add_round(
        ADA, "spider", DealId("a"), replace(race, variant="two-suits")
    )
    for variant, home in (("two-suits", [26]), ("one-suit", []), ("standard", [])):
        found = (await site.get(f"/boards/best/spider/all?variant={variant}")).json
        assert [row["value"] for row in found["rows"]] == home


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"month/{GAME}/{DATE}", "unknown_board"),
        (f"day/chess/{DATE}", "unknown_game"),
        (f"day/{GAME}/{days.date_text(DAY + 1)}", "unknown_day"),
        (f"day/{GAME}/today", "unknown_day"),
        (f"week/{GAME}/2026-W60", "unknown_day"),
        (f"week/{GAME}/1969-W01", "unknown_day"),
        (f"week/{GAME}/9999-W01", "unknown_day"),
        (f"week/{GAME}/{DATE}", "unknown_day"),
        ("best/all/all", "unknown_board"),
        (f"best/{GAME}/all?variant=one-suit", "unknown_board"),
        (f"wins/{GAME}/all?variant=standard", "unknown_board"),
        (f"wins/{GAME}/{DATE}", "unknown_board"),
        (f"wins/{GAME}/all?group=guests", "unknown_board"),
    ],
)
async def test_other_boards_are_unknown(site: Site, path: str, code: str) -> None:
    reply = await site.get(f"/boards/{path}")
    assert (reply.status, reply.code) == (404, code)


def parts(*known: str) -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(known), st.text(max_size=12))


@given(
    parts("day", "week", "wins", "best", "rating", "races"),
    parts("all", *games()),
    st.one_of(parts("all", DATE), st.dates().map(str), st.from_regex(r"\A[0-9]{4}-W[0-9]{2}\Z")),
    st.sampled_from(["ranked", "guests"]),
)
def test_requests_for_invalid_boards_fail(scope: str, game: str, period: str, group: Any) -> None:
    with suppress(Refusal):
        board = board_of(OfBoard(scope=scope, game=game, period=period, group=group), DAY)
        assert boards.exists(board)
        assert 0 <= board.period <= DAY
        assert board.game in {*games(), "all"}
