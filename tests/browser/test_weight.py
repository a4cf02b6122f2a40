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
"""The heaviest screens that links open."""


@pytest.mark.parametrize("path", [*SCREENS, *TABLES])
def test_a_first_visit_is_light_and_moves_nothing_after_the_first_paint(
    browser: Browser, site: Site, path: str
) -> None:
    cost = visit(browser, site.url + path)
    assert cost.shift == 0
    assert 20_000 < cost.shown < MOST


@pytest.mark.parametrize("path", SCREENS)
def test_a_first_visit_without_tls_is_light(browser: Browser, site: Site, path: str) -> None:
    # Browsers accept only gzip then.
    cost = visit(browser, site.url + path, ["gzip"], slow=False)
    assert 20_000 < cost.shown < MOST
