"""The home screen of somebody who is here for the first time."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.player import Player
from tests.browser.screens import device


def test_a_stranger_reads_on_a_phone_what_this_is(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, device("360x740"))
    player.go("/")
    expect(player.page.get_by_text("Solitaire with other people")).to_be_in_viewport()
    expect(player.see("daily-robert")).to_contain_text("Over in two minutes")
    player.press("boards-link")
    expect(player.page.get_by_role("heading", level=1)).to_contain_text("Leaderboard")
    player.close()
