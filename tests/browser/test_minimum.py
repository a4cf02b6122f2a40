"""Browsers that are too old for the page's scripts."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Site


def broken(route: Route) -> None:
    """Answer as an old browser reads a script: with a syntax error."""
    route.fulfill(content_type="text/javascript", body="too new;;;)")


def old(route: Route) -> None:
    """Answer as an old browser reads a style sheet: without the rules of newer browsers."""
    answer = route.fetch()
    css, count = re.subn(r"@supports", "@supports (too: new) and", answer.text())
    assert count > 0
    route.fulfill(response=answer, body=css)


def test_too_old_browsers_show_a_sentence(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.route("**/*.js", broken)
    page.route("**/*.css", old)
    page.goto(f"{site.url}/practice/klondike")
    expect(page.get_by_text("This browser is too old for Samedeal.")).to_be_visible()
    page.close()


def test_other_browsers_show_no_such_sentence_while_they_load(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.route("**/*.js", broken)
    page.goto(site.url)
    expect(page.locator(".old")).to_have_count(1)
    expect(page.locator(".old")).to_be_hidden()
    page.unroute("**/*.js")
    page.goto(site.url)
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".old")).to_have_count(0)
    page.close()
