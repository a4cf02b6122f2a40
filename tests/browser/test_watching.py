"""Watching a race in Chromium: by a link, after finishing, and from the next seat."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site, friend_fixture, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import start_round

ada = player_fixture(PHONE, "Ada")
watcher = player_fixture(DESKTOP, "Emmy")
grace = friend_fixture("Grace")
barbara = friend_fixture("Barbara")


def start(host: Player, *guests: Friend) -> None:
    link = host.open_room("robert", 1 + len(guests))
    for guest in guests:
        guest.join(link)
    expect(host.see("seat")).to_have_count(1 + len(guests))
    start_round(host)
    for guest in guests:
        guest.wait_for_round()


def cards_of(player: Player | Friend) -> dict[str, list[str]]:
    return {pile: player.cards(pile) for pile in ("f0", "w")}


def expect_entry(player: Player, seq: int) -> None:
    expect(player.see("board-shown")).to_have_attribute("data-seq", str(seq))


def test_finished_players_watch_the_others_move_by_move(
    ada: Player, grace: Friend, barbara: Friend
) -> None:
    start(ada, grace, barbara)
    grace.draw(1)
    ada.give_up()
    ada.press("watch")
    expect(ada.see("board-of")).to_have_count(2)
    # The leader's board is first; without a leader, any other one can be chosen.
    ada.see("board-of").filter(has_text="Grace").click()
    expect_entry(ada, 2)
    for number in range(2, 6):
        grace.draw(1)
        expect_entry(ada, number + 1)
    ada.wait_for_cards()
    assert cards_of(ada) == cards_of(grace)
    # Watched cards cannot be moved, and no move is sent.
    sent = ada.sent
    ada.page.keyboard.press("d")
    ada.wait_for_frames(5)
    assert ada.sent == sent
    grace.give_up()
    ada.see("board-of").filter(has_text="Given up").wait_for()
    barbara.give_up()
    # A finished player is led to the results automatically.
    expect(ada.see("results")).to_be_visible()


def test_a_single_board_is_named_too(ada: Player, grace: Friend) -> None:
    start(ada, grace)
    ada.give_up()
    ada.press("watch")
    expect(ada.see("whose-board")).to_contain_text("Grace")
    expect(ada.see("board-of")).to_have_count(0)


def test_a_swipe_shows_the_next_board(ada: Player, grace: Friend, barbara: Friend) -> None:
    start(ada, grace, barbara)
    ada.give_up()
    ada.press("watch")
    shown = ada.see("board-shown")
    expect_entry(ada, 1)
    first = shown.get_attribute("data-player")
    touch = ada.context.new_cdp_session(ada.page)

    def swipe(across: int) -> None:
        points = [(200, 420), (200 + across // 2, 425), (200 + across, 425)]
        for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove"), points, strict=True):
            touch.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(-120)
    expect(shown).not_to_have_attribute("data-player", str(first))
    swipe(120)
    expect(shown).to_have_attribute("data-player", str(first))
    swipe(20)
    expect(shown).to_have_attribute("data-player", str(first))
    ada.press("to-room")
    ada.see("watch").wait_for()


def test_a_link_shows_the_race_with_a_delay_and_leads_to_a_seat(
    ada: Player, watcher: Player, browser: Browser, site: Site
) -> None:
    ada.open_room("robert", 2)
    ada.press("watch-invite")
    link = ada.see("watch-link").input_value()
    watcher.page.goto(link)
    expect(watcher.see("take-seat")).to_be_visible()
    # Spectators take no seat and are not listed as members.
    expect(ada.see("seat")).to_have_count(1)
    start_round(ada)
    expect(watcher.see("watch-note")).to_contain_text("15 seconds")
    expect(watcher.see("no-board")).to_be_visible()
    ada.tap("s")
    ada.wait_for_moves(1)
    ada.wait_for_cards()
    expect(watcher.page.locator('[data-testid="runner-progress"]')).to_have_count(1)
    # It takes 15 seconds.
    expect_entry(watcher, 2)
    assert cards_of(watcher) == cards_of(ada)
    # A player who opens the link during a race is led back to it.
    ada.page.goto(link)
    ada.wait_for_board()
    assert ada.moves() == 1
    ada.give_up()
    expect(watcher.see("watch-note")).to_contain_text("over")
    watcher.press("to-room")
    expect(watcher.see("results")).to_be_visible()
    watcher.press("take-seat")
    expect(ada.see("seat")).to_have_count(2)
    watcher.press("be-in")
    start_round(ada, watcher)
    # A spectator who can take no seat is told so.
    late = Player(browser, site.url, PHONE)
    late.page.goto(link)
    expect(late.see("boards")).to_be_visible()
    late.close()


@pytest.mark.deep
def test_an_invalid_link_shows_an_error(watcher: Player, grace: Friend) -> None:
    code = grace.open_room().rpartition("/")[2]
    # The same words do not reveal whether there is such a room.
    for each in (code, "ZZZZZZZZ"):
        watcher.go(f"/watch/{each}/AAAAAAAAAAAAAAAAAAAAAA")
        expect(watcher.page.get_by_text("let you watch")).to_be_visible()


@pytest.mark.deep
def test_boards_of_a_public_race_are_shown_when_it_is_over(
    ada: Player, watcher: Player, grace: Friend
) -> None:
    grace.join(ada.open_room("robert", 2))
    expect(ada.see("seat")).to_have_count(2)
    ada.press("watch-invite")
    watcher.page.goto(ada.see("watch-link").input_value())
    ada.see("open-to-anyone").check()
    ada.see("public").wait_for()
    start_round(ada)
    grace.wait_for_round()
    ada.give_up()
    # There are no links to hidden boards.
    for each in (ada, watcher):
        expect(each.see("boards-later")).to_contain_text("still playing this deal")
        for absent in ("watch", "boards"):
            expect(each.see(absent)).to_have_count(0)
    grace.give_up()
    for each in (ada, watcher):
        expect(each.see("results")).to_be_visible()


@pytest.mark.deep
def test_making_a_race_public_hides_the_watched_boards(
    ada: Player, grace: Friend, barbara: Friend
) -> None:
    link = grace.open_room(seats=4)
    ada.page.goto(link)
    barbara.join(link)
    expect(ada.see("seat")).to_have_count(3)
    grace.start(link)
    ada.wait_for_board()
    for each in (grace, barbara):
        each.wait_for_round()
    ada.give_up()
    grace.give_up()
    ada.press("watch")
    expect_entry(ada, 1)
    grace.in_room(link, "room.public", public=True)
    expect(ada.see("boards-later")).to_be_visible()
    expect(ada.see("boards")).to_have_count(0)
    barbara.give_up()
    expect(ada.see("results")).to_be_visible()
