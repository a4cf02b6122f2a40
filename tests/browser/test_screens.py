"""Checks of every screen: overflow, axe's findings, and differences from its reference."""

from __future__ import annotations

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.checks import problems
from tests.browser.conftest import Site
from tests.browser.pictures import differences, small
from tests.browser.player import Player
from tests.browser.screens import COMPARED, PARTS, REFERENCES, Cast, comparable_screenshot, device
from tests.browser.wordy import LOCALE, show_longest_texts
from tests.processes import ROOT

pytestmark = pytest.mark.fonts

SHOTS = ROOT / "build/screens"
"""Folder for screenshots of failed screens."""

PHONE = next(iter(COMPARED))

ACCEPT = f"accept the new look by: python -m tests.browser.screens {SHOTS} --keep"


def leave_screenshot(player: Player, folder: str, name: str) -> None:
    player.page.screenshot(path=SHOTS / folder / f"{name}.png")


@pytest.mark.parametrize("part", PARTS)
def test_every_screen_is_readable_and_usable_on_a_phone(
    part: str, site: Site, browser: Browser
) -> None:
    cast = Cast(browser, site.url, {**device(PHONE), "locale": LOCALE}, show_longest_texts)
    found: dict[str, list[str]] = {}
    for name, player in PARTS[part](cast):
        if wrong := problems(player):
            found[name] = wrong
            leave_screenshot(player, LOCALE, name)
    assert found == {}
    cast.leave()


@pytest.mark.whole_browser
@pytest.mark.parametrize(
    ("size", "part"), [(size, part) for size, parts in COMPARED.items() for part in parts]
)
def test_screens_look_right(size: str, part: str, whole_browser: Browser, site: Site) -> None:
    compared = set(COMPARED[size][part])
    differing: list[str] = []
    cast = Cast(whole_browser, site.url, device(size))
    for name, player in PARTS[part](cast):
        if name not in compared:
            continue
        compared.remove(name)
        with Image.open(REFERENCES / f"{size}-{name}.png") as reference:
            if differences(small(comparable_screenshot(player)), reference):
                differing.append(name)
                leave_screenshot(player, size, name)
        if not compared:
            break
    cast.leave()
    assert not compared, "these screens were not visited"
    assert differing == [], ACCEPT
