"""Could have been: reviews of runs by the solver in a worker, and its hints in practice."""

from __future__ import annotations

import json
import re
import tempfile
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Browser, expect

from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.solver import solve
from tests.browser.certified import certify
from tests.browser.checks import problems
from tests.browser.conftest import Site, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import PHONE, Player
from tests.browser.screens import SEED, WON, store_practice
from tests.browser.steps import start_alone, start_round

SOLVING = 60_000
"""Milliseconds that a review may take on a busy machine."""

FREECELL_1 = (
    "241b15311e132d11263308041a32190f010c22250a000d292a2b091810271d06"
    "02230316142817201f07210b2c1c2e30052f0e12"
)
"""The deck of FreeCell's deal 1, as a seed."""

LEVEL = "(Easy|Medium|Hard)"

DEALS = 8
"""Moves of the reviewed run; few of them bring a card home."""


player = player_fixture(PHONE, "Ada")


def test_a_run_is_reviewed_and_the_best_line_replayed(player: Player) -> None:
    start_alone(player)
    for number in range(1, DEALS + 1):
        player.tap("s")
        player.wait_for_moves(number)
    player.give_up()
    player.see("results").wait_for()
    player.unfold("deal")
    # The target of a run at this game is computed automatically.
    verdict = player.see("verdict")
    expect(verdict).to_contain_text("No one could win this deal.", timeout=SOLVING)
    expect(player.see("could-have")).to_have_attribute("aria-busy", "false", timeout=SOLVING)
    assert problems(player) == []
    # The page and the engine agree on how many cards can come home.
    player.press("check-deal")
    seed = bytes.fromhex(player.see("seed").inner_text())
    par = solve(deal_seed(ruleset("robert"), seed)).home
    expect(player.see("could-have")).to_contain_text(f"Par is {par} home")
    expect(player.see("about-run")).to_contain_text(f"{par - 1} cards short of par.")
    # The review's result is also shown next to the replay.
    player.press("watch-run")
    player.see("prospects").wait_for()
    expect(player.see("prospects")).to_have_attribute("data-could", str(par))
    assert problems(player) == []
    show_on_a_small_phone(player)
    player.press("watch-line")
    expect(player.page).to_have_url(re.compile(r"\?line$"))
    # A line has no player to race against.
    expect(player.see("race-run")).to_have_count(0)
    player.see("replay").wait_for()
    player.page.keyboard.press("End")
    expect(player.see("home-count")).to_contain_text(str(par))


def show_on_a_small_phone(player: Player) -> None:
    """Look at the board and the keys next to a review, scrolling where necessary."""
    size = player.page.viewport_size
    assert size is not None
    player.page.set_viewport_size({"width": 360, "height": 640})
    box = player.see("board").bounding_box()
    assert box is not None
    # Its cards are laid out as in a tall window: the wide layout would leave half of it empty.
    assert box["height"] > 1.1 * box["width"]
    expect(player.see("play-pause")).to_be_in_viewport(ratio=1)
    player.see("download").scroll_into_view_if_needed()
    expect(player.see("download")).to_be_in_viewport(ratio=1)
    player.page.set_viewport_size(size)


def test_spectators_of_a_race_can_review_its_deal(browser: Browser, site: Site) -> None:
    ada, watcher = (Player(browser, site.url, PHONE, name) for name in ("Ada", "Emmy"))
    grace = Friend(site.url, "Grace")
    grace.join(ada.open_room("robert"))
    # Once a guest is seated, the invitation is elsewhere on the page.
    expect(ada.see("seat")).to_have_count(2)
    ada.press("watch-invite")
    watcher.page.goto(ada.see("watch-link").input_value())
    expect(ada.see("start-round")).to_contain_text("2")
    start_round(ada)
    ada.give_up()
    grace.wait_for_round()
    grace.give_up()
    watcher.press("to-room")
    expect(watcher.see("verdict")).to_contain_text("No one could win", timeout=SOLVING)
    for player in (ada, grace, watcher):
        player.close()


def test_a_practice_hint_is_a_step_of_a_winning_line(player: Player) -> None:
    won = json.loads(WON.read_text())
    last = max(nth for nth, move in enumerate(won["moves"]) if move.startswith("s>"))
    player.go("/new")
    # The stock's last card lies face up, so no card is unseen.
    store_practice(player, "lady-betty", {"seed": won["seed"], "moves": won["moves"][:last]})
    player.go("/practice/lady-betty")
    player.wait_for_board()
    # A newcomer's movable cards glow, and a text says so.
    guide = player.page.get_by_text("Tap a card that glows")
    expect(guide).to_be_visible()
    player.press("hint")
    expect(player.see("note")).to_contain_text("a win from here")
    expect(player.page.locator(".hinted[data-pile]").first).to_be_attached()
    # Then only the hint glows, and nothing covers its text.
    expect(guide).not_to_be_visible()
    glowing = player.page.locator(".hinted[data-pile]").evaluate_all(
        "cards => cards.map(card => card.dataset.pile)"
    )
    assert len(set(glowing)) <= 2
    assert problems(player) == []


def test_a_hint_in_a_dead_end_tells_where_the_deal_can_still_be_won(player: Player) -> None:
    player.go("/new")
    # FreeCell's deal 1, whose cells the player fills with cards that fit nowhere.
    moves = ["t0>c3", "t3>c0", "t1>c2", "t4>c1"]
    store_practice(player, "freecell", {"seed": FREECELL_1, "moves": moves})
    player.go("/practice/freecell")
    player.press("hint")
    note = player.see("note")
    expect(note).to_contain_text(
        "no way left to win from here. Undo 1 move: it can still be won there.",
        timeout=SOLVING,
    )
    assert problems(player) == []
    player.press("undo")
    expect(note).to_have_count(0)
    player.press("hint")
    expect(note).to_contain_text("a win from here", timeout=SOLVING)


def test_a_hint_is_given_without_knowing_the_cards(player: Player) -> None:
    player.go("/new")
    store_practice(player, "rouge-et-noir", {"seed": SEED, "moves": []})
    player.go("/practice/rouge-et-noir")
    player.wait_for_board()
    player.press("hint")
    assert player.hinted()
    expect(player.see("hint")).to_have_attribute("aria-busy", "false")


def test_the_calendar_shows_how_hard_weekdays_are(browser: Browser) -> None:
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        certify(Path(data), "robert", 14)
        site = Site(Path(data))
        site.start()
        player = Player(browser, site.url, PHONE, "Ada")
        player.go("/archive")
        calendar = player.see("calendar")
        for weekday, level in (("Monday", 1), ("Wednesday", 2), ("Sunday", 3)):
            label = f"{weekday}, {('easy', 'medium', 'hard')[level - 1]}"
            header = calendar.locator("th", has=player.page.get_by_label(label, exact=True))
            expect(header.get_by_test_id("level")).to_have_attribute("data-level", str(level))
        assert problems(player) == []
        # A future day states the proofs about its deals.
        ahead = (site.now() + timedelta(days=2)).date().isoformat()
        player.go(f"/archive/{ahead}")
        expect(player.see("deal-of-robert")).to_contain_text(re.compile(rf"{LEVEL}, par\s\d\d"))
        expect(player.see("own-result").first).not_to_contain_text("played")
        assert problems(player) == []
        player.close()
        site.stop()


def test_a_certified_daily_shows_its_level_and_par(browser: Browser) -> None:
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        certify(Path(data), "robert")
        site = Site(Path(data))
        site.start()
        player = Player(browser, site.url, PHONE, "Ada")
        player.go("/")
        row = player.see("daily-robert")
        expect(row).to_contain_text(re.compile(rf"{LEVEL}, par\s\d\d"))
        expect(player.see("daily-deuces")).to_contain_text("Not checked yet")
        par = re.findall(r"par\s(\d\d)", row.inner_text())[0]
        row.click()
        expect(player.see("proof")).to_contain_text(f"Par is {par} home.")
        assert problems(player) == []
        player.press("play-daily")
        player.wait_for_board()
        # The game cannot be won, so the goal is par, during play too.
        expect(player.see("home-count")).to_have_text(f"1/{par}")
        player.give_up()
        expect(player.see("proof")).to_contain_text(
            re.compile(rf"{LEVEL}\.\s+Par is {par}: no one can bring more home\.")
        )
        assert problems(player) == []
        # A deal without a proof says so, before and after it is played.
        player.go("/daily/deuces")
        expect(player.see("proof")).to_contain_text("No one knows whether it can be won")
        expect(player.see("proof")).to_contain_text("the first run sets the mark")
        player.press("play-daily")
        player.wait_for_board()
        player.give_up()
        expect(player.see("proof")).to_contain_text("No one knows whether it can be won")
        player.close()
        site.stop()
