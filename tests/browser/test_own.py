"""Custom rules: changed in a form, practised, saved, shared by a link, and raced."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.checks import problems
from tests.browser.conftest import player_fixture
from tests.browser.player import DESKTOP, PHONE, Player

ada = player_fixture(PHONE, "Ada")
grace = player_fixture(DESKTOP, "Grace")


def test_custom_rules_are_practised_saved_shared_and_raced(ada: Player, grace: Player) -> None:
    ada.go("/rules/klondike")
    ada.press("change-rules")
    ada.press("key-stock.turns-more")
    expect(ada.see("differences")).to_contain_text("Cards per turn: 2 instead of 1")
    # Every way from here deals two cards at a time.
    ada.press("practise-own")
    ada.wait_for_board()
    expect(ada.page).to_have_title("Klondike: custom rules · Practice · Samedeal")
    ada.tap("s")
    ada.wait_for_moves(1)
    assert len(ada.cards("w")) == 2
    ada.press("deal-anew")
    ada.wait_for_moves(0)
    ada.wait_for_board()
    ada.tap("s")
    ada.wait_for_moves(1)
    assert len(ada.cards("w")) == 2

    # Going back leads to the form as it was left.
    ada.page.go_back()
    expect(ada.see("key-stock.turns")).to_contain_text("2")
    ada.see("own-name").fill("Twos")
    ada.press("save-own")
    expect(ada.see("own-game")).to_contain_text("Twos")
    ada.press("share-own")
    link = ada.see("own-link").input_value()
    assert link.endswith("/own/klondike?rules=stock.turns=2&name=Twos")

    # The link's recipient sees the differences, and can race immediately.
    grace.page.goto(link)
    expect(grace.page.get_by_role("heading", level=1)).to_have_text("Twos (Klondike)")
    expect(grace.see("differences")).to_contain_text("2 instead of 1")
    expect(grace.see("key-stock.turns")).to_have_count(0)
    grace.press("race-own")
    expect(grace.see("variant-select")).to_have_value("stock.turns=2")
    expect(grace.see("unrated")).to_be_visible()
    grace.press("create-room")
    grace.see("seat").first.wait_for()
    ada.page.goto(grace.page.url)
    expect(grace.see("seat")).to_have_count(2)
    # Each player's name for the rules is shown, and both can read them.
    expect(grace.page.get_by_role("heading", level=1)).to_have_text("Klondike: custom rules")
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("Klondike: Twos")
    ada.unfold("own-rules")
    expect(ada.see("differences")).to_contain_text("2 instead of 1")
    assert problems(ada) == []
    grace.press("start-round")
    for player in (ada, grace):
        player.wait_for_board()
        player.tap("s")
        player.wait_for_moves(1)
        assert len(player.cards("w")) == 2


def test_the_form_explains_errors_and_saves_games_under_names(ada: Player) -> None:
    ada.go("/own/freecell")
    ada.press("add-reserve")
    # All cards are dealt to the columns.
    expect(ada.see("own-fault")).to_be_visible()
    expect(ada.see("practise-own")).to_be_disabled()
    ada.see("key-tableau.deal").fill("6 6 6 6 6 6 6 6")
    ada.see("key-tableau.deal").press("Enter")
    expect(ada.see("own-fault")).to_have_count(0)
    expect(ada.see("practise-own")).to_be_enabled()
    for part in ("tableau", "foundations", "cells", "reserve"):
        ada.unfold(f"own-{part}")
    assert problems(ada) == []
    ada.press("reset-own")
    expect(ada.see("differences")).to_have_count(0)

    # Rules with a name in the game's file are played under that name.
    ada.press("key-cells.piles-less")
    expect(ada.see("own-listed")).to_contain_text("Three cells")
    expect(ada.see("race-own")).to_have_attribute("href", "/new?game=freecell&rules=three-cells")
    ada.press("key-cells.piles-more")
    ada.press("key-cells.piles-more")
    ada.see("own-name").fill("Five")
    ada.press("save-own")

    ada.go("/own")
    ada.press("rename-own")
    ada.see("rename-field").fill("Five cells")
    ada.press("rename-save")
    assert problems(ada) == []
    ada.go("/new")
    ada.choose_game("freecell")
    ada.see("variant-select").select_option(label="Five cells")
    expect(ada.see("find-match")).to_have_count(0)
    ada.go("/own")
    ada.press("open-own")
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("Five cells (FreeCell)")
    ada.press("remove-own")
    expect(ada.see("own-game")).to_have_count(0)


def test_a_link_with_unplayable_rules_shows_an_error(ada: Player) -> None:
    for rules in ("stock.turns=99", "nonsense", "stock.turns"):
        ada.go(f"/own/klondike?rules={rules}")
        expect(ada.page.get_by_role("alert")).to_contain_text("be played")
        expect(ada.see("own-front")).to_be_visible()
    ada.go("/own/nothing")
    expect(ada.see("own-front")).to_have_count(0)


def test_a_link_to_a_race_by_unplayable_rules_offers_the_games_own(ada: Player) -> None:
    ada.go("/new?game=yukon&rules=tableau.empty=any")
    expect(ada.see("variant-select")).to_have_value("tableau.empty=any")
    for rules in ("foundations.0.last=T", "cells.piles=1000000", "tableau.deal=99999999"):
        ada.go(f"/new?game=yukon&rules={rules}")
        expect(ada.see("create-room")).to_be_visible()
        expect(ada.page.locator(f"option[value='{rules}']")).to_have_count(0)
        expect(ada.see("variant-select")).to_have_value("standard")
        expect(ada.see("unrated")).to_have_count(0)
