"""Ghosts: practice races against an ended run, with a manually advanced clock."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.checks import problems
from tests.browser.conftest import Site, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import OFFLINE_PHONE, Player
from tests.browser.steps import start_alone
from tests.browser.test_offline import wait_until_cached

HOME = 3
"""Number of cards that the run of Robert brings home; the first is dealt there."""


player = player_fixture(OFFLINE_PHONE, "Grace")


@pytest.fixture
def run(site: Site) -> str:
    with Friend(site.url, "Ada") as ada:
        ada.race_alone()
        ada.play_robert(HOME)
        ada.give_up()
        return f"/run/{ada.attempt}"


def begin(player: Player, run: str) -> None:
    player.go(run)
    player.press("race-run")
    player.wait_for_board()
    expect(player.page).to_have_url(re.compile("/practice/robert$"))


def expect_progress(player: Player, own: int, ghost: int) -> None:
    expect(player.see("own-progress")).to_have_attribute("data-home", str(own))
    expect(player.see("runner-progress")).to_have_attribute("data-home", str(ghost))


def test_a_ghost_gets_ahead_in_its_time_and_is_overtaken(player: Player, run: str) -> None:
    player.page.clock.install()
    begin(player, run)
    expect(player.page.get_by_role("heading", level=1)).to_contain_text(re.compile("Ada.s ghost"))
    player.page.clock.run_for(60_000)
    expect_progress(player, 1, HOME)
    expect(player.see("runner-progress")).to_contain_text("Ada")
    expect(player.see("runner-progress")).to_contain_text("Given up")

    player.press("stop-race")
    expect(player.see("ghost-outcome")).to_have_text(re.compile("^2 cards behind Ada"))
    player.press("keep-racing")
    player.play_robert(HOME)
    player.press("stop-race")
    expect(player.see("ghost-outcome")).to_have_text(re.compile(" s behind Ada|min behind Ada"))
    player.press("keep-racing")
    player.play_robert(HOME + 1)
    player.press("stop-race")
    expect(player.see("ghost-outcome")).to_have_text(re.compile("^You beat Ada.+ by 1 card.$"))

    player.press("race-again")
    player.wait_for_moves(0)
    expect(player.see("clock")).to_have_text(re.compile("^0:0"))
    expect(player.see("own-progress")).to_have_attribute("data-home", "1")


def test_a_race_survives_a_reload_without_a_network_and_is_dropped(
    player: Player, run: str
) -> None:
    wait_until_cached(player)
    begin(player, run)
    player.play_robert(2)
    moves = player.moves()
    player.page.clock.install()
    player.context.set_offline(True)
    player.page.reload()
    player.wait_for_board()
    player.wait_for_moves(moves)
    player.page.clock.run_for(60_000)
    expect_progress(player, 2, HOME)
    expect(player.see("clock")).to_contain_text("1:")
    player.page.reload()
    expect(player.see("clock")).to_contain_text("1:")
    expect_progress(player, 2, HOME)

    player.press("stop-race")
    player.page.reload()
    expect(player.see("ghost-outcome")).to_have_text(re.compile("^1 card behind Ada"))
    player.press("drop-ghost")
    player.wait_for_board()
    player.wait_for_moves(moves)
    for part in ("own-progress", "clock"):
        expect(player.see(part)).to_have_count(0)
    expect(player.page.get_by_role("heading", level=1)).to_have_text("Robert")


def test_a_players_own_run_is_raced_from_the_page_of_its_deal(player: Player) -> None:
    start_alone(player)
    player.play_robert(HOME)
    player.give_up()
    player.unfold("deal")
    player.press("deal-page")
    player.see("runs").get_by_test_id("race-run").click()
    player.wait_for_board()
    expect(player.page.get_by_role("heading", level=1)).to_contain_text("Your ghost")
    player.page.go_back()
    expect(player.see("runs")).to_be_visible()


def test_a_link_to_a_race_asks_before_replacing_a_practice_game(player: Player, run: str) -> None:
    player.go("/practice/robert")
    player.wait_for_board()
    player.play_robert(2)
    moves = player.moves()
    player.go(f"{run}?race")
    player.see("keep-practice").wait_for()
    assert problems(player) == []
    player.press("keep-practice")
    player.wait_for_board()
    player.wait_for_moves(moves)
    player.go(f"{run}?race")
    player.press("replace-practice")
    player.wait_for_board()
    player.wait_for_moves(0)
    # The same link resumes the race that it started.
    player.play_robert(2)
    moves = player.moves()
    player.go(f"{run}?race")
    player.wait_for_board()
    player.wait_for_moves(moves)
    expect(player.see("own-progress")).to_have_attribute("data-home", "2")
