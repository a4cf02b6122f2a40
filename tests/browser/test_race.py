"""A race of three in Chromium: the track, on phones and on a desktop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.checks import NARROW
from tests.browser.conftest import Site, friend_fixture, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import DESKTOP, MOVING_PHONE, PHONE, Player
from tests.browser.steps import start_round


@pytest.fixture
def racers(browser: Browser, site: Site) -> Iterator[list[Player]]:
    """Two phones and a desktop in one room; the names do not fit in one line of a phone."""
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


ada = player_fixture(PHONE, "Ada Lovelace Byron")
grace = friend_fixture("Grace Brewster Hop")


def start(*players: Player) -> None:
    host, *guests = players
    link = host.open_room("robert", len(players))
    for guest in guests:
        guest.page.goto(link)
    expect(host.see("start-round")).to_contain_text(str(len(players)))
    host.press("start-round")
    for player in players:
        player.wait_for_board()


def progress(player: Player, name: str) -> Locator:
    lines = player.page.locator('[data-testid="own-progress"], [data-testid="runner-progress"]')
    return lines.filter(has_text=name)


def chip(player: Player, name: str) -> Locator:
    runner = progress(player, name).get_attribute("data-player")
    return player.page.locator(f'[data-testid="chip"][data-player="{runner}"]')


def track_colours(player: Player) -> dict[str, str]:
    """Return the colours of the chips on a player's track, by the runners' ids."""
    chips = player.see("chip").all()
    return {str(found.get_attribute("data-player")): colour(found) for found in chips}


def expect_results_in(colours: dict[str, str], *ranked: Player) -> None:
    """End a race, best player first, and expect all results in the track's colours."""
    ids = [progress(player, "You").get_attribute("data-player") for player in ranked]
    for player in ranked:
        if player.see("give-up").count():
            player.give_up()
    for player in ranked:
        dots = player.see("results").locator(".player-dot[aria-hidden]")
        expect(dots).to_have_count(len(ranked))
        assert [colour(dot) for dot in dots.all()] == [colours[str(each)] for each in ids]


def colour(found: Locator) -> str:
    return str(found.evaluate("element => getComputedStyle(element).backgroundColor"))


def left(found: Locator) -> float:
    box = found.bounding_box()
    assert box is not None
    return box["x"]


def listen(player: Player) -> None:
    """Record announcements and moving chips from now on, as both are brief."""
    player.page.evaluate(
        """() => {
             window.said = '';
             new MutationObserver(() => {
               for (const {innerText} of document.querySelectorAll('[role=status]'))
                 window.said += ` ${innerText}`;
             }).observe(document.body, {subtree: true, childList: true, characterData: true});
             window.moved = [];
             const animate = Element.prototype.animate;
             Element.prototype.animate = function (...how) {
               if (this.dataset.testid === 'chip') window.moved.push(this.dataset.player);
               return animate.apply(this, how);
             };
           }"""
    )


def hear(player: Player, words: str) -> None:
    player.page.wait_for_function("words => window.said.includes(words)", arg=words)


def expect_order(player: Player, *names: str) -> None:
    """Expect that the track lists these runners in this order, with their places."""
    for place, name in enumerate(names, start=1):
        expect(progress(player, name)).to_have_attribute("data-place", str(place))
    lines = player.page.locator('[data-testid$="-progress"]').all_inner_texts()
    assert [name in line for name, line in zip(names, lines, strict=True)] == [True] * len(names)


def test_the_track_shows_leaders_overtaking_absence_and_finishes(racers: list[Player]) -> None:
    ada, grace, barbara = racers
    start(*racers)
    for player in racers:
        expect(player.see("own-progress")).to_have_count(1)
        expect(player.see("runner-progress")).to_have_count(2)
        expect(player.page.locator("[data-place]")).to_have_count(0)
        expect(player.see("chip")).to_have_count(3)

    # Each runner has a colour, the same on every track.
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
    # On a phone it is one line, which shows the leader and the player.
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
    # Both chips move for a moment, except with reduced motion.
    both = {progress(ada, name).get_attribute("data-player") for name in ("You", "Grace")}
    assert set(ada.page.evaluate("moved")) == both
    assert grace.page.evaluate("moved") == []
    for player, names in ((ada, ("You", "Grace", "Barbara")), (grace, ("Ada", "You", "Barbara"))):
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
    # A finished player sees the same track in the room.
    ada.bring_home(1)
    expect(progress(grace, "Ada")).to_have_attribute("data-home", str(before + 4))
    expect_order(grace, "Ada", "You", "Barbara")
    assert track_colours(grace) == colours
    expect_results_in(colours, ada, grace, barbara)


_SENSES = """
window.felt = [];
Object.defineProperty(navigator, "userActivation", {value: {hasBeenActive: true}});
navigator.vibrate = (pattern) => felt.push(pattern.length) > 0;
window.locks = 0;
Object.defineProperty(navigator, "wakeLock", {
  value: {request: async () => (locks++, {release: async () => { locks--; }})},
});
window.heard = [];
window.OscillatorNode = class extends OscillatorNode {
  constructor(context, options) {
    super(context, options);
    heard.push(options.frequency);
  }
};
"""
"""Records the number of parts of each vibration, the screen locks, and each tone."""

_FANFARE = 980
"""The highest tone, in hertz, of the sound of a won race."""

_ANSWER = """new MutationObserver(() => {
  document.querySelector('[data-testid="BUTTON"]')?.click();
}).observe(document, {subtree: true, childList: true});"""
"""Presses a button as soon as it appears, however short the countdown is."""


def test_a_race_offers_sound_vibrates_and_keeps_the_screen_on(racers: list[Player]) -> None:
    ada, grace, _ = racers
    ada.page.add_init_script(_SENSES)
    ada.page.add_init_script(_ANSWER.replace("BUTTON", "sound-on"))
    grace.page.add_init_script(_ANSWER.replace("BUTTON", "sound-off"))
    ada.page.goto(grace.open_room("robert", 2))
    expect(grace.see("start-round")).to_contain_text("2")
    grace.press("start-round")
    for player, sound in ((ada, True), (grace, False)):
        player.wait_for_board()
        kept = json.loads(player.page.evaluate("localStorage.getItem('samedeal.settings')"))
        assert (kept["sound"], kept["soundAsked"]) == (sound, True)
    ada.page.wait_for_function("() => felt.join() === '1' && locks === 1")
    ada.bring_home(1)
    grace.bring_home(2)
    ada.page.wait_for_function("() => felt.join() === '1,3'")
    ada.play_robert()
    ada.page.wait_for_function("() => felt.join() === '1,3,5' && locks === 0")
    assert _FANFARE not in ada.page.evaluate("heard")
    grace.give_up()
    ada.page.wait_for_function("tone => heard.includes(tone)", arg=_FANFARE)
    ada.page.reload()
    expect(ada.see("won")).to_be_visible()
    ada.wait_for_frames(2)
    assert ada.page.evaluate("heard") == []


def test_resigning_without_a_card_home_explains_the_consequence(ada: Player, grace: Friend) -> None:
    grace.join(ada.open_room("robert"))
    expect(ada.see("start-round")).to_contain_text("2")
    start_round(ada)
    grace.wait_for_round()
    ada.press("give-up")
    expect(ada.page.get_by_role("dialog")).to_contain_text("count as last")
    ada.page.keyboard.press("Escape")
    ada.bring_home(1)
    ada.press("give-up")
    expect(ada.page.get_by_role("dialog")).not_to_contain_text("last")
    ada.press("give-up-confirm")
    grace.give_up()
    expect(ada.see("won")).to_be_visible()


def test_a_latecomer_watches_and_plays_in_the_next_round(
    browser: Browser, site: Site, grace: Friend
) -> None:
    late = Player(browser, site.url, PHONE, "Late")
    link = grace.open_room(seats=3)
    with Friend(site.url, "Barbara") as barbara:
        barbara.join(link)
        grace.start(link)
        for player in (grace, barbara):
            player.wait_for_round()
        look_on_and_join(late, link, grace, barbara)
    late.close()


def look_on_and_join(late: Player, link: str, grace: Friend, barbara: Friend) -> None:
    late.page.goto(link)
    expect(late.page.get_by_text("in the middle of a round")).to_be_visible()
    expect(late.see("runner-progress")).to_have_count(2)
    for absent in ("own-progress", "board"):
        expect(late.see(absent)).to_have_count(0)
    grace.play_robert(3)
    expect(progress(late, "Grace")).to_have_attribute("data-home", "3")
    expect_order(late, "Grace", "Barbara")
    for player in (grace, barbara):
        player.give_up()
    expect(late.see("results")).to_be_visible()
    for player in (grace, barbara):
        player.in_room(link, "room.ready", ready=True)
    expect(late.see("start-round")).to_have_text("Rematch with 2 others")
    start_round(late)


@contextmanager
def seated(link: str, *names: str) -> Iterator[None]:
    with ExitStack() as friends:
        for name in names:
            friend = Friend(link.partition("/r/")[0], name)
            friends.enter_context(friend)
            friend.join(link)
        yield


LOOK = """() => {
  const box = element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return [x, y, width, height];
  };
  const seen = element => {
    const [x, y, width, height] = box(element);
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  const all = selector => [...document.querySelectorAll(`.track ${selector}`)];
  // Of a name and its initials, one is shown.
  const names = all('.name, .short').filter(name => box(name)[2] > 1);
  const others = ['[data-testid=chip]', '[data-testid=to-beat]', '.count'].flatMap(all);
  const parts = [...others, ...names];
  return {
    boxes: parts.map(part => [part.innerText, ...box(part)]),
    covered: parts.filter(part => !seen(part)).map(part => part.innerText),
    short: names.filter(name => name.matches('.name') && box(name)[2] < 20)
      .map(name => name.innerText),
  };
}"""
"""Returns the track's parts with positions, covered parts, and names cut to a letter or two."""


def expect_all_in_sight(player: Player, runners: int, flags: int) -> None:
    """Expect that chips, flags, names and counts are in the window, and none covers another."""
    player.wait_for_frames(60)
    found: dict[str, Any] = player.page.evaluate(LOOK)
    boxes = found["boxes"]
    assert len(boxes) == 3 * runners + flags
    assert found["covered"] == []
    assert found["short"] == []
    for text, x, _, width, _ in boxes:
        assert 0 <= x < x + width <= NARROW["width"], text
    for one, other in combinations(boxes, 2):
        apart = any(
            one[at] + one[at + 2] <= other[at] + 0.5 or other[at] + other[at + 2] <= one[at] + 0.5
            for at in (1, 2)
        )
        assert apart, (one, other)


@pytest.mark.deep
def test_a_phone_shows_eight_runners_and_the_score_to_beat(ada: Player, grace: Friend) -> None:
    ada.page.set_viewport_size(NARROW)
    link = grace.open_room(seats=8)
    ada.page.goto(link)
    with seated(link, "Barbara", "Emmy", "Nina", "Wilhelmina WWWWWWWWW", "Sofia", "Mary"):
        expect(ada.see("seat")).to_have_count(8)
        grace.start(link)
        ada.wait_for_board()
        grace.wait_for_round()
        before = ada.home()
        expect(ada.see("chip")).to_have_count(8)
        # At the start all are equal, and nobody is ahead.
        expect_all_in_sight(ada, 8, 0)
        expect(ada.see("gaps")).to_have_text("")
        expect(progress(ada, "You")).to_be_in_viewport()

        grace.play_robert(before + 2)
        expect(ada.see("gaps")).to_contain_text("is level")
        ada.bring_home(1)
        expect(ada.see("gaps")).to_contain_text("Grace Brewster Hop is 1 ahead")
        expect(ada.see("gaps")).to_contain_text("is 1 behind")
        expect(ada.see("to-beat")).to_have_count(0)

        # A player who stops leaves a flag, which stays when others pass it.
        grace.give_up()
        expect(ada.see("to-beat")).to_have_text(str(before + 2))
        expect(ada.see("gaps")).to_contain_text(f"{before + 2} to beat")
        expect_all_in_sight(ada, 8, 1)
        ada.bring_home(2)
        expect(progress(ada, "You")).to_have_attribute("data-place", "1")
        expect_all_in_sight(ada, 8, 1)
        expect(ada.see("to-beat")).to_have_text(str(before + 2))
        assert left(chip(ada, "You")) > left(ada.see("to-beat"))
        # A rival who has stopped ahead is not mentioned any more.
        expect(ada.see("gaps")).to_contain_text("Grace Brewster Hop is 1 behind")
        expect(ada.see("gaps")).not_to_contain_text("to beat")


def test_runners_without_a_move_are_level(ada: Player, grace: Friend) -> None:
    """One card of FreeCell's deal 617 is dealt in order, which the room does not report."""
    with ada.without_page() as host:
        link = host.open_room("freecell", known="617")
    ada.page.goto(link)
    grace.join(link)
    start_round(ada)
    for name in ("own-progress", "runner-progress"):
        expect(ada.see(name)).to_have_attribute("data-headway", "1")
    # Only the legend.
    expect(ada.see("gaps")).to_have_text("+ cards in order")
