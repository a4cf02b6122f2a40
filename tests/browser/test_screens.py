"""Screenshots of every screen; those that look the same every day are compared with references."""

from __future__ import annotations

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.pictures import differences, small
from tests.browser.screens import COMPARED, REFERENCES, comparable_screenshot, device, screens
from tests.processes import ROOT

SHOTS = ROOT / "build/screens"
"""Where the screenshots are written."""


@pytest.mark.parametrize("size", COMPARED)
def test_the_screens_look_like_their_references(size: str, browser: Browser, site: Site) -> None:
    folder = SHOTS / size
    folder.mkdir(parents=True, exist_ok=True)
    differing: dict[str, list[tuple[int, int]]] = {}
    seen = set()
    # Races and dailies are visited at one size only, to save time.
    alone = size != next(iter(COMPARED))
    for name, player in screens(browser, site.url, device(size), alone=alone):
        player.page.screenshot(path=folder / f"{name}.png")
        seen.add(name)
        if name not in COMPARED[size]:
            continue
        with Image.open(REFERENCES / f"{size}-{name}.png") as reference:
            if found := differences(small(comparable_screenshot(player)), reference):
                differing[name] = found
    assert seen >= set(COMPARED[size])
    assert differing == {}, (
        f"to accept the new look: python -m tests.browser.screens {SHOTS} --keep"
    )
