"""A race of two players goes on through a rolling restart."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.rolling import race_through_restarts


def test_a_race_continues_while_every_node_restarts(browser: Browser) -> None:
    # The restarts reach each of the two players' nodes at least once.
    assert len(race_through_restarts(browser)) >= 2
