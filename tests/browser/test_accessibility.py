"""Every screen, light and dark, conforms to WCAG 2.2 AA as far as axe can check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.screens import STATIC_SCREENS, named, room_screens, watch_screens
from tests.processes import ROOT

AXE = ROOT / "client_js/node_modules/axe-core/axe.min.js"

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

SCREENS = [
    *(path for path in STATIC_SCREENS.values() if not path.startswith("/rules/")),
    # One for all games, whose rules differ only in their text.
    "/rules/deuces",
    "/practice/roosevelt",
    "/practice/robert",
]

NARROW: dict[str, Any] = {**PHONE, "viewport": {"width": 360, "height": 740}}

FIND_MISFITS = """() => {
  const shown = element => {
    const {width, height} = element.getBoundingClientRect();
    return width > 0 && height > 0 && !element.closest('.sr-only, .skip, .controls');
  };
  const all = selector => [...document.querySelectorAll(selector)].filter(shown);
  const words = element => (element.innerText || element.outerHTML).slice(0, 60);
  const past = all('main *').filter(element => {
    const {left, right} = element.getBoundingClientRect();
    // Tables scroll by themselves; the cards of the home screen, and the end of a track's
    // line of runners, are cut off on purpose.
    return (left < -1 || right > WIDTH + 1) && !element.closest('.wide, .hero, .board, .track ol');
  });
  const boxes = '[type=radio], [type=checkbox]';
  const small = all(`button, a, select, input:not(${boxes}), label:has(${boxes}), summary`)
    .filter(element => {
      const {width, height} = element.getBoundingClientRect();
      return width < 43.5 || height < 43.5;
    });
  return [
    ...(innerWidth > WIDTH ? [`the window scrolls sideways: ${innerWidth}`] : []),
    ...past.map(element => `past the edge: ${words(element)}`),
    ...small.map(element => `too small to tap: ${words(element)}`),
  ];
}""".replace("WIDTH", str(NARROW["viewport"]["width"]))
"""Returns the elements that overflow the window, and the targets smaller than 44 pixels."""

READING_MODES = {
    "plain": "",
    "twice the text": "document.documentElement.style.fontSize = '200%'",
    "from right to left": "document.documentElement.dir = 'rtl'",
}


@pytest.fixture(params=["light", "dark"])
def player(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Player]:
    scheme: Literal["light", "dark"] = request.param
    device: dict[str, Any] = PHONE if scheme == "dark" else DESKTOP
    player = Player(browser, site.url, {**device, "color_scheme": scheme})
    yield player
    player.close()


def violations(player: Player) -> list[str]:
    """Return the violations that axe finds on the page: the rule, and where it is violated."""
    player.page.evaluate(AXE.read_text())
    found: dict[str, Any] = player.page.evaluate(
        "tags => axe.run({runOnly: {type: 'tag', values: tags}})", TAGS
    )
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def test_no_screen_violates_a_rule(player: Player) -> None:
    found: dict[str, list[str]] = {}
    for path in SCREENS:
        player.go(path)
        player.page.get_by_role("heading", level=1).first.wait_for()
        player.page.wait_for_load_state("networkidle")
        if problems := violations(player):
            found[path] = problems
    assert found == {}


@pytest.mark.parametrize("mode", READING_MODES)
def test_every_screen_fits_a_narrow_phone_and_has_large_enough_targets(
    mode: str, browser: Browser, site: Site
) -> None:
    narrow = Player(browser, site.url, NARROW)
    script = f"addEventListener('DOMContentLoaded', () => {{ {READING_MODES[mode]} }})"
    narrow.page.add_init_script(script)
    found: dict[str, list[str]] = {}
    for path in SCREENS:
        narrow.go(path)
        narrow.page.get_by_role("heading", level=1).first.wait_for()
        narrow.page.wait_for_load_state("networkidle")
        if problems := narrow.page.evaluate(FIND_MISFITS):
            found[path] = problems
    assert found == {}
    friends = [Player(browser, site.url, PHONE) for _ in range(2)]
    for each, name in zip((narrow, *friends), ("Ada", "Grace", "Barbara"), strict=True):
        named(each, name)
    for screen, shown in room_screens(narrow, *friends):
        if problems := shown.page.evaluate(FIND_MISFITS) if shown is narrow else []:
            found[screen] = problems
    watcher = named(Player(browser, site.url, PHONE), "Emmy")
    for screen, shown in watch_screens(narrow, friends[0], friends[1], watcher):
        if problems := shown.page.evaluate(FIND_MISFITS) if shown is narrow else []:
            found[screen] = problems
    for each in (narrow, *friends, watcher):
        each.close()
    assert found == {}


def test_no_step_of_a_race_violates_a_rule(player: Player) -> None:
    player.open_room("robert", seats=1)
    found = {"the room": violations(player)}
    player.press("start-round")
    player.see("countdown").wait_for()
    found["the countdown"] = violations(player)
    player.wait_for_board()
    player.tap("s")
    found["the table"] = violations(player)
    player.page.get_by_role("link", name="Back to the start").click()
    player.see("return-to-game").wait_for()
    found["the way back"] = violations(player)
    player.press("return-to-game")
    player.wait_for_board()
    second = player.context.new_page()
    second.goto(player.page.url)
    second.get_by_test_id("take-over").click()
    player.see("take-over").wait_for()
    found["what is played elsewhere"] = violations(player)
    player.press("take-over")
    player.press("give-up")
    found["giving up"] = violations(player)
    player.press("give-up-confirm")
    player.see("results").wait_for()
    found["the result"] = violations(player)
    assert {step: problems for step, problems in found.items() if problems} == {}


def test_no_step_between_rounds_violates_a_rule(
    player: Player, browser: Browser, site: Site
) -> None:
    friends = [Player(browser, site.url, PHONE) for _ in range(2)]
    for each, name in zip((player, *friends), ("Ada", "Grace", "Barbara"), strict=True):
        named(each, name)
    found = {screen: violations(shown) for screen, shown in room_screens(player, *friends)}
    for friend in friends:
        friend.close()
    assert {step: problems for step, problems in found.items() if problems} == {}


def test_no_step_of_watching_violates_a_rule(player: Player, browser: Browser, site: Site) -> None:
    others = [Player(browser, site.url, PHONE) for _ in range(3)]
    for each, name in zip((player, *others), ("Ada", "Grace", "Barbara", "Emmy"), strict=True):
        named(each, name)
    found = {screen: violations(shown) for screen, shown in watch_screens(player, *others)}
    for other in others:
        other.close()
    assert {step: problems for step, problems in found.items() if problems} == {}
