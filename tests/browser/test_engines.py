"""A player's journeys in Firefox and WebKit; the other modules use Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.player import Player
from tests.browser.webdriver import Visitor, firefox, webkit

pytestmark = pytest.mark.engines

ENGINES = {"firefox": firefox, "webkit": webkit}

DESKTOP = (1280, 900)

NOTE_ERRORS = """window.problems = [];
addEventListener("error", ({message}) => problems.push(message));
addEventListener("unhandledrejection", ({reason}) => problems.push(String(reason)));"""
"""Collects the page's errors from now on, until another page is opened."""

PLAIN_SELECTS = """return [...document.querySelectorAll("select")].every(
  (each) => getComputedStyle(each).appearance === "none")"""
"""Whether no select has the browser's default style, whose colours differ."""

CHECKED = """return document.querySelector('[data-testid="check-result"]')?.innerText
  .includes("A fair deal")"""

ARROW_RIGHT = "\ue014"
"""As the WebDriver specification encodes it."""


@pytest.mark.parametrize("engine", ENGINES)
def test_journeys(engine: str, browser: Browser, site: Site) -> None:
    """Run all journeys in sequence: WebKit's driver cannot start a second browser."""
    with ENGINES[engine](*DESKTOP) as visitor:
        practise(visitor, site)
        race(visitor, browser, site)
        reload_during_a_drag(visitor, site)
        read(visitor, site)


def practise(visitor: Visitor, site: Site) -> None:
    visitor.go(f"{site.url}/practice/robert")
    visitor.wait_for_board()
    visitor.touch("s")
    visitor.wait_for_moves(1)
    for moves in (2, 3):
        visitor.tap("s")
        visitor.wait_for_moves(moves)
    visitor.type("d")
    visitor.wait_for_moves(4)
    waste = visitor.cards("w")
    visitor.go(f"{site.url}/practice/robert")
    visitor.wait_for_board()
    visitor.wait_for_moves(4)
    assert visitor.cards("w") == waste
    visitor.press("undo")
    visitor.wait_for_moves(3)
    assert visitor.cards("w") == waste[:-1]


def race(visitor: Visitor, browser: Browser, site: Site) -> None:
    host = Player(browser, site.url, name="Ada")
    visitor.go(host.open_room("robert"))
    expect(host.see("start-round")).to_contain_text("2")
    host.press("start-round")
    visitor.wait_for_board()
    host.wait_for_board()
    assert visitor.cards("f0") == host.cards("f0")
    visitor.tap("s")
    visitor.wait_for_moves(1)
    host.bring_home(1)
    home = str(host.home())
    visitor.wait_for(
        """return document.querySelector('[data-testid="runner-progress"]')?.dataset.home
             === arguments[0]""",
        home,
    )
    host.give_up()
    visitor.give_up()
    assert "Ada" in visitor.see("results")
    expect(host.see("results")).to_be_visible()
    host.close()
    deal = visitor.ask("return document.querySelector('[data-testid=deal-page]').href")
    visitor.press("watch-run")
    visitor.wait_for("return document.querySelector('[data-testid=beside]') !== null")
    assert visitor.ask(PLAIN_SELECTS)
    visitor.type(ARROW_RIGHT)
    visitor.wait_for_moves(1)
    visitor.go(deal)
    assert "2" in visitor.see("runs")
    visitor.wait_for(CHECKED)


def reload_during_a_drag(visitor: Visitor, site: Site) -> None:
    visitor.go(f"{site.url}/daily/robert")
    visitor.press("play-daily")
    visitor.wait_for_board()
    for count in (1, 2, 3):
        visitor.type("d")
        visitor.wait_for_moves(count)
    visitor.drag_and_hold('[data-pile="w"][data-index="2"]')
    visitor.reload()
    visitor.wait_for_board()
    visitor.wait_for_moves(3)
    visitor.give_up()
    visitor.see("results")


def read(visitor: Visitor, site: Site) -> None:
    visitor.go(site.url)
    visitor.see("race")
    visitor.ask(NOTE_ERRORS)
    for path in ("/rules/deuces", "/leaderboard/robert", "/archive", "/new", "/settings"):
        # Like a link, this navigates without reloading the page.
        visitor.ask(
            "history.pushState(null, '', arguments[0]); dispatchEvent(new Event('popstate'));", path
        )
        visitor.wait_for("return document.querySelector('main h1, main h2') !== null")
        assert visitor.ask(PLAIN_SELECTS)
    assert visitor.ask("return problems") == []
