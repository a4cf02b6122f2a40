"""Several tabs and devices of one player in Chromium: one plays, the others follow."""

from __future__ import annotations

import re
from contextlib import ExitStack

from playwright.sync_api import Browser, expect

from server.players.core.keys import MAX_SESSIONS
from tests.browser.conftest import Site, player_fixture
from tests.browser.player import MOVING_PHONE, Player
from tests.browser.steps import start_daily, start_round

desk = player_fixture(name="Ada")


def phone_of(player: Player, browser: Browser, site: Site) -> Player:
    """Return a phone of the same player."""
    return Player(
        browser, site.url, MOVING_PHONE | {"storage_state": player.context.storage_state()}
    )


def race_alone(player: Player) -> str:
    link = player.open_room("robert", 1)
    start_round(player)
    return link


def draw(player: Player, moves: int) -> None:
    for move in range(player.moves(), moves):
        player.tap("s")
        player.wait_for_moves(move + 1)
        player.wait_for_cards()


def test_a_leaderboard_in_a_second_tab_does_not_stop_the_race(desk: Player, site: Site) -> None:
    race_alone(desk)
    draw(desk, 2)
    tab = desk.context.new_page()
    tab.goto(f"{site.url}/leaderboard/robert")
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    expect(tab.get_by_test_id("leaderboard")).to_be_visible()
    draw(desk, 4)
    for page in (tab, desk.page):
        expect(page.get_by_test_id("status-banner")).to_be_empty()
    expect(desk.see("elsewhere")).to_be_hidden()


def test_a_phone_follows_the_desktop_takes_over_and_hands_back(
    desk: Player, browser: Browser, site: Site
) -> None:
    link = race_alone(desk)
    draw(desk, 2)
    phone = phone_of(desk, browser, site)
    phone.page.goto(link)
    expect(phone.see("elsewhere")).to_be_visible()
    phone.wait_for_moves(2)

    # The board follows live and does not accept a move by accident.
    draw(desk, 3)
    phone.wait_for_moves(3)
    for pile in ("w", "f0"):
        assert phone.cards(pile) == desk.cards(pile)
    expect(phone.see("board")).to_have_attribute("data-live", "false")
    expect(phone.see("give-up")).to_be_hidden()
    box = phone.see("take-over").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44

    phone.press("take-over")
    expect(desk.see("elsewhere")).to_be_visible()
    expect(phone.see("elsewhere")).to_be_hidden()
    phone.wait_for_board()
    draw(phone, 5)
    desk.wait_for_moves(5)
    assert phone.cards("w") == desk.cards("w")

    desk.press("take-over")
    expect(phone.see("elsewhere")).to_be_visible()
    desk.wait_for_board()
    draw(desk, 6)
    phone.wait_for_moves(6)

    # Once the desktop is closed, the player plays nowhere else.
    desk.page.goto("about:blank")
    expect(phone.see("elsewhere")).to_be_hidden()
    phone.wait_for_board()
    draw(phone, 7)
    phone.give_up()
    expect(phone.see("results")).to_be_visible()
    phone.close()


def test_play_continues_after_a_reload(desk: Player) -> None:
    race_alone(desk)
    draw(desk, 2)
    desk.page.reload()
    desk.wait_for_board()
    expect(desk.see("elsewhere")).to_be_hidden()
    draw(desk, 3)


def test_a_daily_opened_on_another_device_is_played_there(
    desk: Player, browser: Browser, site: Site
) -> None:
    start_daily(desk)
    draw(desk, 2)
    phone = phone_of(desk, browser, site)
    phone.go("/daily/robert")
    expect(desk.see("elsewhere")).to_be_hidden()
    phone.press("play-daily")
    phone.wait_for_board()
    expect(desk.see("elsewhere")).to_have_text(re.compile("Play here"))
    phone.close()


def test_too_many_windows_close_the_first_which_explains_and_can_return(desk: Player) -> None:
    desk.go("/")
    expect(desk.see("race")).to_be_visible()
    with ExitStack() as windows:
        for _ in range(MAX_SESSIONS):
            expect(desk.see("status-banner")).to_be_empty()
            windows.enter_context(desk.without_page())
        expect(desk.see("status-banner")).to_contain_text("Too many")
        desk.see("status-banner").get_by_role("button").click()
        expect(desk.see("status-banner")).to_be_hidden()
