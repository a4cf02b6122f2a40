"""The page without a network: practice works, and everything else resumes with the network."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser.checks import problems
from tests.browser.conftest import Site, player_fixture
from tests.browser.player import OFFLINE_PHONE, PHONE, Player
from tests.browser.screens import KINDS

player = player_fixture(OFFLINE_PHONE)

STORED_SEED = """JSON.parse(localStorage["samedeal.practice.klondike"] ?? '{"seed":""}').seed"""
READY = """JSON.parse(localStorage["samedeal.winnable.klondike"] ?? '{"ready":[]}').ready"""


def wait_until_cached(player: Player) -> None:
    player.go("/")
    player.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    player.page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def test_practice_works_without_a_network_and_the_dailies_load_when_online_again(
    player: Player,
) -> None:
    wait_until_cached(player)
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
    # A race is unavailable, and does not start later on its own.
    player.press("race")
    expect(player.see("notice")).to_contain_text("A race needs a connection")
    expect(player.see("race")).to_be_enabled()
    player.context.set_offline(False)
    expect(player.see("daily-robert")).to_be_visible()
    expect(player.see("offline")).to_have_count(0)
    player.page.wait_for_load_state("networkidle")
    expect(player.page).to_have_url(re.compile("/$"))


def test_winnable_deals_are_found_without_a_network(player: Player) -> None:
    wait_until_cached(player)
    player.context.set_offline(True)
    player.go("/practice/klondike")
    player.wait_for_board()
    first = player.page.evaluate(STORED_SEED)
    player.press("practice-menu")
    player.press("winnable-only")
    # A deal without moves gives way to a winnable one.
    expect(player.see("winnable-only")).to_have_count(0)
    player.page.wait_for_function(f"() => {STORED_SEED} !== {first!r}")
    player.press("practice-menu")
    expect(player.see("is-winnable")).to_have_text("This deal can be won.")
    assert problems(player) == []
    player.page.keyboard.press("Escape")
    player.wait_for_board()
    player.tap("s")
    player.wait_for_moves(1)
    # The next one is found meanwhile, and dealt at once.
    player.page.wait_for_function(f"() => {READY}.length === 1")
    ready = player.page.evaluate(f"{READY}[0].seed")
    player.press("deal-anew")
    player.wait_for_moves(0)
    player.page.wait_for_function(f"() => {STORED_SEED} === {ready!r}")


def test_a_screen_that_needs_the_server_says_so_and_loads_when_online_again(player: Player) -> None:
    wait_until_cached(player)
    offline = player.see("offline")
    for path in ("/daily/robert", "/leaderboard/robert", "/r/ZZZZZZZZ"):
        player.context.set_offline(True)
        player.go(path)
        expect(offline).to_contain_text("No connection just now")
        expect(offline.locator('a[href="/practice/robert"]')).to_be_visible()
        expect_opaque(offline)
        player.context.set_offline(False)
        expect(offline).to_have_count(0)


def expect_opaque(element: Locator) -> None:
    opacity = """element => {
      let all = 1;
      for (; element; element = element.parentElement) all *= getComputedStyle(element).opacity;
      return all;
    }"""
    assert element.evaluate(opacity) == 1


def test_every_game_and_its_rules_work_offline(player: Player) -> None:
    wait_until_cached(player)
    player.context.set_offline(True)
    for game in KINDS:
        player.go(f"/practice/{game}")
        player.wait_for_board()
        player.go(f"/rules/{game}")
        expect(player.see("practise")).to_be_visible()
        expect(player.see("status-banner")).to_be_empty()
    expect(player.see("elsewhere")).to_contain_text("PySolFC")


def test_a_reload_loads_the_servers_page_instead_of_the_cached_one(player: Player) -> None:
    """Otherwise a page refused by the server as outdated would be loaded again."""
    wait_until_cached(player)
    player.page.evaluate(
        """async () => {
             const [name] = await caches.keys();
             await (await caches.open(name)).put("/screens/home.html", new Response("cached copy"));
           }"""
    )
    player.page.reload()
    expect(player.see("daily-robert")).to_be_visible()
    player.context.set_offline(True)
    player.page.reload()
    assert player.page.inner_text("body") == "cached copy"


def test_the_service_worker_handles_screens_and_assets_only(player: Player) -> None:
    wait_until_cached(player)
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


def test_the_page_can_be_installed(whole_browser: Browser, site: Site) -> None:
    player = Player(whole_browser, site.url, OFFLINE_PHONE)
    wait_until_cached(player)
    session = player.context.new_cdp_session(player.page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # Tests run in incognito mode, which cannot install pages.
    assert [error["errorId"] for error in errors] == ["in-incognito"]
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")
    player.close()


def test_a_screen_with_a_missing_file_reloads_once(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, PHONE)
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


def test_a_screen_that_throws_shows_an_error_and_leaves_the_others_working(
    browser: Browser, site: Site
) -> None:
    player = Player(browser, site.url, PHONE)
    player.page.route(
        "**/assets/Settings-*.js",
        lambda route: route.fulfill(
            content_type="text/javascript",
            body="export default () => { throw new Error('an error of the settings'); };",
        ),
    )
    player.go("/")
    player.page.locator('header a[href="/settings"]').click()
    expect(player.page.get_by_role("heading", level=1)).to_contain_text("went wrong")
    player.page.locator("header .brand").click()
    expect(player.see("race")).to_be_visible()
    # It is reported as an uncaught error, too.
    assert player.problems == ["an error of the settings"]
    player.problems.clear()
    player.close()
