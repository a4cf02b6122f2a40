"""Replays: a run is replayed step by step, shared and downloaded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from server.play.core.run import check, parse_file
from tests.browser.checks import problems
from tests.browser.conftest import Site, friend_fixture, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import PHONE, Player

player = player_fixture(PHONE, "Ada")


@pytest.fixture
def ada(player: Player) -> Iterator[Friend]:
    with player.without_page() as ada:
        yield ada


grace = friend_fixture("Grace")


def run_robert(ada: Friend, deals: int) -> list[list[str]]:
    """Race alone with this many deals; return the waste after each move."""
    ada.race_alone()
    wastes = [ada.cards("w")]
    for _ in range(deals):
        ada.draw(1)
        wastes.append(ada.cards("w"))
        # Moves in the same millisecond would be one step.
        ada.wait_for_another_millisecond()
    ada.give_up()
    return wastes


def begin(host: Friend, guest: Friend, game: str) -> None:
    link = host.open_room(game)
    guest.join(link)
    host.start(link)
    for each in (host, guest):
        each.wait_for_round()


def shows(player: Player, wastes: list[list[str]], move: int) -> bool:
    """Wait until the replay is at a move, and return whether the waste matches."""
    player.wait_for_moves(move)
    return player.cards("w") == wastes[move]


def test_a_run_is_stepped_through_and_replayed(player: Player, ada: Friend) -> None:
    wastes = run_robert(ada, 3)
    player.go(f"/run/{ada.attempt}")
    player.see("replay").wait_for()
    for move in range(1, 4):
        player.page.keyboard.press("ArrowRight")
        assert shows(player, wastes, move)
    player.press("step-back")
    assert shows(player, wastes, 2)
    player.page.keyboard.press("Home")
    assert shows(player, wastes, 0)
    player.see("speed-16").check()
    player.press("play-pause")
    expect(player.see("position")).to_contain_text("Given up")
    assert shows(player, wastes, 3)
    # The viewer cannot play moves.
    player.page.keyboard.press("Home")
    player.page.keyboard.press("d")
    assert shows(player, wastes, 0)
    # A link can lead to a time.
    player.go(f"/run/{ada.attempt}?at=7200000")
    assert shows(player, wastes, 3)
    with player.page.expect_download() as download:
        player.press("download")
    content = download.value.path().read_bytes()
    assert check(parse_file(content)) is None
    assert [move for move, _ in json.loads(content)["moves"]] == ["s>w"] * 3


def test_a_run_of_an_open_deal_is_not_shown_yet(player: Player, ada: Friend) -> None:
    ada.open_daily()
    player.go(f"/run/{ada.attempt}")
    expect(player.see("no-run")).to_contain_text("Not yet")
    # An unknown run can be neither shown nor raced.
    for path in ("/run/nothing", "/run/nothing?race"):
        player.go(path)
        expect(player.see("no-run")).to_contain_text("No such run")


def test_two_runs_of_a_deal_are_compared(player: Player, ada: Friend, grace: Friend) -> None:
    begin(ada, grace, "roosevelt")
    for each, deals in ((ada, 1), (grace, 3)):
        each.draw(deals)
        each.give_up()
    player.go(f"/run/{ada.attempt}")
    player.see("beside").select_option(index=1)
    expect(player.see("parting")).to_contain_text("They parted at move 2.")
    expect(player.see("side")).to_have_count(2)
    expect(player.see("side").last).to_be_hidden()
    player.see("side-1").check()
    expect(player.see("side").last).to_be_visible()
    assert problems(player) == []


def test_the_page_of_a_deal_shows_everyone_its_runs_and_verifies_it(
    player: Player, grace: Friend, site: Site
) -> None:
    with Friend(site.url, "Barbara") as barbara:
        begin(grace, barbara, "robert")
        for each, home in ((grace, 3), (barbara, 2)):
            each.play_robert(home)
            each.give_up()
    player.go(f"/run/{grace.attempt}")
    player.press("all-runs")
    expect(player.see("runs")).to_contain_text("2 players")
    expect(player.see("watch-run")).to_have_count(2)
    for name in ("Grace", "Barbara"):
        expect(player.see("runs")).to_contain_text(name)
    expect(player.see("check-result")).to_contain_text("A fair deal")
    expect(player.see("seed")).to_have_text(re.compile(r"^[0-9a-f]{64}$"))
    assert problems(player) == []
    player.see("watch-run").last.click()
    player.see("beside").select_option(index=1)
    chart = player.page.get_by_role("img", name=re.compile("Barbara.*Grace"))
    # The last one marks the replay's position.
    expect(chart.locator("path")).to_have_count(3)
    lines = [line.get_attribute("d") or "" for line in chart.locator("path").all()[:2]]
    # A step for each card that came home.
    assert [line.count("V") for line in lines] == [1, 2]
