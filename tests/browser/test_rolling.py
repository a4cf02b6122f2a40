"""A race of two players goes on through a rolling restart."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.rolling import race_through_restarts


def test_a_race_goes_on_while_every_node_is_restarted(browser: Browser) -> None:
    # Each of the two players was on a node that was restarted, at least once.
    assert len(race_through_restarts(browser)) >= 2
