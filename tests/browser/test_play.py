"""End to end in Chromium: races of two browsers, dailies, and server restarts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from server.play.messages import OpenAttempt
from server.rooms.messages import JoinRoom
from tests.browser.conftest import Site, player_fixture
from tests.browser.player import MOVING_PHONE, Player
from tests.browser.steps import start_daily, start_round

GAMES = ["robert", pytest.param("spider", marks=pytest.mark.deep)]


host = player_fixture()
guest = player_fixture(MOVING_PHONE)


NOT_WINNABLE = "No deal checked in advance was left, so nobody knows whether this one can be won."


def start_race(host: Player, guest: Player, game: str) -> None:
    link = host.open_room(game)
    guest.page.goto(link)
    expect(host.see("start-round")).to_contain_text("2")
    host.press("start-round")
    for player in (host, guest):
        player.wait_for_board()
        # No error is shown. This server has no certified deals of the games that are no dailies.
        assert player.see("notice").inner_text() in {"", NOT_WINNABLE}


@pytest.mark.deep
def test_two_browsers_race_on_one_deal_to_the_end(host: Player, guest: Player) -> None:
    start_race(host, guest, "robert")
    first = host.cards("f0")
    assert first == guest.cards("f0")

    host.play_robert()
    home = len(host.cards("f0"))
    assert home > 1
    progress = guest.see("runner-progress").first
    expect(progress).to_have_attribute("data-home", str(home))
    # While others play, the player gets their boards, and from there the room.
    host.press("see-results")
    expect(host.see("board-shown")).to_have_attribute("data-seq", "1")
    host.press("to-room")
    for name in ("own-progress", "runner-progress"):
        expect(host.see(name)).to_have_count(1)

    guest.tap("s")
    guest.wait_for_moves(1)
    guest.wait_for_cards()
    (guest_drew,) = guest.cards("w")
    guest.give_up()
    for player in (host, guest):
        results = player.see("results")
        expect(results).to_be_visible()
        expect(results.locator("tbody tr")).to_have_count(2)
        expect(results.get_by_test_id("row-home").first).to_have_text(str(home))
        # A line for each run, as long as the run.
        chart = player.see("round-chart").locator("path.run")
        expect(chart).to_have_count(2)
        assert (chart.last.get_attribute("d") or "").count("V") == home - 1
    margin = "1 card" if home == 2 else f"{home - 1} cards"
    expect(host.see("won")).to_have_text("You won!")
    expect(host.see("winner")).to_contain_text(f"{margin} ahead of ")
    expect(guest.see("rank")).to_contain_text("2nd")
    expect(guest.see("winner")).to_contain_text(f" won by {margin}.")
    host.unfold("deal")
    host.press("check-deal")
    expect(host.see("check-result")).to_contain_text("A fair deal")
    host.press("show-dealt")
    expect(host.page.locator('[data-dealt="f0"]')).to_have_text(" ".join(first))
    drawn = host.page.locator('[data-dealt="s"]').inner_text().split()[-1]
    assert drawn == guest_drew

    guest.press("be-in")
    expect(host.see("start-round")).to_have_text("Rematch")
    start_round(host)
    assert host.moves() == 0


def test_a_finished_daily_is_on_the_leaderboard_after_a_restart(host: Player, site: Site) -> None:
    host.go("/settings")
    host.see("name-input").fill("Ada")
    host.press("name-save")
    start_daily(host)
    host.tap("s")
    host.wait_for_moves(1)
    host.give_up()
    mine = host.see("leaderboard").get_by_role("row").filter(has_text="Ada").first
    expect(mine).to_be_visible()
    before = mine.text_content() or ""
    expect(host.see("results")).to_be_visible()
    sent = host.sent
    host.wait_for_frames(60)
    assert host.sent - sent < 10, "an idle page sends almost nothing"

    site.stop()
    expect(host.see("status-banner")).to_be_visible()
    site.start()
    expect(host.see("status-banner")).to_be_hidden()
    host.go("/leaderboard/robert")
    again = host.see("leaderboard").get_by_role("row").filter(has_text="Ada").first
    expect(again).to_have_text(before)
    host.go("/daily/robert")
    expect(host.see("results")).to_be_visible()


@pytest.mark.parametrize("game", GAMES)
def test_a_reload_in_the_middle_of_a_race_loses_nothing(
    host: Player, guest: Player, game: str
) -> None:
    start_race(host, guest, game)
    host.tap("s")
    if host.moves() == 0:  # a card of the stock whose target the player chooses
        host.tap("t0")
    host.wait_for_moves(1)
    piles = [f"t{n}" for n in range(10)] + ["w", "f0"]
    host.wait_for_cards()
    before = {pile: host.cards(pile)[-1:] for pile in piles}
    host.sent_kinds.clear()
    host.page.reload()
    host.wait_for_board()
    host.wait_for_moves(1)
    assert {pile: host.cards(pile)[-1:] for pile in piles} == before
    assert JoinRoom.__struct_config__.tag in host.sent_kinds
    assert OpenAttempt.__struct_config__.tag not in host.sent_kinds, (
        "the answer to JoinRoom contains the attempt"
    )


@pytest.mark.deep
def test_a_reload_in_the_middle_of_a_drag_returns_to_the_daily(host: Player) -> None:
    start_daily(host)
    host.tap("s")
    host.wait_for_moves(1)
    host.wait_for_cards()
    drawn = host.cards("w")
    host.page.locator('[data-pile="w"][data-card]').hover()
    host.page.mouse.down()
    host.page.mouse.move(40, 300, steps=4)
    host.page.reload()
    host.wait_for_board()
    host.wait_for_moves(1)
    assert host.cards("w") == drawn

    host.give_up()
    expect(host.see("results")).to_be_visible()
    host.page.reload()
    expect(host.see("results")).to_be_visible()
    expect(host.see("board")).to_have_count(0)


def test_moves_made_while_the_server_is_down_are_sent_later(host: Player, site: Site) -> None:
    start_daily(host)
    site.stop()
    expect(host.see("status-banner")).to_be_visible()
    host.tap("s")
    host.wait_for_moves(1)
    assert host.cards("w") == ["??"]
    site.start()
    expect(host.see("status-banner")).to_be_hidden()
    host.wait_for_cards()
    assert host.moves() == 1


def test_an_unknown_room_shows_an_error(host: Player) -> None:
    host.go("/r/ZZZZZZZZ")
    expect(host.page.get_by_role("heading")).to_have_text("There is no room with this code.")


@pytest.mark.deep
def test_the_title_of_a_hidden_page_says_when_a_friend_arrives(host: Player, guest: Player) -> None:
    link = host.open_room("robert")
    title = host.page.title()
    elsewhere = host.context.new_page()
    elsewhere.bring_to_front()
    # In a headless browser no page is ever hidden, so the event is simulated.
    host.page.evaluate(
        """() => {
             Object.defineProperty(document, 'hidden', {value: true, configurable: true});
             document.dispatchEvent(new Event('visibilitychange'));
           }"""
    )
    guest.page.goto(link)
    expect(host.page).to_have_title(re.compile("is here"))
    host.page.evaluate(
        """() => {
             delete document.hidden;
             document.dispatchEvent(new Event('visibilitychange'));
           }"""
    )
    expect(host.page).to_have_title(title)
