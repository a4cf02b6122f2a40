"""Replays: a run is replayed step by step, shared and downloaded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from server.play.core.run import check, parse_file
from tests.browser.checks import problems
from tests.browser.conftest import Site
from tests.browser.player import PHONE, Player


@pytest.fixture
def player(browser: Browser, site: Site) -> Iterator[Player]:
    player = Player(browser, site.url, PHONE, "Ada")
    yield player
    player.close()


def run_robert(player: Player, deals: int) -> list[list[str]]:
    """Race alone with this many deals; return the waste after each move, and the last result."""
    player.open_room("robert", seats=1)
    player.press("start-round")
    player.wait_for_board()
    wastes = [player.cards("w")]
    for _ in range(deals):
        player.tap("s")
        player.wait_for_moves(len(wastes))
        player.wait_for_cards()
        wastes.append(player.cards("w"))
    player.give_up()
    player.see("results").wait_for()
    return wastes


def shows(player: Player, wastes: list[list[str]], move: int) -> bool:
    """Wait until the replay is at a move, and return whether the waste matches."""
    player.wait_for_moves(move)
    return player.cards("w") == wastes[move]


def test_a_run_is_stepped_through_and_replayed_from_its_results(player: Player) -> None:
    wastes = run_robert(player, 3)
    player.press("watch-run")
    player.see("replay").wait_for()
    for move in range(1, 4):
        player.page.keyboard.press("ArrowRight")
        assert shows(player, wastes, move)
    player.press("step-back")
    assert shows(player, wastes, 2)
    player.page.keyboard.press("Home")
    assert shows(player, wastes, 0)
    player.see("speed-16").check()
    player.press("play-pause")
    expect(player.see("position")).to_contain_text("Given up")
    assert shows(player, wastes, 3)
    # The viewer cannot play moves.
    player.page.keyboard.press("Home")
    player.page.keyboard.press("d")
    assert shows(player, wastes, 0)
    assert problems(player) == []


def test_a_replay_is_linked_at_a_time_and_downloaded_for_verification(player: Player) -> None:
    wastes = run_robert(player, 2)
    link = player.see("watch-run").get_attribute("href")
    assert link is not None
    player.go(f"{link}?at=7200000")
    assert shows(player, wastes, 2)
    with player.page.expect_download() as download:
        player.press("download")
    content = download.value.path().read_bytes()
    assert check(parse_file(content)) is None
    assert [move for move, _ in json.loads(content)["moves"]] == ["s>w", "s>w"]


def test_the_page_of_a_deal_lists_its_runs_and_verifies_it(player: Player) -> None:
    run_robert(player, 1)
    link = player.see("watch-run").get_attribute("href")
    player.unfold("deal")
    player.press("deal-page")
    expect(player.see("runs")).to_contain_text("1 player")
    expect(player.see("watch-run")).to_have_attribute("href", link or "")
    expect(player.see("check-result")).to_contain_text("A fair deal")
    expect(player.see("seed")).to_have_text(re.compile(r"^[0-9a-f]{64}$"))
    assert problems(player) == []


def test_a_run_of_an_open_deal_is_not_shown_yet(player: Player) -> None:
    player.go("/daily/robert")
    player.press("play-daily")
    player.wait_for_board()
    attempt = player.page.evaluate("history.state.table")
    player.go(f"/run/{attempt}")
    expect(player.see("no-run")).to_contain_text("Not yet")
    player.go("/run/nothing")
    expect(player.see("no-run")).to_contain_text("No such run")


def test_two_runs_of_a_deal_are_compared(player: Player, browser: Browser, site: Site) -> None:
    friend = Player(browser, site.url, PHONE, "Grace")
    link = player.open_room("roosevelt")
    friend.page.goto(link)
    expect(player.see("start-round")).to_contain_text("2")
    player.press("start-round")
    for each, deals in ((player, 1), (friend, 3)):
        each.wait_for_board()
        for number in range(1, deals + 1):
            each.tap("s")
            each.wait_for_moves(number)
            each.wait_for_cards()
        each.give_up()
    player.see("results").wait_for()
    player.see("watch-run").first.click()
    player.see("beside").select_option(index=1)
    expect(player.see("parting")).to_contain_text("They parted at move 2.")
    expect(player.see("side")).to_have_count(2)
    expect(player.see("side").last).to_be_hidden()
    player.see("side-1").check()
    expect(player.see("side").last).to_be_visible()
    assert problems(player) == []
    friend.close()


def test_all_runs_of_a_deal_are_public_with_their_progress(
    player: Player, browser: Browser, site: Site
) -> None:
    friend = Player(browser, site.url, PHONE, "Grace")
    friend.page.goto(player.open_room("robert"))
    expect(player.see("start-round")).to_contain_text("2")
    player.press("start-round")
    for each, cards in ((player, 2), (friend, 1)):
        each.wait_for_board()
        each.bring_home(cards)
        each.give_up()
    player.see("results").wait_for()
    player.unfold("deal")
    player.press("deal-page")
    player.see("runs").wait_for()
    link = player.page.url
    friend.close()

    stranger = Player(browser, site.url, PHONE)
    stranger.page.goto(link)
    expect(stranger.see("runs")).to_contain_text("2 players")
    expect(stranger.see("watch-run")).to_have_count(2)
    for name in ("Ada", "Grace"):
        expect(stranger.see("runs")).to_contain_text(name)
    stranger.see("watch-run").last.click()
    stranger.see("beside").select_option(index=1)
    chart = stranger.page.get_by_role("img", name=re.compile("Grace.*Ada"))
    # The last one marks the replay's position.
    expect(chart.locator("path")).to_have_count(3)
    lines = [line.get_attribute("d") or "" for line in chart.locator("path").all()[:2]]
    # A step for each card that came home.
    assert [line.count("V") for line in lines] == [1, 2]
    stranger.close()
