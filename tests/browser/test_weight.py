"""Limits of the cost of a first visit."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.weight import visit

MOST = 100 * 1024
"""Bytes until a page is shown."""


SCREENS = ["/", "/daily/robert"]
TABLES = ["/r/ZZZZZZZZ", "/practice/roosevelt"]


@pytest.mark.parametrize(
    ("path", "coding"),
    # Rooms and tables opened by a link are the heaviest. Without TLS, browsers accept only gzip.
    [
        *((path, coding) for path in SCREENS for coding in ("br", "gzip")),
        *((path, "br") for path in TABLES),
    ],
)
def test_a_first_visit_is_light(browser: Browser, site: Site, path: str, coding: str) -> None:
    cost = visit(browser, site.url + path, [coding], slow=False)
    assert 20_000 < cost.shown < MOST


@pytest.mark.parametrize("path", [*SCREENS, *TABLES])
def test_nothing_moves_after_the_first_paint(browser: Browser, site: Site, path: str) -> None:
    assert visit(browser, site.url + path).shift == 0
