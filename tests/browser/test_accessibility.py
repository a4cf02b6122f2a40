"""Every screen as axe sees it, light and dark: no finding of WCAG 2.2 AA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.screens import STILL
from tests.processes import ROOT

AXE = ROOT / "client_js/node_modules/axe-core/axe.min.js"

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

SCREENS = [
    *(path for path in STILL.values() if not path.startswith("/rules/")),
    # One for all: they differ in their words.
    "/rules/deuces",
    "/practice/roosevelt",
    "/practice/robert",
]

NARROW: dict[str, Any] = {**PHONE, "viewport": {"width": 360, "height": 740}}

HOW_IT_FITS = """() => {
  const shown = element => {
    const {width, height} = element.getBoundingClientRect();
    return width > 0 && height > 0 && !element.closest('.sr-only, .skip, .controls');
  };
  const all = selector => [...document.querySelectorAll(selector)].filter(shown);
  const words = element => (element.innerText || element.outerHTML).slice(0, 60);
  const past = all('main *').filter(element => {
    const {left, right} = element.getBoundingClientRect();
    // Tables scroll by themselves, and the cards of the home screen are cut off on purpose.
    return (left < -1 || right > WIDTH + 1) && !element.closest('.wide, .hero, .board');
  });
  const small = all('button, a, select, input:not([type=radio]), label:has([type=radio]), summary')
    .filter(element => {
      const {width, height} = element.getBoundingClientRect();
      return width < 43.5 || height < 43.5;
    });
  return [
    ...(innerWidth > WIDTH ? [`the window scrolls sideways: ${innerWidth}`] : []),
    ...past.map(element => `past the edge: ${words(element)}`),
    ...small.map(element => `too small to be hit: ${words(element)}`),
  ];
}""".replace("WIDTH", str(NARROW["viewport"]["width"]))
"""What runs past the edge of the window, and which targets are smaller than 44 pixels."""

READERS = {
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


def findings(player: Player) -> list[str]:
    """Return what axe finds on the page: the rule, and where it is broken."""
    player.page.evaluate(AXE.read_text())
    found: dict[str, Any] = player.page.evaluate(
        "tags => axe.run({runOnly: {type: 'tag', values: tags}})", TAGS
    )
    return [
        f"{finding['id']}: {node['target']} {node['failureSummary']}"
        for finding in found["violations"]
        for node in finding["nodes"]
    ]


def test_no_screen_has_a_finding(player: Player) -> None:
    found: dict[str, list[str]] = {}
    for path in SCREENS:
        player.go(path)
        player.page.get_by_role("heading", level=1).first.wait_for()
        player.page.wait_for_load_state("networkidle")
        if problems := findings(player):
            found[path] = problems
    assert found == {}


@pytest.mark.parametrize("reader", READERS)
def test_every_screen_fits_a_phone_and_its_targets_a_thumb(
    reader: str, browser: Browser, site: Site
) -> None:
    narrow = Player(browser, site.url, NARROW)
    script = f"addEventListener('DOMContentLoaded', () => {{ {READERS[reader]} }})"
    narrow.page.add_init_script(script)
    found: dict[str, list[str]] = {}
    for path in SCREENS:
        narrow.go(path)
        narrow.page.get_by_role("heading", level=1).first.wait_for()
        narrow.page.wait_for_load_state("networkidle")
        if problems := narrow.page.evaluate(HOW_IT_FITS):
            found[path] = problems
    narrow.open_room("robert")
    if problems := narrow.page.evaluate(HOW_IT_FITS):
        found["a room"] = problems
    narrow.close()
    assert found == {}


def test_no_step_of_a_race_has_a_finding(player: Player) -> None:
    player.open_room("robert", seats=1)
    found = {"the room": findings(player)}
    player.press("start-round")
    player.see("countdown").wait_for()
    found["the countdown"] = findings(player)
    player.wait_for_board()
    player.tap("s")
    found["the table"] = findings(player)
    player.press("give-up")
    found["giving up"] = findings(player)
    player.press("give-up-confirm")
    player.see("results").wait_for()
    found["the result"] = findings(player)
    assert {step: problems for step, problems in found.items() if problems} == {}
