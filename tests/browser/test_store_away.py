"""The page while the server runs and Redis is down."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.player import PHONE, Player
from tests.browser.steps import start_alone
from tests.processes import free_port, running
from tests.redis_servers import Server, running_server


@pytest.fixture
def redis() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture
def url(redis: Server) -> Iterator[str]:
    port = free_port()
    serve = [sys.executable, "-m", "server", "serve", "--port", str(port), "--redis", redis.url]
    with running([*serve, "--log-format", "json"], forked=True) as node:
        node.wait_for("listening")
        yield f"http://localhost:{port}"


def test_moves_are_kept_and_sent_when_redis_is_back(
    browser: Browser, url: str, redis: Server
) -> None:
    player = Player(browser, url, PHONE)
    start_alone(player)
    redis.kill()
    for moves in (1, 2):
        player.tap("s")
        player.wait_for_moves(moves)
    banner = player.see("status-banner")
    expect(banner).to_contain_text("save right now. Your moves are kept")
    redis.start()
    expect(banner).to_be_hidden()
    player.page.reload()
    player.wait_for_board()
    player.wait_for_moves(2)
    player.close()


def test_a_room_is_created_when_redis_is_back(browser: Browser, url: str, redis: Server) -> None:
    player = Player(browser, url)
    player.go("/")
    # Without a connection, the page says that a race needs one.
    expect(player.see("status-banner")).to_have_attribute("data-status", "open")
    redis.kill()
    player.press("race")
    expect(player.see("status-banner")).to_contain_text("Trying again")
    redis.start()
    expect(player.see("invite-link")).to_be_visible()
    player.close()
