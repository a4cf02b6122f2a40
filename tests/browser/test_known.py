"""Known deals in Chromium: pasted for practice, opened by a link, and raced."""

from __future__ import annotations

from playwright.sync_api import expect

from engine.cards import pile_names
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.known import known_deck
from tests.browser.checks import problems
from tests.browser.conftest import player_fixture
from tests.browser.player import DESKTOP, PHONE, Player

MARK = "Known deal 11982"


player = player_fixture(PHONE, "Ada")
guest = player_fixture(DESKTOP, "Grace")


def expect_deal(player: Player, number: str) -> None:
    rules = ruleset("freecell", "standard")
    piles = deal_seed(rules, known_deck(rules, number)).piles
    player.wait_for_board()
    shown = {pile: player.cards(f"t{nth}") for nth, pile in enumerate(rules.tableau)}
    assert shown == {pile: pile_names(piles[pile]) for pile in rules.tableau}
    expect(player.see("known-mark")).to_have_text(f"Known deal {number}")


def test_known_deals_are_practised_by_number_and_by_link(player: Player) -> None:
    player.go("/practice/freecell")
    player.wait_for_board()
    expect(player.see("known-mark")).to_have_count(0)
    player.press("practice-menu")
    player.press("deal-from-elsewhere")
    player.see("known-text").fill("AH, or so")
    expect(player.see("known-problem")).to_contain_text("or” isn\u2019t a card")
    expect(player.see("play-known")).to_be_disabled()
    player.see("known-text").fill("Game #11982")
    player.see("known-picture").wait_for()
    assert problems(player) == []
    player.press("play-known")
    expect_deal(player, "11982")
    assert problems(player) == []

    player.tap("t0")
    player.wait_for_moves(1)
    player.page.reload()
    player.wait_for_board()
    expect(player.see("known-mark")).to_have_text(MARK)
    player.wait_for_moves(1)
    player.go("/practice/freecell?deal=617")
    player.press("replace-practice")
    expect_deal(player, "617")
    player.go("/practice/freecell?deal=0")
    expect(player.see("known-problem")).to_contain_text("from 1 to 8,589,934,591")
    player.see("known-text").fill("11982")
    player.press("play-known")
    expect_deal(player, "11982")

    player.go("/rules/freecell")
    expect(player.see("elsewhere")).to_contain_text("PySolFC, where cards go back")
    player.press("from-elsewhere")
    expect(player.see("known-text")).to_have_value("")


def test_a_race_on_a_known_deal_is_labelled(player: Player, guest: Player) -> None:
    host = player
    host.go("/new")
    host.choose_game("freecell")
    host.see("deal-select").select_option("known")
    host.see("known-text").fill("11982")
    host.see("known-picture").wait_for()
    assert problems(host) == []
    host.see("seats-select").select_option("2")
    host.press("create-room")
    host.see("seat").first.wait_for()
    guest.page.goto(host.page.url)
    for each in (host, guest):
        expect(each.see("known-mark")).to_have_text(MARK)
        expect(each.see("not-counted")).to_contain_text("the round doesn")
    expect(host.see("start-round")).to_contain_text("2")
    host.press("start-round")
    for each in (host, guest):
        expect_deal(each, "11982")
    for each in (host, guest):
        each.give_up()
    guest.unfold("deal")
    guest.press("check-deal")
    expect(guest.see("check-result")).to_contain_text("cards match the commitment")
    expect(guest.see("challenge-with-deal")).to_have_count(0)
    guest.unfold("terms")
    guest.press("change-terms")
    expect(guest.see("known-text")).to_have_value("11982")
    guest.see("deal-select").select_option("any")
    guest.press("send-terms")
    expect(host.see("proposals")).to_contain_text("Grace suggests FreeCell, ")
