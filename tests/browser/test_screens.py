"""Every screen, looked at: what overflows, what axe finds, and what differs from its reference."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.checks import NARROW, misfits, problems
from tests.browser.conftest import Site
from tests.browser.pictures import differences, small
from tests.browser.player import Player
from tests.browser.screens import (
    COMPARED,
    PARTS,
    REFERENCES,
    Cast,
    comparable_screenshot,
    device,
)
from tests.browser.wordy import LOCALE, show_longest_texts
from tests.processes import ROOT

pytestmark = [pytest.mark.whole_browser, pytest.mark.fonts]

SHOTS = ROOT / "build/screens"
"""Where screenshots of the screens are written that something is wrong with."""

PHONE, DESKTOP = COMPARED

ACCEPT = f"accept the new look by: python -m tests.browser.screens {SHOTS} --keep"


def looked_at(
    browser: Browser, site: Site, size: str, part: str
) -> Iterator[tuple[str, Player, bool]]:
    """Visit a part's screens at a size, and leave a screenshot of each that differs.

    Yields:
        The name of a screen, who sees it, and whether it differs from its reference if it has one.
    """
    compared = set(COMPARED[size].get(part, ()))
    cast = Cast(browser, site.url, device(size))
    for name, player in PARTS[part](cast):
        differs = False
        if name in compared:
            compared.remove(name)
            with Image.open(REFERENCES / f"{size}-{name}.png") as reference:
                differs = bool(differences(small(comparable_screenshot(player)), reference))
        if differs:
            leave_screenshot(player, size, name)
        yield name, player, differs
    cast.leave()
    assert not compared, "these were not shown"


def leave_screenshot(player: Player, folder: str, name: str) -> None:
    """Write a screenshot of what a player sees to a folder of `SHOTS`."""
    player.page.screenshot(path=SHOTS / folder / f"{name}.png")


@pytest.mark.parametrize("part", PARTS)
def test_every_screen_is_readable_and_usable_on_a_phone_and_looks_right(
    part: str, site: Site, request: pytest.FixtureRequest
) -> None:
    # References are of a whole browser.
    browser = request.getfixturevalue("whole_browser" if part in COMPARED[PHONE] else "browser")
    differing: list[str] = []
    found: dict[str, list[str]] = {}
    for name, player, differs in looked_at(browser, site, PHONE, part):
        if differs:
            differing.append(name)
        if wrong := problems(player):
            found[name] = wrong
            leave_screenshot(player, PHONE, name)
    assert found == {}
    assert differing == [], ACCEPT


@pytest.mark.parametrize("part", PARTS)
def test_every_screen_fits_a_phone_in_every_language(
    part: str, site: Site, browser: Browser
) -> None:
    narrow = {**device(PHONE), "viewport": NARROW, "locale": LOCALE}
    cast = Cast(browser, site.url, narrow, show_longest_texts)
    found: dict[str, list[str]] = {}
    for name, player in PARTS[part](cast):
        if wrong := misfits(player):
            found[name] = wrong
            leave_screenshot(player, LOCALE, name)
    assert found == {}
    cast.leave()


@pytest.mark.parametrize("part", COMPARED[DESKTOP])
def test_screens_look_right_on_a_desktop(part: str, whole_browser: Browser, site: Site) -> None:
    looks = looked_at(whole_browser, site, DESKTOP, part)
    assert [name for name, _, differs in looks if differs] == [], ACCEPT
