"""Watching a race in Chromium: by a link, after finishing, and from the next seat."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, PHONE, Player


@pytest.fixture
def players(browser: Browser, site: Site) -> Iterator[tuple[Player, Player, Player]]:
    """Return Ada, Grace and Barbara: on a phone, a desktop, and a phone."""
    ada = Player(browser, site.url, PHONE, "Ada")
    grace = Player(browser, site.url, DESKTOP, "Grace")
    barbara = Player(browser, site.url, PHONE, "Barbara")
    yield ada, grace, barbara
    for each in (ada, grace, barbara):
        each.close()


def cards_of(player: Player) -> dict[str, list[str]]:
    """Return the cards of a board of Robert on a page."""
    return {pile: player.cards(pile) for pile in ("f0", "w")}


def expect_entry(player: Player, seq: int) -> None:
    """Wait until the large board has reached an entry of its journal."""
    expect(player.see("board-shown")).to_have_attribute("data-seq", str(seq))


def test_finished_players_watch_the_others_move_by_move(
    players: tuple[Player, Player, Player],
) -> None:
    ada, grace, barbara = players
    grace.page.goto(ada.open_room("robert", 3))
    barbara.page.goto(ada.page.url)
    expect(ada.see("seat")).to_have_count(3)
    ada.press("start-round")
    for each in players:
        each.wait_for_board()
    grace.tap("s")
    grace.wait_for_moves(1)
    ada.give_up()
    ada.press("watch")
    expect(ada.see("board-of")).to_have_count(2)
    # The leader's board is first; without a leader, any other one can be chosen.
    ada.see("board-of").filter(has_text="Grace").click()
    expect_entry(ada, 2)
    for number in range(2, 6):
        grace.tap("s")
        grace.wait_for_moves(number)
        expect_entry(ada, number + 1)
    grace.wait_for_cards()
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
    for each in players:
        expect(each.see("results")).to_be_visible()


def test_a_single_board_is_named_too(
    players: tuple[Player, Player, Player],
) -> None:
    ada, grace, _ = players
    grace.page.goto(ada.open_room("robert", 2))
    expect(ada.see("seat")).to_have_count(2)
    ada.press("start-round")
    for each in (ada, grace):
        each.wait_for_board()
    ada.give_up()
    ada.press("watch")
    expect(ada.see("whose-board")).to_contain_text("Grace")
    expect(ada.see("board-of")).to_have_count(0)


def test_a_swipe_shows_the_next_board(players: tuple[Player, Player, Player]) -> None:
    ada, grace, barbara = players
    grace.page.goto(ada.open_room("robert", 3))
    barbara.page.goto(ada.page.url)
    expect(ada.see("seat")).to_have_count(3)
    ada.press("start-round")
    for each in players:
        each.wait_for_board()
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
    players: tuple[Player, Player, Player],
) -> None:
    ada, grace, watcher = players
    ada.open_room("robert", 2)
    ada.press("watch-invite")
    link = ada.see("watch-link").input_value()
    watcher.page.goto(link)
    expect(watcher.see("take-seat")).to_be_visible()
    # Spectators take no seat and are not listed as members.
    expect(ada.see("seat")).to_have_count(1)
    ada.press("start-round")
    ada.wait_for_board()
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
    ada.press("start-round")
    for each in (ada, watcher):
        each.wait_for_board()
    # A spectator who can take no seat is told so.
    grace.page.goto(link)
    expect(grace.see("boards")).to_be_visible()


@pytest.mark.deep
def test_an_invalid_link_shows_an_error(players: tuple[Player, Player, Player]) -> None:
    ada, grace, _ = players
    ada.open_room("robert", 2)
    code = ada.see("room-code").inner_text()
    grace.go(f"/watch/{code}/AAAAAAAAAAAAAAAAAAAAAA")
    expect(grace.page.get_by_text("let you watch")).to_be_visible()
    grace.go("/watch/ZZZZZZZZ/AAAAAAAAAAAAAAAAAAAAAA")
    # The same words, which do not reveal whether there is such a room.
    expect(grace.page.get_by_text("let you watch")).to_be_visible()


@pytest.mark.deep
def test_boards_of_a_public_race_are_shown_when_it_is_over(
    players: tuple[Player, Player, Player],
) -> None:
    ada, grace, watcher = players
    grace.page.goto(ada.open_room("robert", 2))
    expect(ada.see("seat")).to_have_count(2)
    ada.press("watch-invite")
    watcher.page.goto(ada.see("watch-link").input_value())
    ada.see("open-to-anyone").check()
    ada.see("public").wait_for()
    ada.press("start-round")
    for each in (ada, grace):
        each.wait_for_board()
    ada.give_up()
    # There are no links to hidden boards.
    for each in (ada, watcher):
        expect(each.see("boards-later")).to_contain_text("still playing this deal")
        for absent in ("watch", "boards"):
            expect(each.see(absent)).to_have_count(0)
    grace.give_up()
    for each in (ada, grace, watcher):
        expect(each.see("results")).to_be_visible()


@pytest.mark.deep
def test_making_a_race_public_hides_the_watched_boards(
    players: tuple[Player, Player, Player],
) -> None:
    ada, grace, barbara = players
    grace.page.goto(ada.open_room("robert", 4))
    barbara.page.goto(ada.page.url)
    expect(ada.see("seat")).to_have_count(3)
    ada.press("start-round")
    for each in players:
        each.wait_for_board()
    ada.give_up()
    grace.give_up()
    grace.press("watch")
    expect_entry(grace, 1)
    ada.unfold("invite")
    ada.see("open-to-anyone").check()
    expect(grace.see("boards-later")).to_be_visible()
    expect(grace.see("boards")).to_have_count(0)
    barbara.give_up()
    expect(grace.see("results")).to_be_visible()
