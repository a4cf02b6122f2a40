"""A challenge of two days and a circle's week, on a server with a movable clock.

With `DAYS=FOLDER`, it saves screenshots of each step in that folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.calendar import Calendar, leave_screenshot, running_calendar
from tests.browser.checks import misfits
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import (
    id_of,
    names_in,
    play_challenge_without_page,
    play_daily_without_page,
)
from tests.dates import DAY, moved

MONDAY = 4 * DAY
"""Seconds: the epoch's first Monday."""


class Friends:
    """Players by name, each in a separate browser context, as in a private window."""

    def __init__(self, browser: Browser, calendar: Calendar) -> None:
        self.calendar = calendar
        self._browser = browser
        self._steps = 0
        self.contexts = ExitStack()

    def meet(self, name: str, device: dict[str, object] = PHONE) -> Player:
        """Open a browser for a friend."""
        player = Player(self._browser, self.calendar.url, device, name)
        return self.contexts.enter_context(closing(player))

    def look(self, player: Player, step: str) -> None:
        """Check a friend's screen, and save a screenshot if there is a folder for them."""
        self._steps += 1
        leave_screenshot(player, self._steps, step)
        found = misfits(player)
        assert found == [], f"{step}: {found}"


@pytest.fixture
def friends(browser: Browser) -> Iterator[Friends]:
    with running_calendar() as calendar:
        friends = Friends(browser, calendar)
        with friends.contexts:
            yield friends


def play(player: Player, home: int) -> None:
    player.press("play-challenge")
    player.wait_for_board()
    player.play_robert(home)
    player.give_up()


def test_a_challenge_of_two_days(friends: Friends) -> None:
    ada = friends.meet("Ada")
    link = made_and_played(friends, ada)
    bea = friends.meet("Bea")
    bea.page.goto(link)
    expect(bea.see("to-beat")).to_contain_text("4 home")
    friends.look(bea, "opened-in-a-private-window")
    play_without_page(bea, 5)
    expect(bea.see("row-home")).to_have_text(["5", "4"])

    friends.calendar.skip_days()
    cleo, dora = friends.meet("Cleo", DESKTOP), friends.meet("Dora")
    for late in (cleo, dora):
        late.page.goto(link)
        expect(late.see("others")).to_contain_text("Bea")
        # The others' runs are hidden before the player's own.
        expect(late.see("row-home")).to_have_count(0)
        assert "home" not in late.see("others").inner_text()
    play_without_page(cleo, 3)
    expect(cleo.see("row-home")).to_have_text(["5", "4", "3"])
    friends.look(cleo, "third-of-three")
    ada.go("/")
    expect(ada.see("news")).to_have_count(1)
    friends.look(ada, "news-at-home")
    ada.see("challenge-row").click()
    # Four have opened it, and one of them has not started.
    expect(ada.see("counts")).to_contain_text(
        "3 others have opened it, 2 have started, 2 are done."
    )

    friends.calendar.skip_days()
    # After the end, the table, replays and proof are public, even to a friend who never played.
    expect(dora.see("row-home")).to_have_text(["5", "4", "3"])
    expect(dora.see("play-challenge")).to_have_count(0)
    friends.look(dora, "over-for-one-who-never-played")
    dora.unfold("deal")
    dora.press("check-deal")
    expect(dora.see("seed")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    again(friends, ada, bea, cleo)
    unanswered(friends, cleo, dora)


def made_and_played(friends: Friends, ada: Player) -> str:
    ada.go("/")
    ada.press("to-challenge")
    ada.unfold("challenge-options")
    ada.choose_game("robert")
    ada.see("span-select").select_option(label="2 days")
    ada.see("show-target").check()
    friends.look(ada, "made-on-a-phone")
    ada.press("make-challenge")
    link = ada.see("challenge-link").input_value()
    play(ada, 4)
    expect(ada.see("row-home")).to_have_text(["4"])
    friends.look(ada, "played-by-the-creator")
    return link


def again(friends: Friends, ada: Player, bea: Player, cleo: Player) -> None:
    bea.go("/")
    expect(bea.see("challenges")).to_contain_text("1st of 3")
    friends.look(bea, "won")
    bea.see("challenge-row").click()
    bea.press("rematch")
    bea.see("play-challenge").wait_for()
    rematch = bea.page.url.rpartition("/")[2]
    expect(ada.see("to-rematch")).to_have_attribute("href", re.compile(rematch))
    friends.look(ada, "a-rematch-is-on")
    cleo.go("/")
    cleo.see("challenge-row").filter(has_text="Bea").click()
    play_without_page(cleo, 2)
    expect(cleo.see("row-home")).to_have_text(["2"])
    friends.look(cleo, "the-rematch")


def unanswered(friends: Friends, cleo: Player, dora: Player) -> None:
    cleo.go(f"/player/{id_of(dora)}")
    cleo.press("challenge-player")
    cleo.unfold("challenge-options")
    cleo.choose_game("robert")
    cleo.press("make-challenge")
    play_without_page(cleo, 2)
    expect(cleo.see("row-home")).to_have_text(["2"])
    dora.go("/")
    expect(dora.see("challenges")).to_contain_text("Cleo challenges you")
    friends.look(dora, "challenged-by-name")
    friends.calendar.skip_days(4)
    expect(cleo.page.get_by_text("Didn\u2019t play")).to_have_count(1)
    friends.look(cleo, "one-did-not-play")


def play_without_page(player: Player, home: int) -> None:
    player.see("play-challenge").wait_for()
    play_challenge_without_page(player, player.page.url, home)


def void(calendar: Calendar, attempt: str) -> None:
    command = [sys.executable, *moved(calendar.ahead), "admin", "--data", str(calendar.data)]
    command += ["void", attempt, "--reason", "a bot"]
    subprocess.run(command, check=True)  # noqa: S603 - a test's own arguments


class Circle:
    """A circle of five, founded on a Monday, with seasons of a week."""

    def __init__(self, friends: Friends) -> None:
        self.friends, self.calendar = friends, friends.calendar
        past = (self.calendar.now().timestamp() - MONDAY) // DAY % 7
        self.calendar.skip_days(int(-past % 7))
        self.ada, self.bea = friends.meet("Ada"), friends.meet("Bea")
        self.cleo = friends.meet("Cleo", DESKTOP)
        self.dora, self.eve = friends.meet("Dora"), friends.meet("Eve")
        self.ada.go("/circles")
        self.ada.see("circle-name").fill("Thursday club")
        self.ada.press("found-circle")
        link = self.ada.see("circle-invitation").input_value()
        self._url = self.ada.page.url
        friends.look(self.ada, "a-circle-of-one")
        for each in (self.bea, self.cleo, self.dora, self.eve):
            each.page.goto(link)
            each.press("join-circle")
            each.see("circle").wait_for()
        self.ada.unfold("circle-settings")
        self.ada.see("season-weeks").select_option("1")
        expect(self.ada.see("circle-row")).to_have_count(5)

    def play(self, player: Player, home: int) -> str:
        """Play the daily, and return the attempt's id."""
        return play_daily_without_page(player, home, self._url)

    def show(self, player: Player, span: str = "day") -> None:
        """Open it with its table of a span that has results."""
        player.page.goto(self._url)
        player.see("circle").wait_for()
        if span != "day":
            player.see(f"span-{span}").check(force=True)
        expect(player.see("circle-table")).to_have_attribute("data-span", span)
        if span != "all":
            expect(player.see("circle-points").first).not_to_have_text("0")

    def look(self, player: Player, step: str, span: str = "day") -> list[str]:
        """Open and check it, and return the names in its table, from the top."""
        self.show(player, span)
        self.friends.look(player, step)
        return names_in(player)


def test_a_week_of_a_circle(friends: Friends) -> None:
    circle = Circle(friends)
    ada, bea, cleo, dora = circle.ada, circle.bea, circle.cleo, circle.dora
    circle.play(ada, 3)
    circle.play(bea, 4)
    circle.play(cleo, 2)
    assert circle.look(cleo, "monday")[:3] == ["Bea", "Ada", "Cleo"]

    circle.calendar.skip_days()
    circle.play(bea, 3)
    circle.play(dora, 2)
    assert circle.look(dora, "tuesday")[:2] == ["Bea", "Dora"]
    leave(circle)

    circle.calendar.skip_days()
    dora.go("/account")
    dora.press("delete-account")
    dora.press("delete-confirm")
    expect(dora.see("account").get_by_role("heading")).not_to_have_text("Dora")
    assert circle.look(ada, "wednesday", "week") == ["Bea", "Ada", "Cleo"]

    circle.calendar.skip_days()
    attempt = circle.play(cleo, 5)
    circle.show(cleo, "week")
    before = cleo.see("circle-points").all_inner_texts()
    circle.calendar.skip_days()
    void(circle.calendar, attempt)
    circle.look(cleo, "friday-after-a-run-was-voided", "week")
    after = cleo.see("circle-points").all_inner_texts()
    assert sum(map(int, after)) < sum(map(int, before))

    circle.calendar.skip_days(3)
    end_of_season(circle)


def leave(circle: Circle) -> None:
    circle.show(circle.eve)
    circle.eve.unfold("circle-settings")
    circle.eve.press("leave-circle")
    circle.eve.press("leave-circle-confirm")
    circle.eve.see("circle-name").wait_for()


def end_of_season(circle: Circle) -> None:
    ada, bea = circle.ada, circle.bea
    circle.play(ada, 2)
    circle.show(ada, "season")
    expect(ada.see("circle-table")).to_contain_text("Season 2")
    expect(ada.see("circle-feed")).to_contain_text("Bea")
    circle.friends.look(ada, "a-new-season")
    ada.page.get_by_role("button", name="Before").click()
    expect(ada.see("circle-table")).to_contain_text("Season 1")
    expect(ada.see("look-at").first).to_contain_text("Bea")
    circle.friends.look(ada, "the-season-that-is-over")
    circle.show(bea, "all")
    circle.friends.look(bea, "all-time")
    bea.see("look-at").filter(has_text="Ada").click()
    bea.see("duels").wait_for()
    circle.friends.look(bea, "one-against-one")
