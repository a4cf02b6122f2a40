"""The leaderboard screen: choice of board, pages, and the player's place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Site
from tests.browser.friend import Friend
from tests.browser.player import PHONE, Player
from tests.browser.steps import play_daily_without_page
from tests.dates import DAY

GUESTS = 13
TOP = 10
GAME = "robert"


@pytest.fixture(scope="module")
def played(site: Site) -> Site:
    """Let guests finish the day's deal with no card home, after 1, 2, 3… moves."""
    for number in range(GUESTS):
        _finish(site, f"Guest {number}", number + 1)
    return site


@pytest.fixture
def player(browser: Browser, played: Site) -> Iterator[Player]:
    player = Player(browser, played.url, PHONE, "Ada")
    yield player
    player.close()


def _finish(site: Site, name: str, moves: int) -> None:
    with Friend(site.url, name) as guest:
        guest.open_daily(GAME)
        guest.draw(moves)
        guest.give_up()


def rows(player: Player) -> Locator:
    return player.see("leaderboard").get_by_role("table").first.locator("tbody tr")


def test_a_leaderboard_has_pages_and_links_to_players(player: Player) -> None:
    player.go(f"/leaderboard/{GAME}")
    expect(rows(player)).to_have_count(TOP)
    expect(player.see("leaderboard")).to_contain_text(f"{GUESTS} players")
    player.press("more-rows")
    expect(rows(player)).to_have_count(GUESTS)
    expect(player.see("more-rows")).to_be_hidden()
    shown = rows(player).locator("a.player")
    assert len(set(shown.evaluate_all("links => links.map(link => link.href)"))) == GUESTS


def test_the_choice_is_in_the_address_and_keeps_the_focus(player: Player, site: Site) -> None:
    player.go(f"/leaderboard/{GAME}")
    player.see("scope-week").check()
    expect(player.page).to_have_url(f"{site.url}/leaderboard/{GAME}?by=week")
    expect(player.see("period")).to_contain_text("This week")
    expect(player.see("scope-week")).to_be_focused()
    this_week = (int(site.now().timestamp() // DAY) + 3) // 7
    player.go(f"/leaderboard/{GAME}?week={this_week - 1}")
    expect(player.see("period")).not_to_contain_text("This week")
    expect(player.see("period-before")).to_be_disabled()
    expect(player.see("scope-week")).to_be_checked()
    expect(player.see("leaderboard")).to_contain_text("No one yet")
    player.press("period-after")
    expect(player.see("period")).to_contain_text("This week")
    player.see("group-ranked").check()
    expect(player.page).to_have_url(f"{site.url}/leaderboard/{GAME}?by=week&group=ranked")
    player.see("scope-best").check()
    player.see("board-game").select_option("all")
    # Runs at different games are not compared.
    expect(player.see("scope-day")).to_be_checked()
    expect(player.page).to_have_url(f"{site.url}/leaderboard/all")


def test_best_runs_are_compared_within_a_variant(player: Player, site: Site) -> None:
    player.go("/leaderboard/spider?by=best")
    # That of the dailies is the first.
    expect(player.see("variant-select")).to_have_value("one-suit")
    player.see("variant-select").select_option("two-suits")
    expect(player.page).to_have_url(f"{site.url}/leaderboard/spider?by=best&rules=two-suits")
    player.page.reload()
    expect(player.see("variant-select")).to_have_value("two-suits")
    expect(player.see("leaderboard")).to_contain_text("No one yet")
    player.see("board-game").select_option(GAME)
    expect(player.see("variant-select")).to_have_count(0)
    expect(player.page).to_have_url(f"{site.url}/leaderboard/{GAME}?by=best")


def test_an_address_of_a_day_shows_that_day(player: Player) -> None:
    player.go(f"/leaderboard/{GAME}?day=20000")
    expect(player.see("period")).to_have_text("Friday, 4 October 2024")
    expect(player.see("leaderboard")).to_contain_text("No one yet")


def test_a_players_place_is_shown_and_updated_live(player: Player, played: Site) -> None:
    play_daily_without_page(player, 2)
    player.go(f"/leaderboard/{GAME}")
    place = player.see("own-place")
    expect(place.get_by_test_id("rank")).to_contain_text("1st")
    expect(place.get_by_test_id("rank")).to_contain_text(f"of {GUESTS + 1}")
    expect(place.get_by_test_id("percentile")).to_have_text("No one is ahead of you.")
    _finish(played, "Late", 20)
    expect(place.get_by_test_id("rank")).to_contain_text(f"of {GUESTS + 2}")
