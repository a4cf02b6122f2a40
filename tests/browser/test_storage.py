"""The browser's storage: forbidden, missing, full, cleared, or shared by tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.player import PHONE, Player
from tests.browser.steps import start_round

FORBIDDEN = """for (const name of ["localStorage", "sessionStorage", "indexedDB"])
  Object.defineProperty(window, name, {
    get() { throw new DOMException("The request was denied.", "SecurityError"); },
  });"""

NULL = """for (const name of ["localStorage", "sessionStorage", "indexedDB"])
  Object.defineProperty(window, name, { value: null });"""

FULL = """for (let size = 2 ** 23, nth = 0; size >= 1 && location.origin !== "null"; nth++)
  try { localStorage.setItem(`full${nth}`, "x".repeat(size)); } catch { size /= 2; }"""


@pytest.fixture
def guest(browser: Browser, site: Site) -> Iterator[Callable[[str], Player]]:
    """Return a factory of guests' phones whose pages run a script first."""
    players: list[Player] = []

    def make(script: str) -> Player:
        player = Player(browser, site.url, PHONE)
        player.context.add_init_script(script)
        players.append(player)
        return player

    yield make
    for player in players:
        player.close()


def draw(player: Player, count: int) -> None:
    for move in range(player.moves(), player.moves() + count):
        player.tap("s")
        player.wait_for_moves(move + 1)


@pytest.mark.parametrize("script", [NULL, FULL], ids=["null", "full"])
def test_without_storage_the_page_warns_once_and_practice_works(
    guest: Callable[[str], Player], script: str
) -> None:
    player = guest(script)
    player.go("/practice/robert")
    expect(player.see("notice")).to_contain_text("saving anything")
    expect(player.see("notice")).to_be_empty()
    player.wait_for_board()
    draw(player, 2)


def test_a_race_is_played_with_storage_forbidden(guest: Callable[[str], Player]) -> None:
    player = guest(FORBIDDEN)
    link = player.open_room("robert", 1)
    start_round(player)
    draw(player, 3)
    assert player.page.url == link
    player.give_up()
    expect(player.see("results")).to_be_visible()


def test_clearing_storage_during_a_race_keeps_the_player_in_it(
    guest: Callable[[str], Player], site: Site
) -> None:
    player = guest("")
    player.open_room("robert", 1)
    start_round(player)
    draw(player, 2)
    player.page.evaluate("localStorage.clear(); sessionStorage.clear()")
    draw(player, 1)
    site.stop()
    expect(player.see("status-banner")).not_to_be_empty()
    site.start()
    expect(player.see("status-banner")).to_be_empty()
    draw(player, 2)
    player.page.reload()
    player.wait_for_board()
    player.wait_for_moves(5)


def test_tabs_opened_together_on_a_first_visit_share_one_player(
    browser: Browser, site: Site
) -> None:
    player = Player(browser, site.url)
    tabs = [player.context.new_page() for _ in range(4)]
    for tab in tabs:
        # Returns immediately: all of them load together.
        tab.evaluate("url => { setTimeout(() => { location.href = url; }); }", site.url)
    names = set()
    for tab in tabs:
        name = tab.locator("header .name")
        expect(name).not_to_be_empty()
        names.add(name.inner_text())
    assert len(names) == 1, names
    player.close()
