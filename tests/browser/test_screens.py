"""Every screen, photographed; those that look the same every day are compared with how they did."""

from __future__ import annotations

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.pictures import differences, small
from tests.browser.screens import COMPARED, REFERENCES, device, picture, screens
from tests.processes import ROOT

SHOTS = ROOT / "build/screens"
"""Where the pictures are left to be looked at."""


@pytest.mark.parametrize("size", COMPARED)
def test_the_screens_look_as_they_did(size: str, browser: Browser, site: Site) -> None:
    folder = SHOTS / size
    folder.mkdir(parents=True, exist_ok=True)
    differing: dict[str, list[tuple[int, int]]] = {}
    seen = set()
    # A phone's walk leads everywhere; one is enough.
    alone = size != next(iter(COMPARED))
    for name, player in screens(browser, site.url, device(size), alone=alone):
        player.page.screenshot(path=folder / f"{name}.png")
        seen.add(name)
        if name not in COMPARED[size]:
            continue
        with Image.open(REFERENCES / f"{size}-{name}.png") as reference:
            if found := differences(small(picture(player)), reference):
                differing[name] = found
    assert seen >= set(COMPARED[size])
    assert differing == {}, (
        f"if they are to look so: python -m tests.browser.screens {SHOTS} --keep"
    )
