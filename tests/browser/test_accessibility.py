"""Every screen as axe sees it, light and dark: no finding of WCAG 2.2 AA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, PHONE, Player
from tests.processes import ROOT

AXE = ROOT / "client_js/node_modules/axe-core/axe.min.js"

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

SCREENS = [
    "/",
    "/new",
    "/settings",
    "/daily",
    "/daily/robert",
    "/leaderboard/robert",
    "/practice/roosevelt",
    "/rules/deuces",
    "/r/ZZZZZ",
    "/nowhere",
]


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
