"""All nodes are restarted, one after the other, and two players race on."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.rolling import restart_in_a_race


def test_a_race_goes_on_while_every_node_is_restarted(browser: Browser) -> None:
    # Each of both has lost the node that it was on, at least once.
    assert len(restart_in_a_race(browser)) >= 2
