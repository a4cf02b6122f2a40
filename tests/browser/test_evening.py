"""An evening of races of three newcomers, on two phones and a desktop.

With `EVENING=FOLDER`, it saves screenshots of each step in that folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site, running_site
from tests.browser.player import DESKTOP, PHONE, Player

_IMPATIENT = """
import sys
from server.rooms.core import absence
from server.cli.main import main
absence.HOST_ABSENCE_MS = 1_000
main(sys.argv[1:])
"""
"""A server that replaces an absent host after a second."""


@pytest.fixture
def impatient() -> Iterator[Site]:
    with running_site("-c", _IMPATIENT) as site:
        yield site


class Evening:
    """The three players: Ada, who opens the room on her phone, her friend Grace, and a stranger."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.ada = Player(browser, site.url, PHONE, "Ada")
        self.grace = Player(browser, site.url, DESKTOP, "Grace")
        self.stranger = Player(browser, site.url, PHONE, "Stranger")
        self._steps = 0

    def look(self, step: str) -> None:
        """Save a screenshot of each player's page, if there is a folder for them."""
        self._steps += 1
        if folder := os.environ.get("EVENING"):
            for name in ("ada", "grace", "stranger"):
                path = Path(folder) / f"{self._steps:02}-{step}-{name}.png"
                getattr(self, name).page.screenshot(path=path)

    def gather(self) -> None:
        """Open a room, which the friend joins by its link."""
        self.ada.open_room("robert", seats=4)
        link = self.ada.see("invite-link").input_value()
        self.grace.page.goto(link)
        expect(self.ada.see("start-round")).to_have_text("Start with 2")
        self.look("room")

    def race(self) -> None:
        """Race a round; the stranger comes too late for it."""
        self.ada.press("start-round")
        for player, home in ((self.ada, 3), (self.grace, 2)):
            player.wait_for_board()
            player.play_robert(home)
        expect(self.grace.see("runner-progress")).to_have_attribute("data-home", "3")
        self.stranger.page.goto(self.ada.page.url)
        expect(self.stranger.page.get_by_text("in the middle of a round")).to_be_visible()
        expect(self.stranger.see("runner-progress")).to_have_count(2)
        self.look("race")
        self.grace.give_up()
        self.ada.give_up()
        for player in (self.ada, self.grace):
            expect(player.see("results")).to_be_visible()
        expect(self.ada.see("won")).to_be_visible()
        expect(self.stranger.see("winner")).to_have_text("Ada won by 1 card.")
        expect(self.stranger.page.get_by_text("Not in yet")).to_have_count(3)
        self.stranger.press("be-in")
        expect(self.stranger.see("asked")).to_contain_text("Waiting for Ada and")
        self.look("results")

    def lose_the_host(self) -> None:
        """Let the host vanish, so that the friend becomes host, and come back."""
        link = self.ada.page.url
        expect(self.grace.see("lock")).to_have_count(0)
        self.ada.page.goto("about:blank")
        expect(self.grace.see("lock")).to_be_visible()
        self.look("host-away")
        self.ada.page.goto(link)
        expect(self.grace.page.get_by_text("Away", exact=True)).to_have_count(0)

    def remove_the_stranger(self) -> None:
        """Let the new host remove the stranger."""
        self.grace.see("seat-menu").last.click()
        self.look("menu")
        self.grace.press("remove")
        self.grace.press("remove-confirm")
        expect(self.stranger.see("no-seat")).to_contain_text("removed you")
        expect(self.ada.see("seat")).to_have_count(2)
        self.look("removed")

    def race_another_game(self) -> None:
        """Race another game: Ada goes on in a second tab, finishes, and watches Grace."""
        self.grace.unfold("terms")
        self.grace.press("change-terms")
        self.grace.choose_game("roosevelt")
        self.grace.press("send-terms")
        expect(self.ada.see("next-terms")).to_contain_text("Roosevelt")
        self.grace.press("be-in")
        self.ada.press("start-round")
        for player in (self.ada, self.grace):
            player.wait_for_board()
        draw(self.ada, 1)
        first, tab = self.ada.page, self.ada.context.new_page()
        tab.goto(first.url)
        tab.get_by_test_id("take-over").click()
        expect(self.ada.see("elsewhere")).to_be_visible()
        self.look("elsewhere")
        self.ada.page = tab
        self.ada.wait_for_board()
        draw(self.ada, 3)
        first.close()
        draw(self.grace, 1)
        self.look("second-race")
        self.ada.give_up()
        self.ada.press("watch")
        expect(self.ada.see("board-shown")).to_have_attribute("data-seq", "2")
        draw(self.grace, 2)
        expect(self.ada.see("board-shown")).to_have_attribute("data-seq", "3")
        self.look("watching")
        self.grace.give_up()
        for player in (self.ada, self.grace):
            expect(player.see("series")).to_be_visible()
        self.look("second-results")

    def close(self) -> None:
        """End the evening."""
        for player in (self.ada, self.grace, self.stranger):
            player.close()


def draw(player: Player, moves: int) -> None:
    for move in range(player.moves(), moves):
        player.tap("s")
        player.wait_for_moves(move + 1)
        player.wait_for_cards()


def test_three_new_players_spend_an_evening(browser: Browser, impatient: Site) -> None:
    evening = Evening(browser, impatient)
    evening.gather()
    evening.race()
    evening.lose_the_host()
    evening.remove_the_stranger()
    evening.race_another_game()
    evening.close()
