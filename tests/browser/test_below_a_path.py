"""Two sites below two paths of one origin, behind a proxy that strips the path."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.player import OFFLINE_PHONE, Player
from tests.processes import ROOT, free_port, program, running

pytestmark = pytest.mark.proxy

KEPT, TAKEN_AWAY = "/games/samedeal", "/cards"

BESIDE = """
	redir /cards /cards/
	handle_path /cards/* {
		reverse_proxy localhost:8001
	}
	handle {
		respond "another site"
	}
"""
"""Routes that the proxy serves in addition to the documented ones."""


def documented() -> str:
    """Return Caddy's configuration from the document, with a second site."""
    text = (ROOT / "deploy/proxies/README.md").read_text()
    found = re.search(r"```caddy\n(.*?)}\n```", text, re.DOTALL)
    assert found is not None
    return f"{found[1]}{BESIDE}}}\n"


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("below")
    port = free_port()
    origin = f"http://localhost:{port}"
    nodes = {"localhost:8000": KEPT, "localhost:8001": TAKEN_AWAY}
    config = documented().replace("example.org", origin)
    with ExitStack() as stack:
        for name, path in nodes.items():
            own = free_port()
            config = config.replace(name, f"127.0.0.1:{own}")
            command = [sys.executable, "-m", "server", "serve", "--port", str(own)]
            data = ["--data", str(home / path.strip("/")), "--log-format", "json"]
            public = ["--public-url", f"{origin}{path}/", "--trusted-proxies", "127.0.0.1"]
            node = stack.enter_context(running([*command, *data, *public], forked=True))
            node.wait_for('"listening"')
        file = home / "Caddyfile"
        file.write_text("{\n\tadmin off\n}\n" + config)
        env = os.environ | {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
        command = [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(file)]
        stack.enter_context(running(command, env)).wait_for("serving initial configuration")
        yield origin


@pytest.fixture
def player(browser: Browser, origin: str) -> Iterator[Player]:
    player = Player(browser, origin, OFFLINE_PHONE)
    strays: list[str] = []

    def note(url: str) -> None:
        path = url.removeprefix(origin).removeprefix(origin.replace("http", "ws"))
        if (
            path.startswith("/")
            and path not in {KEPT, TAKEN_AWAY}
            and not path.startswith((f"{KEPT}/", f"{TAKEN_AWAY}/"))
        ):
            strays.append(url)

    player.context.on("request", lambda request: note(request.url))
    player.page.on("websocket", lambda socket: note(socket.url))
    yield player
    player.close()
    assert strays == []


def test_the_game_is_played_below_the_path(player: Player, origin: str) -> None:
    root = TAKEN_AWAY
    player.go(f"{root}/rules/robert")
    player.press("practise")
    expect(player.page).to_have_url(f"{origin}{root}/practice/robert")
    player.wait_for_board()
    player.tap("s")
    player.wait_for_moves(1)

    # By the socket; and again where the page was opened.
    player.go(f"{root}/daily/robert")
    player.press("play-daily")
    player.wait_for_board()
    player.tap("s")
    player.wait_for_moves(1)
    player.page.reload()
    player.wait_for_board()
    player.wait_for_moves(1)

    player.go(f"{root}/new")
    player.choose_game("robert")
    player.press("create-room")
    link = player.see("invite-link").input_value()
    assert re.fullmatch(rf"{re.escape(origin + root)}/r/\w{{8}}", link)
    player.page.locator("header .brand").click()
    expect(player.page).to_have_url(f"{origin}{root}/")
    # By HTTP.
    player.go(f"{root}/archive")
    expect(player.page.get_by_role("heading", level=1)).to_be_visible()


def test_each_site_keeps_its_own_data_and_opens_offline(player: Player, origin: str) -> None:
    for root in (KEPT, TAKEN_AWAY):
        player.go(root)
        expect(player.page).to_have_url(f"{origin}{root}/")
        expect(player.see("daily-robert")).to_be_visible()
        scope = player.page.evaluate("navigator.serviceWorker.ready.then(each => each.scope)")
        assert scope == f"{origin}{root}/"
        player.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    caches: list[str] = player.page.evaluate("caches.keys()")
    assert sorted(re.sub("[0-9a-f]{16}", "", each) for each in caches) == [
        f"samedeal-{TAKEN_AWAY}",
        f"samedeal-{KEPT}",
    ]
    tokens = player.page.evaluate("Object.entries(localStorage).filter(([k]) => /token$/.test(k))")
    (one, first), (other, second) = sorted(tokens)
    assert (one, other) == (f"{TAKEN_AWAY}:samedeal.token", f"{KEPT}:samedeal.token")
    assert first != second

    player.context.set_offline(True)
    for root in (KEPT, TAKEN_AWAY):
        player.go(f"{root}/practice/robert")
        player.wait_for_board()
        player.go(f"{root}/leaderboard/robert")
        offline = player.see("offline")
        expect(offline.locator(f'a[href="{root}/practice/robert"]')).to_be_visible()
    player.context.set_offline(False)


def test_the_installed_page_starts_below_the_path(player: Player, origin: str) -> None:
    player.go(f"{KEPT}/settings")
    session = player.context.new_cdp_session(player.page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"] == f"{origin}{KEPT}/manifest.webmanifest"
    assert manifest["manifest"]["startUrl"] == manifest["manifest"]["scope"] == f"{origin}{KEPT}/"


def test_the_origin_serves_another_page(player: Player, origin: str) -> None:
    response = player.context.request.get(f"{origin}/")
    assert response.text() == "another site"
