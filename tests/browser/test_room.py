"""The room screen in Chromium, on a phone with touch and on a desktop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, PHONE, Player


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def host(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Player]:
    player = Player(browser, site.url, request.param)
    yield player
    player.close()


@pytest.fixture
def guest(browser: Browser, site: Site) -> Iterator[Player]:
    player = Player(browser, site.url, PHONE)
    yield player
    player.close()


def name(player: Player, new: str) -> None:
    """Give a player a name."""
    player.go("/settings")
    player.see("name-input").fill(new)
    player.press("name-save")
    expect(player.see("notice")).to_contain_text("Saved")


def test_one_tap_starts_a_game_alone(host: Player) -> None:
    host.go("/")
    host.press("play-alone")
    host.wait_for_board()
    host.press("give-up")
    # Alone there is no last place.
    expect(host.page.get_by_role("dialog")).not_to_contain_text("last")


def test_every_screen_leads_back_to_a_running_race(host: Player) -> None:
    host.go("/new")
    host.see("game-select").select_option("robert")
    host.press("play-alone")
    host.wait_for_board()
    expect(host.see("return-to-game")).to_have_count(0)
    host.tap("s")
    host.wait_for_moves(1)
    host.page.get_by_role("link", name="Back to the start").click()
    for path in ("/", "/daily", "/rules/robert", "/settings", "/practice/deuces"):
        host.go(path)
        expect(host.see("return-to-game")).to_contain_text("Robert")
    host.press("return-to-game")
    host.wait_for_board()
    assert host.moves() == 1
    host.give_up()
    expect(host.see("results")).to_be_visible()
    host.go("/")
    expect(host.see("race")).to_be_visible()
    expect(host.see("return-to-game")).to_have_count(0)


def test_every_screen_leads_back_to_a_running_daily(host: Player) -> None:
    host.go("/daily/robert")
    host.press("play-daily")
    host.wait_for_board()
    host.press("give-up")
    expect(host.page.get_by_role("dialog")).to_contain_text("count as last")
    host.page.keyboard.press("Escape")
    host.tap("s")
    host.wait_for_moves(1)
    host.page.get_by_role("link", name="Back to the start").click()
    host.press("return-to-game")
    host.wait_for_board()
    host.wait_for_moves(1)
    host.give_up()
    expect(host.see("results")).to_be_visible()
    host.go("/settings")
    expect(host.see("name-input")).to_be_visible()
    expect(host.see("return-to-game")).to_have_count(0)
