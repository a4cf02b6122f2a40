"""Practice: starting it in one tap, choosing a variant, leaving a deal, and the statistics."""

from __future__ import annotations

import json

from playwright.sync_api import Browser, expect

from tests.browser.checks import problems
from tests.browser.conftest import Site, player_fixture
from tests.browser.player import Player
from tests.browser.screens import WON, device, store_practice

player = player_fixture(device("360x740"))


def test_the_games_that_people_look_for_are_in_view_on_a_phone(player: Player) -> None:
    player.go("/")
    for game in ("klondike", "spider", "freecell", "deuces", "rouge-et-noir"):
        expect(player.see(f"practise-{game}")).to_be_in_viewport(ratio=0.9)
    assert problems(player) == []


def test_the_last_game_is_continued_in_one_tap(player: Player) -> None:
    player.go("/practice")
    player.press("practise-klondike-draw-three")
    player.wait_for_board()
    expect(player.page).to_have_title("Klondike: Draw three · Practice · Samedeal")
    player.tap("s")
    player.wait_for_moves(1)
    dealt = player.cards("w")
    assert len(dealt) == 3
    player.go("/")
    expect(player.see("practise-last")).to_contain_text("Continue Klondike")
    expect(player.see("practise-last")).to_contain_text("Draw three, 1 move")
    player.press("practise-last")
    player.wait_for_board()
    assert player.cards("w") == dealt


def test_a_new_deal_keeps_the_variant_and_can_be_undone(player: Player) -> None:
    player.go("/practice/spider?rules=one-suit")
    player.wait_for_board()
    player.tap("s")
    player.wait_for_moves(1)
    before = player.cards("t0")
    player.press("deal-anew")
    player.wait_for_moves(0)
    expect(player.page.get_by_role("heading", level=1)).to_have_text("Spider: One suit")
    expect(player.see("notice")).to_contain_text("Undo brings the last game back.")
    said = player.see("notice").locator("p").bounding_box()
    board = player.see("board").bounding_box()
    assert said is not None
    assert board is not None
    assert said["y"] + said["height"] <= board["y"], "the notice covers cards"
    player.press("undo")
    player.wait_for_moves(1)
    player.wait_for_board()
    assert player.cards("t0") == before
    player.press("practice-menu")
    assert problems(player) == []
    player.press("restart-deal")
    player.wait_for_moves(0)
    player.press("undo")
    player.wait_for_moves(1)
    player.press("practice-menu")
    player.press("variant-two-suits")
    player.wait_for_moves(0)
    expect(player.page.get_by_role("heading", level=1)).to_have_text("Spider: Two suits")


def test_a_win_shows_its_figures_and_counts_once(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, device("360x740"))
    won = json.loads(WON.read_text())
    last = max(nth for nth, move in enumerate(won["moves"]) if move.startswith("s>"))
    player.go("/")
    deal = {"seed": won["seed"], "moves": won["moves"][: last + 1], "elapsed": 83_000}
    store_practice(player, "lady-betty", deal)
    player.go("/practice/lady-betty")
    player.press("finish")
    expect(player.see("counted")).to_have_text("Your first win at this game.")
    expect(player.page.get_by_role("status").filter(has_text="You won!")).to_contain_text("In 1:")
    for name in ("restart-deal", "challenge-deal", "share"):
        expect(player.see(name)).to_be_visible()
    assert problems(player) == []
    player.page.reload()
    # It was counted before, and is not counted again.
    expect(player.see("counted")).to_have_text("Your first win at this game.")
    player.press("open-statistics")
    row = player.see("practice-lady-betty-standard")
    expect(row).to_contain_text("Best time")
    assert problems(player) == []
    with player.page.expect_download() as download:
        player.press("download-statistics")
    kept = json.loads(download.value.path().read_text())
    assert kept["practice"]["lady-betty"]["standard"]["won"] == 1
    player.close()
