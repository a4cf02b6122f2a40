"""Four days of dailies on a server with a movable clock: places, streaks, the calendar.

With `DAYS=FOLDER`, it saves screenshots of each step in that folder.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from engine.catalog import daily_games
from tests.browser.calendar import (
    BEFORE_MIDNIGHT,
    MINUTE,
    Calendar,
    leave_screenshot,
    running_calendar,
)
from tests.browser.certified import certify
from tests.browser.checks import problems
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import id_of, play_daily_without_page, start_daily
from tests.dates import DAY


@pytest.fixture
def calendar() -> Iterator[Calendar]:
    with running_calendar() as site:
        yield site


@pytest.fixture
def evening() -> Iterator[Calendar]:
    with running_calendar(BEFORE_MIDNIGHT) as site:
        yield site


class Days:
    """The two players: Ada on her phone, who plays every day, and Grace, who played once."""

    def __init__(self, browser: Browser, calendar: Calendar) -> None:
        self.calendar = calendar
        device = {**PHONE, "permissions": ["clipboard-read", "clipboard-write"]}
        self.ada = Player(browser, calendar.url, device, "Ada")
        self.grace = Player(browser, calendar.url, DESKTOP, "Grace")
        self._steps = 0

    def look(self, step: str) -> None:
        """Save a screenshot of Ada's screen if there is a folder for them."""
        self._steps += 1
        leave_screenshot(self.ada, self._steps, step)

    def check(self, step: str) -> None:
        """Look at a screen that `screens.py` does not visit, and check it."""
        self.look(step)
        assert problems(self.ada) == [], step

    def play(self, player: Player, home: int) -> None:
        """Play the day's Robert until this many cards are home, and leave it."""
        start_daily(player)
        player.play_robert(home)
        if player.see("see-results").is_visible():
            player.press("see-results")
        else:
            player.give_up()
        player.see("results").wait_for()

    def open_day(self, ahead: int) -> None:
        """Go to a day through the calendar."""
        date = self.calendar.date(ahead)
        self.ada.go(f"/archive?month={date[:7]}")
        self.ada.press(f"day-{date}")
        self.ada.see("seals").wait_for(state="attached")


def test_four_days(browser: Browser, calendar: Calendar) -> None:
    days = Days(browser, calendar)
    play_daily_without_page(days.grace, 2)
    days.play(days.ada, 4)
    home = share_the_end(days)
    seals = seals_of(days, 1)

    calendar.skip_days()
    play_daily_without_page(days.ada, 3)
    days.ada.go("/daily/robert")
    expect(days.ada.see("streak")).to_have_attribute("data-days", "2")
    assert seals_of(days, 0) == seals
    play_the_day_before(days, home)

    calendar.skip_days()
    play_daily_without_page(days.ada, 5)
    days.ada.go("/daily/robert")
    expect(days.ada.see("streak")).to_have_attribute("data-days", "3")
    look_back_on_three_days(days)

    calendar.skip_days(2)
    days.grace.go(f"/player/{id_of(days.ada)}")
    expect(days.grace.page.get_by_role("heading", level=1)).to_contain_text("Ada")
    expect(days.grace.see("numbers")).to_contain_text("best 3")
    days.ada.go("/archive")
    days.ada.see("calendar").wait_for()
    days.look("calendar")
    for player in (days.ada, days.grace):
        player.close()


def share_the_end(days: Days) -> str:
    ada = days.ada
    expect(ada.see("rank")).to_contain_text("of 2")
    expect(ada.see("race-chart").get_by_role("img")).to_have_attribute("data-runs", "2")
    expect(ada.see("streak")).to_have_attribute("data-days", "1")
    ada.see("next-daily").wait_for()
    days.look("end")
    ada.press("share")
    ada.page.get_by_text("Copied").wait_for()
    sentence, shape, link = ada.page.evaluate("navigator.clipboard.readText()").split("\n")
    found = re.fullmatch(
        r"Samedeal, Robert, \d+ \w+: (\d+) cards home in 0:\d\d, (1st|2nd) of 2\.", sentence
    )
    assert found, sentence
    assert re.fullmatch("[▁▂▃▄▅▆▇█]{10}", shape), shape
    assert list(shape) == sorted(shape)
    # This browser cannot share pictures, so sharing one is not offered.
    expect(ada.see("share-picture")).to_have_count(0)
    assert link.startswith(f"{days.calendar.url}/leaderboard/robert?day=")
    return found[1]


def play_the_day_before(days: Days, home: str) -> None:
    """Play the previous day's Robert, in which Ada brought some cards home, unranked."""
    ada = days.ada
    days.open_day(-1)
    robert = ada.see("deal-of-robert")
    expect(robert.get_by_test_id("own-result")).to_contain_text(f"brought {home} cards home")
    days.look("day")
    robert.get_by_test_id("play-again").click()
    ada.wait_for_board()
    expect(ada.page).to_have_url(re.compile("/practice/robert$"))
    ada.tap("s")
    ada.wait_for_moves(1)
    days.check("unranked")
    ada.press("unranked")
    ada.see("day-deals").wait_for()


def look_back_on_three_days(days: Days) -> None:
    """View the three days on the home screen and the player's page, and replay the first."""
    ada = days.ada
    ada.go("/")
    expect(ada.see("days-in-a-row")).to_have_text(re.compile("3 days"))
    expect(ada.see("set")).to_have_attribute("data-done", "1")
    ada.press("days-in-a-row")
    expect(ada.see("numbers")).to_contain_text("3")
    ada.page.get_by_text("As a table").click()
    expect(ada.page.locator("tbody tr")).to_have_count(3)
    days.check("player")
    ada.page.locator("tbody tr").last.get_by_role("link").click()
    ada.see("replay").wait_for()


def seals_of(days: Days, ahead: int) -> list[str]:
    """Return the commitments of a day's deals, as its page shows them."""
    days.open_day(ahead)
    details = days.ada.page.locator("details")
    details.evaluate("element => (element.open = true)")
    seals = days.ada.see("seals").locator("dd:first-of-type").all_inner_texts()
    assert len(seals) == len(daily_games())
    return seals


def test_a_daily_started_before_midnight_counts_for_its_own_day(
    browser: Browser, evening: Calendar
) -> None:
    days = Days(browser, evening)
    ada, grace = days.ada, days.grace
    began = evening.now()
    dates = [f"{day.day} {day:%B}" for day in (began, began + timedelta(days=1))]
    start_daily(ada, "lady-betty")
    ada.give_up()
    ada.see("results").wait_for()
    start_daily(ada, "deuces")
    start_daily(ada, "robert")
    home = ada.context.new_page()
    home.goto(f"{evening.url}/")
    expect(home.get_by_test_id("set")).to_have_attribute("data-done", "1")
    grace.go("/daily/robert")
    expect(grace.page.locator("main .day")).to_contain_text(dates[0])

    evening.skip_time(20 * MINUTE)
    # Pages left open switch to the new day and its deals.
    expect(grace.page.locator("main .day")).to_contain_text(dates[1])
    expect(home.get_by_test_id("set")).to_have_count(0)
    start_daily(grace, None)
    grace.give_up()
    expect(grace.page.get_by_role("heading", level=1)).to_contain_text(dates[1])
    expect(grace.see("new-day")).to_have_count(0)

    # One table was left open; the other is reopened, as its day is no longer listed.
    ada.play_robert(2)
    ada.give_up()
    expect(ada.see("rank")).to_contain_text("of 1")
    assert_of(days, dates[0], began.timestamp())
    ada.go("/daily/deuces")
    ada.press("play-daily")
    expect(ada.see("notice")).to_contain_text(dates[0])
    ada.wait_for_board()
    ada.give_up()
    assert_of(days, dates[0], began.timestamp())
    days.check("new-day")
    ada.press("to-today")
    expect(ada.page.locator("main .day")).to_contain_text(dates[1])
    start_daily(ada, None)
    for player in (ada, grace):
        player.close()


def assert_of(days: Days, date: str, time: float) -> None:
    """Check that Ada's result is headed, ranked and shared under a date."""
    ada = days.ada
    expect(ada.page.get_by_role("heading", level=1)).to_contain_text(date)
    expect(ada.page).to_have_title(re.compile(rf"\b{date}\b"))
    expect(ada.see("leaderboard").get_by_role("heading", level=2)).to_contain_text(date)
    ada.press("share")
    ada.page.get_by_text("Copied").wait_for()
    shared = ada.page.evaluate("navigator.clipboard.readText()")
    assert f", {date}: " in shared
    assert f"?day={int(time // DAY)}&" in shared
    ada.see("new-day").wait_for()


def test_a_day_without_deals_says_so(browser: Browser, calendar: Calendar) -> None:
    player = Player(browser, calendar.url, PHONE)
    for date in ("2020-02-02", calendar.date(9), "yesterday"):
        player.go(f"/archive/{date}")
        expect(player.page.get_by_role("heading", level=1)).to_have_text("No deals that day")
    player.go("/player/nobody")
    expect(player.page.get_by_role("heading", level=1)).to_have_text("No such player")
    player.close()


def test_no_day_before_the_first_one_is_offered(browser: Browser, calendar: Calendar) -> None:
    player = Player(browser, calendar.url, PHONE)
    player.go(f"/archive/{calendar.date()}")
    player.see("day-deals").wait_for()
    expect(player.see("day-before")).to_have_count(0)
    player.go("/archive")
    player.see(f"day-{calendar.date()}").wait_for()
    expect(player.see(f"day-{calendar.date(-1)}")).to_have_count(0)
    player.go("/leaderboard/robert")
    expect(player.see("period-before")).to_be_disabled()
    calendar.skip_days()
    player.go(f"/archive/{calendar.date()}")
    player.press("day-before")
    expect(player.page).to_have_url(f"{calendar.url}/archive/{calendar.date(-1)}")
    player.see("day-deals").wait_for()
    expect(player.see("day-before")).to_have_count(0)
    player.go("/leaderboard/robert")
    player.press("period-before")
    expect(player.see("period-before")).to_be_disabled()
    player.close()


SHARES = """
navigator.canShare = ({files}) => files.every(({type}) => type === "image/png");
navigator.share = async (given) => { window.given = given; };
"""
"""Gives the browser picture sharing, and records shared data."""

PICTURE = """async () => {
  const [file] = given.files;
  const bitmap = await createImageBitmap(file);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  canvas.drawImage(bitmap, 0, 0);
  const {data} = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
  let brass = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === 0xe0 && data[at + 1] === 0xa9 && data[at + 2] === 0x2e) brass++;
  }
  return {name: file.name, width: bitmap.width, height: bitmap.height, brass, text: given.text};
}"""
"""Returns the shared data, and the number of pixels in the curve's colour."""


def test_a_day_shows_what_is_left_to_play_and_shares_the_curve(
    browser: Browser, calendar: Calendar
) -> None:
    player = Player(browser, calendar.url, DESKTOP)
    player.context.add_init_script(SHARES)
    player.go(f"/archive/{calendar.date()}")
    deal = player.see("deal-of-robert")
    expect(deal).to_contain_text("t played this one yet.")
    deal.get_by_role("link", name="Play", exact=True).click()
    player.press("play-daily")
    player.wait_for_board()
    player.go(f"/archive/{calendar.date()}")
    expect(deal).to_contain_text("in the middle of it.")
    deal.get_by_role("link", name="Resume").click()
    player.press("play-daily")
    player.wait_for_board()
    player.play_robert(4)
    player.give_up()
    player.press("share-picture")
    player.page.wait_for_function("() => window.given")
    shared = player.page.evaluate(PICTURE)
    assert shared["name"] == f"samedeal-robert-{calendar.date()}.png"
    assert (shared["width"], shared["height"]) == (1200, 675)
    # The line crosses the picture and is some pixels thick.
    assert shared["brass"] > 3_000
    assert shared["text"].startswith("Samedeal, Robert, ")
    player.close()


def test_a_result_missing_from_the_players_page_is_requested_four_times(
    browser: Browser, calendar: Calendar
) -> None:
    player = Player(browser, calendar.url, PHONE)
    player.page.clock.install()
    start_daily(player)
    player.play_robert(2)
    looks = 0

    def answer_without_games(route: Route) -> None:
        nonlocal looks
        looks += 1
        found = route.fetch()
        route.fulfill(response=found, json={**found.json(), "games": []})

    pages = "**/api/**/players/*"
    player.page.route(pages, answer_without_games)
    with player.page.expect_response(pages):
        player.give_up()
    for _ in range(3):
        with player.page.expect_response(pages):
            player.page.clock.run_for(6_000)
    player.page.clock.run_for(60_000)
    player.wait_for_frames(2)
    assert looks == 4
    player.close()


def test_lines_of_a_closed_day_are_replayed(browser: Browser) -> None:
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        for game in ("lady-betty", "robert"):
            certify(Path(data), game)
        site = Calendar(Path(data))
        site.start()
        site.skip_days()
        player = Player(browser, site.url, PHONE)
        for game, says, link in (
            ("lady-betty", r"can\sbe\swon", "Watch the win"),
            ("robert", r"par\s\d\d", "Watch the best play"),
        ):
            player.go(f"/archive/{site.date(-1)}")
            deal = player.see(f"deal-of-{game}")
            expect(deal).to_contain_text(re.compile(says))
            par = re.findall(r"par\s(\d\d)", deal.inner_text())
            # The other deals have no proof, but a review is possible now.
            deuces = player.see("deal-of-deuces")
            expect(deuces).to_contain_text("No one knows whether it can be won")
            expect(deuces.get_by_role("link", name="Could it have been won?")).to_be_visible()
            deal.get_by_role("link", name=link).click()
            player.see("replay").wait_for()
            player.page.keyboard.press("End")
            expect(player.see("home-count")).to_contain_text(par[0] if par else "52")
            # The page of the deal says it without being asked.
            player.press("all-runs")
            expect(player.see("verdict")).to_contain_text("could")
            expect(player.see("find-out")).to_have_count(0)
        player.close()
        site.stop()
