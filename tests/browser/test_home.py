"""The home screen of a newcomer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from engine.catalog import daily_games
from server.results.core.daily_sets import by_crown
from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, Player
from tests.browser.screens import GAMES, device

LOCALES = ("en-GB", "de-DE", "fr-FR")

FIND_TOUCHED = """() => {
  const [words] = document.querySelector('h1').childNodes;
  const range = new Range();
  range.selectNodeContents(words);
  return [...range.getClientRects()].flatMap(({right, top, bottom}) =>
    [0.2, 0.5, 0.8].map(part => [right + 12, top + part * (bottom - top)]))
    .filter(([x, y]) => document.elementFromPoint(x, y)?.closest('.card'));
}"""
"""Returns the places where lines of the headline end at a card."""

FIND_CUT = """() => [...document.querySelectorAll('.hand .card')]
  .map(card => card.getBoundingClientRect().right).filter(right => right > innerWidth)"""
"""Returns the right edges of the headline's cards that the window cuts off."""


def test_the_home_screen_explains_the_game_on_a_phone(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, device("360x740"))
    player.go("/")
    expect(player.page.get_by_text("Solitaire with other people")).to_be_in_viewport()
    expect(player.see("daily-robert")).to_contain_text("Two minutes, up or down")
    for game in GAMES:
        expect(player.see(f"daily-{game}").locator("svg path").first).to_be_attached()
    player.press("boards-link")
    expect(player.page.get_by_role("heading", level=1)).to_contain_text("Leaderboard")
    player.close()


def test_the_games_form_a_row_for_each_crown_on_a_desktop(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, device("1440x900"))
    player.go("/")
    for _, games in by_crown(daily_games()):
        boxes = [player.see(f"daily-{game}").bounding_box() for game in games]
        tiles = [box for box in boxes if box is not None]
        assert len({(tile["y"], tile["height"]) for tile in tiles}) == 1
        row = player.page.locator("ul", has=player.see(f"daily-{min(games)}")).bounding_box()
        assert row is not None
        last = max(tile["x"] + tile["width"] for tile in tiles)
        assert last == pytest.approx(row["x"] + row["width"], abs=1), "a hole at the end"
    player.close()


def test_a_newcomer_sees_the_classics_first(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, device("360x740"))
    player.go("/")
    rows = player.page.locator("[data-testid^='daily-']")
    rows.first.wait_for()
    shown = [each.get_attribute("data-testid") for each in rows.all()]
    assert shown == [f"daily-{game}" for game in daily_games()]
    expect(player.see("daily-klondike")).to_contain_text("Draw one", ignore_case=True)
    expect(player.see("daily-spider")).to_contain_text("One suit", ignore_case=True)
    player.close()


@pytest.mark.parametrize("locale", LOCALES)
def test_the_headline_does_not_touch_the_cards_which_are_whole(
    browser: Browser, site: Site, locale: str
) -> None:
    player = Player(browser, site.url, {**DESKTOP, "locale": locale})
    player.go("/")
    player.page.locator(".hand .card").first.wait_for()
    for width in (320, 390, 480, 640, 645, 675, 768, 1024, 1440):
        player.page.set_viewport_size({"width": width, "height": 900})
        player.wait_for_frames(2)
        assert player.page.evaluate(FIND_TOUCHED) == [], width
        assert player.page.evaluate(FIND_CUT) == [], width
    player.close()


@pytest.mark.parametrize("locale", LOCALES)
def test_the_header_is_one_line_on_a_small_phone(browser: Browser, site: Site, locale: str) -> None:
    player = Player(browser, site.url, {**device("360x740"), "locale": locale})
    player.go("/settings")
    header = player.page.get_by_role("banner").bounding_box()
    assert header is not None
    assert header["height"] < 60
    player.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chosen_colours_replace_the_systems(browser: Browser, site: Site, scheme: str) -> None:
    other = {"light": "dark", "dark": "light"}[scheme]
    player = Player(browser, site.url, device("360x740", other))
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    player.go("/settings")
    before = player.page.evaluate(paper)
    player.see(f"scheme-{scheme}").check(force=True)
    chosen = player.page.evaluate(paper)
    assert chosen != before
    player.page.reload()
    player.see(f"scheme-{scheme}").wait_for()
    assert player.page.evaluate(paper) == chosen
    player.close()
