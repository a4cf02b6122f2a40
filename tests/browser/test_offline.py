"""Without a network: the page opens, practice goes on, and the rest comes back by itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from engine.catalog import games
from tests.browser.conftest import Site
from tests.browser.player import PHONE, Player


@pytest.fixture
def player(browser: Browser, site: Site) -> Iterator[Player]:
    player = Player(browser, site.url, PHONE)
    yield player
    player.close()


def be_kept(player: Player) -> None:
    """Visit once, and wait until everything is kept."""
    player.go("/")
    player.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    player.page.wait_for_function("navigator.serviceWorker.controller !== null")


def test_practice_goes_on_without_a_network_and_the_dailies_come_back(player: Player) -> None:
    be_kept(player)
    expect(player.see("daily-robert")).to_be_visible()
    player.context.set_offline(True)

    player.page.reload()
    expect(player.see("offline")).to_be_visible()
    expect(player.see("status-banner")).to_be_hidden()
    player.press("practice-robert")
    player.wait_for_board()
    player.tap("s")
    player.wait_for_moves(1)
    drawn = player.cards("w")
    player.page.reload()
    player.wait_for_board()
    player.wait_for_moves(1)
    assert player.cards("w") == drawn
    expect(player.see("status-banner")).to_be_empty()

    player.go("/")
    expect(player.see("offline")).to_be_visible()
    player.context.set_offline(False)
    expect(player.see("daily-robert")).to_be_visible()
    expect(player.see("offline")).to_have_count(0)


@pytest.mark.parametrize("path", ["/daily/robert", "/leaderboard/robert", "/r/ZZZZZ"])
def test_a_screen_that_needs_the_server_says_so_and_comes_back(player: Player, path: str) -> None:
    be_kept(player)
    player.context.set_offline(True)
    player.go(path)
    offline = player.see("offline")
    expect(offline).to_contain_text("No connection just now")
    expect(offline.locator('a[href="/practice/robert"]')).to_be_visible()
    player.context.set_offline(False)
    expect(offline).to_have_count(0)


def test_every_game_and_its_rules_are_there_without_a_network(player: Player) -> None:
    be_kept(player)
    player.context.set_offline(True)
    for game in games():
        player.go(f"/practice/{game}")
        player.wait_for_board()
        player.go(f"/rules/{game}")
        expect(player.see("practise")).to_be_visible()
        expect(player.see("status-banner")).to_be_empty()


def test_a_reload_has_the_server_s_page_and_not_the_kept_one(player: Player) -> None:
    """Otherwise a page that the server turns away as too old would come again."""
    be_kept(player)
    player.page.evaluate(
        """async () => {
             const [name] = await caches.keys();
             await (await caches.open(name)).put("/screens/home.html", new Response("as it was"));
           }"""
    )
    player.page.reload()
    expect(player.see("daily-robert")).to_be_visible()
    player.context.set_offline(True)
    player.page.reload()
    assert player.page.inner_text("body") == "as it was"


def test_what_is_no_screen_is_left_to_the_server(player: Player) -> None:
    be_kept(player)
    player.go("/health")
    assert player.page.inner_text("body").strip() == "ok"
    kept = player.page.evaluate(
        """async () => {
             const [name] = await caches.keys();
             const requests = await (await caches.open(name)).keys();
             return requests.map(({url}) => new URL(url).pathname);
           }"""
    )
    assert "/screens/home.html" in kept
    assert not any("preview" in path for path in kept)
    assert {"/socket", "/health", "/metrics", "/sw.js"}.isdisjoint(kept)


def test_the_page_can_be_installed(player: Player) -> None:
    be_kept(player)
    session = player.context.new_cdp_session(player.page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # A test's window is a private one, in which nothing can be installed.
    assert [error["errorId"] for error in errors] == ["in-incognito"]
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")


def test_a_screen_that_is_gone_from_the_server_leads_to_one_reload(
    browser: Browser, site: Site
) -> None:
    player = Player(browser, site.url, {**PHONE, "service_workers": "block"})
    loads: list[str] = []
    player.page.on("load", lambda page: loads.append(page.url))
    player.go("/")
    gone = False

    def answer(route: Route) -> None:
        if gone:
            route.fulfill(status=404)
        else:
            route.continue_()

    player.page.route("**/assets/Settings-*.js", answer)
    gone = True
    player.page.locator('header a[href="/settings"]').click()
    expect(player.page.get_by_role("heading", level=1)).to_contain_text("went wrong")
    assert len(loads) == 2
    gone = False
    player.page.get_by_role("main").get_by_role("button").click()
    expect(player.see("name-input")).to_be_visible()
    player.close()


def test_a_screen_with_a_fault_says_so_and_leaves_the_others(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, {**PHONE, "service_workers": "block"})
    player.page.route(
        "**/assets/Settings-*.js",
        lambda route: route.fulfill(
            content_type="text/javascript",
            body="export default () => { throw new Error('a fault of the settings'); };",
        ),
    )
    player.go("/")
    player.page.locator('header a[href="/settings"]').click()
    expect(player.page.get_by_role("heading", level=1)).to_contain_text("went wrong")
    player.page.locator("header .brand").click()
    expect(player.see("race")).to_be_visible()
    # It is told to whoever listens for the page's faults.
    assert player.problems == ["a fault of the settings"]
    player.problems.clear()
    player.close()
