"""Races with strangers in Chromium: open races, quick matches, and the pace bot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Site, player_fixture, running_site
from tests.browser.player import DESKTOP, PHONE, Player


@pytest.fixture
def site() -> Iterator[Site]:
    """Run a server for each test, as open races are listed to all its players."""
    with running_site() as site:
        yield site


ada = player_fixture(PHONE, "Ada")
grace = player_fixture(DESKTOP, "Grace")


def test_a_stranger_finds_an_open_race_and_joins_it(ada: Player, grace: Player) -> None:
    grace.go("/new")
    expect(grace.see("open-races")).to_contain_text("No open races")
    ada.open_room("robert", seats=3)
    expect(grace.see("open-race")).to_have_count(0)
    ada.see("open-to-anyone").check()
    expect(ada.see("public")).to_be_visible()
    expect(grace.see("open-race")).to_contain_text("Ada")
    expect(grace.see("open-race")).to_contain_text("1 of 3")
    grace.press("join-open")
    expect(grace.see("seat")).to_have_count(2)
    ada.see("open-to-anyone").uncheck()
    expect(ada.see("public")).to_have_count(0)
    grace.go("/new")
    expect(grace.see("open-races")).to_contain_text("No open races")


def test_two_taps_start_a_race_of_two_strangers(ada: Player, grace: Player) -> None:
    ada.go("/")
    # The first game is Klondike.
    expect(ada.see("find-match")).to_contain_text("20\u00a0min")
    ada.press("find-match")
    expect(ada.see("looking")).to_contain_text("Looking")
    expect(ada.see("looking-terms")).to_contain_text("20 minutes")
    expect(ada.see("bot-in")).to_contain_text("pace bot")
    grace.go("/")
    grace.press("find-match")
    for player in (ada, grace):
        player.wait_for_board()
    assert ada.page.url == grace.page.url
    expect(ada.see("runner-progress")).to_contain_text("Grace")


def test_a_search_for_opponents_can_be_cancelled(ada: Player, grace: Player) -> None:
    ada.go("/new")
    ada.choose_game("robert")
    ada.press("find-match")
    expect(ada.see("looking")).to_be_visible()
    before = ada.page.url
    ada.press("stop-looking")
    expect(ada.see("race")).to_be_visible()
    grace.go("/new")
    grace.choose_game("robert")
    grace.press("find-match")
    expect(grace.see("looking")).to_be_visible()
    assert grace.page.url != before


def test_an_opponent_below_the_list_is_sought_for_the_chosen_game(ada: Player) -> None:
    ada.go("/new")
    ada.choose_game("spider")
    expect(ada.see("find-instead")).to_have_text("Race anyone at Spider (45 min)")
    ada.press("find-instead")
    expect(ada.see("looking-terms")).to_contain_text("Spider")
    ada.press("stop-looking")


def test_the_pace_bot_joins_after_twenty_seconds_with_a_label(ada: Player) -> None:
    ada.go("/new")
    ada.press("find-instead")
    expect(ada.see("looking")).to_be_visible()
    ada.page.wait_for_selector('[data-testid="board"]', timeout=40_000)
    ada.wait_for_board()
    bot = ada.see("runner-progress")
    expect(bot).to_contain_text("Pace bot")
    expect(bot.get_by_test_id("bot-mark")).to_be_visible()
    ada.tap("s")
    ada.give_up()
    # The bot's result counts for no player.
    expect(ada.see("results")).to_be_visible()
    expect(ada.see("seat").last).to_contain_text("plays by hints")
    ada.see("seat-menu").click()
    # A quick match has no host.
    expect(ada.see("mute")).to_be_visible()
    for absent in ("remove", "make-host", "change-terms", "lock", "open-to-anyone"):
        expect(ada.see(absent)).to_have_count(0)
    ada.page.keyboard.press("Escape")
    before = ada.page.url
    ada.press("next-opponent")
    expect(ada.see("looking")).to_be_visible()
    assert ada.page.url != before
