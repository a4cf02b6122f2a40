"""A race of three in Chromium: what the track tells each of them, on phones and on a desktop."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, MOVING_PHONE, PHONE, Player


@pytest.fixture
def racers(browser: Browser, site: Site) -> Iterator[list[Player]]:
    """Two phones and a desktop in one room, whose names do not fit in one line of a phone."""
    players = [
        Player(browser, site.url, device, name)
        for device, name in (
            (MOVING_PHONE, "Ada Lovelace Byron"),
            (DESKTOP, "Grace Brewster Hop"),
            (PHONE, "Barbara Jane Liskov"),
        )
    ]
    yield players
    for player in players:
        player.close()


def start(*players: Player, seats: int = 3) -> None:
    """Start a race of Robert."""
    host, *guests = players
    link = host.open_room("robert", seats)
    for guest in guests:
        guest.page.goto(link)
    expect(host.see("start-round")).to_contain_text(str(len(players)))
    host.press("start-round")
    for player in players:
        player.wait_for_board()


def progress(player: Player, name: str) -> Locator:
    """Return what a player's track says of another one, by first name, or of `You`."""
    lines = player.page.locator('[data-testid="own-progress"], [data-testid="runner-progress"]')
    return lines.filter(has_text=name)


def chip(player: Player, name: str) -> Locator:
    """Return the chip of a runner on a player's track."""
    runner = progress(player, name).get_attribute("data-player")
    return player.page.locator(f'[data-testid="chip"][data-player="{runner}"]')


def track_colours(player: Player) -> dict[str, str]:
    """Return the colours of the chips on a player's track, by the runners' ids."""
    chips = player.see("chip").all()
    return {str(found.get_attribute("data-player")): colour(found) for found in chips}


def colour(found: Locator) -> str:
    return str(found.evaluate("element => getComputedStyle(element).backgroundColor"))


def left(found: Locator) -> float:
    box = found.bounding_box()
    assert box is not None
    return box["x"]


def listen(player: Player) -> None:
    """Keep what the page says from now on, since it says it for a moment only."""
    player.page.evaluate(
        """() => {
             window.said = '';
             new MutationObserver(() => {
               for (const {innerText} of document.querySelectorAll('[role=status]'))
                 window.said += ` ${innerText}`;
             }).observe(document.body, {subtree: true, childList: true, characterData: true});
           }"""
    )


def hear(player: Player, words: str) -> None:
    """Wait until the page has said something."""
    player.page.wait_for_function("words => window.said.includes(words)", arg=words)


def expect_order(player: Player, *names: str) -> None:
    """Expect that the track lists these runners in this order, with their places."""
    for place, name in enumerate(names, start=1):
        expect(progress(player, name)).to_have_attribute("data-place", str(place))
    lines = player.page.locator('[data-testid$="-progress"]').all_inner_texts()
    assert [name in line for name, line in zip(names, lines, strict=True)] == [True] * len(names)


def test_the_track_tells_who_leads_who_overtakes_who_is_away_and_who_is_done(
    racers: list[Player],
) -> None:
    ada, grace, barbara = racers
    start(*racers)
    for player in racers:
        expect(player.see("own-progress")).to_have_count(1)
        expect(player.see("runner-progress")).to_have_count(2)
        expect(player.page.locator("[data-place]")).to_have_count(0)

    # Each has a colour, which is the same on every track.
    colours = track_colours(ada)
    assert len(set(colours.values())) == 3
    assert [track_colours(player) for player in (grace, barbara)] == [colours, colours]

    before = len(ada.cards("f0"))
    grace.bring_home(2)
    expect(progress(ada, "Grace")).to_have_attribute("data-home", str(before + 2))
    ada.bring_home(1)
    expect_order(ada, "Grace", "You", "Barbara")
    expect_order(grace, "You", "Ada", "Barbara")
    expect_order(barbara, "Grace", "Ada", "You")
    # On a phone it is one line, in which the leader and oneself are in sight.
    for player in (ada, barbara):
        boxes = [progress(player, name).bounding_box() for name in ("Grace", "You")]
        assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
        lines = player.page.locator('[data-testid$="-progress"]')
        tops = lines.evaluate_all("found => found.map(line => line.getBoundingClientRect().top)")
        assert len(set(tops)) == 1
        expect(progress(player, "Grace")).to_contain_text(str(before + 2))

    for player in (ada, grace):
        listen(player)
    ada.bring_home(2)
    hear(ada, "ahead of Grace Brewster Hop.")
    hear(grace, "Ada Lovelace Byron is ahead.")
    for player, names in (
        (ada, ("You", "Grace", "Barbara")),
        (grace, ("Ada", "You", "Barbara")),
    ):
        expect_order(player, *names)
        player.wait_for_frames(60)
        places = [left(chip(player, name)) for name in names]
        assert places == sorted(places, reverse=True)

    barbara_id = progress(ada, "Barbara").get_attribute("data-player")
    barbara.page.goto("about:blank")
    for player in (ada, grace):
        expect(progress(player, "Barbara")).to_contain_text("Away")
        assert track_colours(player).items() - colours.items() == {
            (barbara_id, colour(chip(player, "Barbara")))
        }
    barbara.page.go_back()
    barbara.wait_for_board()
    expect(progress(grace, "Barbara")).not_to_contain_text("Away")

    round_before = chip(ada, "Grace").evaluate("chip => getComputedStyle(chip).borderRadius")
    grace.give_up()
    expect(progress(ada, "Grace")).to_contain_text("Given up")
    assert chip(ada, "Grace").evaluate("chip => getComputedStyle(chip).borderRadius") != (
        round_before
    )
    # Who is done sees the same track in the room.
    ada.bring_home(1)
    expect(progress(grace, "Ada")).to_have_attribute("data-home", str(before + 4))
    expect_order(grace, "Ada", "You", "Barbara")
    assert track_colours(grace) == colours


def test_who_has_no_card_home_is_told_what_it_means_before_giving_up(
    racers: list[Player],
) -> None:
    ada, grace, _ = racers
    start(ada, grace, seats=2)
    ada.press("give-up")
    expect(ada.page.get_by_role("dialog")).to_contain_text("count as last")
    ada.page.keyboard.press("Escape")
    ada.bring_home(1)
    ada.press("give-up")
    expect(ada.page.get_by_role("dialog")).not_to_contain_text("last")
    ada.press("give-up-confirm")
    grace.give_up()
    expect(ada.see("rank")).to_contain_text("1st")
    expect(grace.see("rank")).to_contain_text("2nd")


def test_a_late_comer_watches_and_sits_in_the_next_round(racers: list[Player]) -> None:
    ada, grace, late = racers
    ada.open_room("robert", 3)
    grace.page.goto(ada.page.url)
    expect(ada.see("start-round")).to_contain_text("2")
    ada.press("start-round")
    for player in (ada, grace):
        player.wait_for_board()
    late.page.goto(ada.page.url)
    expect(late.page.get_by_text("in the middle of a round")).to_be_visible()
    expect(late.see("runner-progress")).to_have_count(2)
    for absent in ("own-progress", "board"):
        expect(late.see(absent)).to_have_count(0)
    before = len(ada.cards("f0"))
    ada.bring_home(2)
    expect(progress(late, "Ada")).to_have_attribute("data-home", str(before + 2))
    expect_order(late, "Ada", "Grace")
    for player in (ada, grace):
        player.give_up()
    expect(late.see("results")).to_be_visible()
    for player in (ada, grace):
        player.press("be-in")
    expect(late.see("start-round")).to_have_text("Rematch with 3")
    late.press("start-round")
    for player in racers:
        player.wait_for_board()


@pytest.mark.deep
def test_on_a_phone_the_leader_and_oneself_stay_in_sight_among_many(
    racers: list[Player], browser: Browser, site: Site
) -> None:
    more = [Player(browser, site.url, DESKTOP) for _ in range(3)]
    ada, grace, barbara = racers
    start(grace, ada, *more, barbara, seats=6)
    grace.bring_home(1)
    expect(progress(barbara, "Grace")).to_have_attribute("data-place", "1")
    leader, own = [progress(barbara, name).bounding_box() for name in ("Grace", "You")]
    assert leader is not None
    assert own is not None
    assert leader["y"] == own["y"]
    assert 0 <= leader["x"] < leader["x"] + leader["width"] <= own["x"]
    assert own["x"] + own["width"] <= 390
    # No chip covers another one, and the leader's is the foremost.
    barbara.wait_for_frames(60)
    chips = barbara.see("chip").evaluate_all(
        "found => found.map(chip => chip.getBoundingClientRect().x)"
    )
    assert left(chip(barbara, "Grace")) == max(chips)
    assert min(after - before for before, after in pairwise(sorted(chips))) > 15
    for player in more:
        player.close()
