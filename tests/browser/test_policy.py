"""The page's Content-Security-Policy: injected content has no effect.

Every test of a screen shows that the policy does not restrict the page: see `Player.problems`.
"""

from __future__ import annotations

from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Site
from tests.browser.player import Player

_INJECTED = """<script>window.ran = true</script>
<style>h1 { display: none }</style>
<img src="data:," onerror="window.ran = true" alt="">
<script src="https://elsewhere.example/x.js"></script>
<base href="https://elsewhere.example/">"""


def test_injected_html_neither_runs_nor_changes_the_page(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url)

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("<body>", _INJECTED))

    player.page.route("**/settings", answer)
    player.go("/settings")
    expect(player.see("name-input")).to_be_visible()
    expect(player.page.get_by_role("heading", level=1)).to_be_visible()
    assert player.page.evaluate("window.ran") is None
    blocked = {problem.split()[0] for problem in player.problems}
    assert blocked == {"script-src-elem", "script-src-attr", "style-src-elem", "base-uri"}
    player.problems.clear()
    player.close()


def test_the_browser_logs_no_warnings(whole_browser: Browser, site: Site) -> None:
    page = whole_browser.new_page()
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text))
    page.goto(site.url)
    page.get_by_test_id("race").wait_for()
    page.wait_for_load_state("networkidle")
    assert warnings == []
    page.close()


def test_assigning_text_as_html_is_blocked(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.goto(site.url + "/settings")
    refused = page.evaluate(
        """() => {
             const sinks = [
               () => { document.body.innerHTML = "<b>text</b>"; },
               () => { document.createElement("script").src = "/x.js"; },
               () => new Worker("/x.js"),
               () => trustedTypes.createPolicy("another", {}),
             ];
             return sinks.filter((sink) => {
               try { sink(); return false; } catch (error) { return error instanceof TypeError; }
             }).length;
           }"""
    )
    assert refused == 4
    page.close()
