"""What a first visit may cost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.weight import visit

MOST = 100 * 1024
"""Bytes until a page is shown."""


@pytest.mark.parametrize("path", ["/", "/daily/robert", "/r/ZZZZZ", "/practice/roosevelt"])
@pytest.mark.parametrize("coding", ["br", "gzip"])
def test_a_first_visit_is_light(browser: Browser, site: Site, path: str, coding: str) -> None:
    cost = visit(browser, site.url + path, [coding], slow=False)
    assert 20_000 < cost.shown < MOST
