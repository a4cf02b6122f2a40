"""The page of a server with dailies of some games only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from engine.catalog import games
from server.base.core.days import date_text
from tests.browser.conftest import Site, running_site
from tests.browser.player import Player
from tests.browser.steps import play_daily_without_page

DAILY = ["robert", "lady-betty"]
IN_ORDER = [game for game in games() if game in DAILY]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site(options=("--daily-games", ",".join(DAILY))) as site:
        yield site


def test_only_the_dailies_are_listed_in_the_order_of_games(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url)
    player.go("/")
    player.see("daily-robert").wait_for()
    rows = player.page.locator("[data-testid^='daily-']")
    shown = [each.get_attribute("data-testid") for each in rows.all()]
    assert shown == [f"daily-{game}" for game in IN_ORDER]
    player.close()


def test_every_game_is_offered_for_a_race_with_its_length(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url)
    player.go("/new")
    choices = player.page.locator("label", has=player.page.locator("input[name='game']"))
    expect(choices).to_have_count(len(games()))
    for choice, game in zip(choices.all(), games().values(), strict=True):
        expect(choice).to_contain_text(game.name)
        expect(choice).to_contain_text(f"about {game.listing.minutes} min")
    expect(player.page.locator("input[name='game']:checked")).to_have_count(1)
    player.open_room("deuces")
    player.close()


def test_a_game_without_a_daily_says_so_and_offers_practice(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url)
    player.go("/daily/deuces")
    expect(player.see("no-daily")).to_have_text("There\u2019s no daily for this game today.")
    expect(player.see("play-daily")).to_have_count(0)
    player.page.get_by_role("link", name="Try it, no clock").click()
    player.wait_for_board()
    # Once the dailies are known, only a daily game's rules link to today's deal.
    for game, listed in (("deuces", 0), ("robert", 1)):
        name = games()[game].name
        player.go("/")
        player.see("daily-robert").wait_for()
        new = player.page.get_by_role("navigation", name="New to these games?")
        new.get_by_role("link", name=name, exact=True).click()
        player.see("practise").wait_for()
        expect(player.page.get_by_text("A deal takes about")).to_be_visible()
        link = player.page.get_by_role("link", name=f"Today\u2019s {name}")
        expect(link).to_have_count(listed)
    player.close()


def test_the_crown_needs_only_the_dailies_of_the_day(browser: Browser) -> None:
    """The other games of the catalogue are not needed for the crown."""
    with running_site(options=("--daily-games", "robert")) as site:
        player = Player(browser, site.url, name="Ada")
        day = date_text(int(site.now().timestamp()) // 86_400)
        play_daily_without_page(player, 3)
        player.go("/daily/robert")
        expect(player.see("crown")).to_be_visible()
        expect(player.see("set-over")).to_contain_text("Share it")
        player.go("/")
        expect(player.see("set")).to_have_text("Done for today. The crown is yours.")
        # The player's public data may be cached for some seconds.
        played = "0"
        while played == "0":
            player.go("/archive")
            player.see(f"day-{day}").wait_for()
            played = player.see(f"day-{day}").get_attribute("data-played") or "0"
        said = player.see(f"day-{day}").get_attribute("aria-label")
        assert said is not None
        assert said.endswith(": played, and the crown")
        player.go(f"/archive/{day}")
        expect(player.page.locator("span.crown")).to_be_visible()
        player.go("/circles")
        player.see("circle-name").fill("Thursday club")
        player.press("found-circle")
        expect(player.see("crown")).to_be_visible()
        boxes = player.page.locator("[data-testid^='box-']")
        assert [each.get_attribute("data-testid") for each in boxes.all()] == ["box-robert"]
        player.close()
