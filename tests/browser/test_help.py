"""Undo and hints in Chromium: in rooms whose terms allow them, and in practice."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site, player_fixture
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.screens import store_practice

DEAD_ENDS = Path(__file__).parent.parent / "vectors" / "dead-ends.json"

player = player_fixture(PHONE)


def play_alone(player: Player, allowed: str) -> None:
    player.go("/new")
    player.choose_game("robert")
    # Players who know the game see no guide, so only a hint's cards glow.
    player.page.evaluate("localStorage.setItem('samedeal.guided.robert', '3')")
    player.see("help-select").select_option(allowed)
    player.press("play-alone")
    player.wait_for_board()


def test_a_room_with_help_has_undo_and_hints_and_marks_the_result(player: Player) -> None:
    play_alone(player, "hints")
    expect(player.see("undo")).to_be_disabled()
    for name in ("undo", "hint", "give-up"):
        box = player.see(name).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    player.tap("s")
    player.wait_for_cards()
    dealt = player.cards("w")
    player.press("undo")
    player.wait_for_moves(2)
    expect(player.see("notice")).to_contain_text("counts as a move")
    assert player.cards("w") == []
    player.page.keyboard.press("d")
    player.wait_for_cards()
    assert player.cards("w") == dealt
    player.page.keyboard.press("Control+z")
    expect(player.page.locator('[data-pile="w"][data-card]')).to_have_count(0)
    expect(player.see("undo")).to_be_disabled()
    player.page.keyboard.press("i")
    expect(player.see("spoken")).to_contain_text("Hint: ")
    lit = player.hinted()
    # The hint was stored before it was shown, so it survives a reload.
    player.page.reload()
    player.wait_for_board()
    expect(player.page.locator(".hinted[data-pile]").first).to_be_attached()
    assert player.hinted() == lit
    player.tap("s")
    expect(player.page.locator(".hinted[data-pile]")).to_have_count(0)
    # After the reload, only the server knows the board before the move.
    player.press("undo")
    expect(player.page.locator('[data-pile="w"][data-card]')).to_have_count(0)
    player.give_up()
    marks = "3 undos, 1 hint, looked under cards"
    expect(player.see("results").get_by_test_id("marks")).to_have_text(marks)
    expect(player.see("results")).to_contain_text(f"Help: {marks}.")
    player.press("watch-run")
    player.see("scrubber").wait_for()
    player.page.keyboard.press("End")
    expect(player.see("marks").last).to_contain_text(marks)


def test_a_room_without_help_has_no_such_buttons(player: Player) -> None:
    play_alone(player, "none")
    player.tap("s")
    player.wait_for_moves(1)
    expect(player.see("undo")).to_have_count(0)
    expect(player.see("hint")).to_have_count(0)
    player.page.keyboard.press("u")
    player.page.keyboard.press("i")
    player.wait_for_frames(5)
    assert player.moves() == 1


def test_the_host_and_others_agree_on_help(browser: Browser, site: Site) -> None:
    host, guest = (Player(browser, site.url, device) for device in (PHONE, DESKTOP))
    guest.page.goto(host.open_room("robert"))
    expect(host.see("start-round")).to_contain_text("2")
    guest.press("change-terms")
    guest.see("help-select").select_option("undo")
    guest.press("send-terms")
    expect(host.see("proposals")).to_contain_text("with undo")
    host.press("accept-terms")
    expect(host.see("proposals")).to_be_empty()
    host.press("start-round")
    for player in (host, guest):
        player.wait_for_board()
        expect(player.see("undo")).to_be_visible()
        expect(player.see("hint")).to_have_count(0)
    host.tap("s")
    host.wait_for_cards()
    host.press("undo")
    host.wait_for_moves(2)
    for player in (host, guest):
        player.give_up()
    expect(guest.see("results").get_by_test_id("marks")).to_have_text("1 undo, looked under cards")
    for player in (host, guest):
        player.close()


def test_practice_keeps_its_marks_and_its_hint(player: Player) -> None:
    player.go("/practice/robert")
    player.wait_for_board()
    player.tap("s")
    player.wait_for_moves(1)
    player.page.keyboard.press("u")
    player.wait_for_moves(0)
    player.press("hint")
    lit = player.hinted()
    assert lit
    player.page.reload()
    player.wait_for_board()
    assert player.hinted() == lit
    assert player.moves() == 0
    kept = player.page.evaluate("JSON.parse(localStorage['samedeal.practice.robert'])")
    assert (kept["undos"], kept["hints"], kept["peeked"]) == (1, 1, True)


def test_practice_offers_the_help_of_its_setting(player: Player) -> None:
    player.go("/settings")
    player.page.locator('input[name="practice-help"][value="undo"]').check(force=True)
    player.go("/practice/robert")
    player.wait_for_board()
    expect(player.see("undo")).to_be_visible()
    expect(player.see("hint")).to_have_count(0)


def test_practice_tells_of_a_dead_end_that_hides_cards(player: Player) -> None:
    ends = json.loads(DEAD_ENDS.read_text(encoding="utf-8"))
    end = next(entry for entry in ends if entry["game"] == "yukon")
    moves = end["moves"][: end["dead"][0]]
    player.go("/")
    store_practice(player, "yukon", {"seed": end["seed"], "moves": moves[:10]})
    player.go("/practice/yukon")
    player.wait_for_board()
    expect(player.see("undo")).to_be_visible()
    expect(player.see("notice")).to_have_text("")
    store_practice(player, "yukon", {"seed": end["seed"], "moves": moves})
    player.page.reload()
    expect(player.see("notice")).to_contain_text("No move here gets you any further.")
