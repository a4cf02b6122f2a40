"""A site below a path of its host, behind proxies that strip the path and proxies that keep it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.base.web.test_pages import ask, get
from tests.conftest import ALONE, node
from tests.wire import Wire

pytestmark = ALONE

ROOT = "/games/samedeal"
PUBLIC = f"https://example.org{ROOT}"
HOST = {"Host": "example.org"}
HTML = (
    '<!doctype html><html lang="en"><link rel="icon" href="/favicon.svg">'
    '<!-- preview --><!-- /preview --><script src="/assets/index-1234.js"></script>'
)
ADDRESSES = re.compile(r'(?:href|src)="([^"]*)"')

STRIPPED, KEPT = "", ROOT
"""Prefixes of the paths on arrival."""


def integrity(body: str) -> str:
    return f"sha256-{b64encode(sha256(body.encode()).digest()).decode()}"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    for name, content in {
        "index.html": HTML,
        "screens/home.html": HTML + "home",
        "assets/index-1234.js": 'import("./other.js")',
        "favicon.svg": "<svg/>",
        "preview.png": "",
        "sw.js": json.dumps({"path": "screens/home.html", "integrity": integrity(HTML + "home")}),
        "sw.js.br": "as the build has compressed it",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.fixture
async def port(redis_url: str, page: Path) -> AsyncIterator[int]:
    async with node(redis_url, page=page, public_url=f"{PUBLIC}/") as port:
        yield port


@pytest.mark.parametrize("before", [STRIPPED, KEPT])
async def test_all_links_of_the_page_are_below_the_root(port: int, before: str) -> None:
    for path in ("/", "/daily/robert", "/nowhere", "/index.html", "/screens/home.html"):
        response, html = await get(port, before + path, Accept="text/html", **HOST)
        assert response.status == (404 if path == "/nowhere" else 200), path
        files = [each for each in ADDRESSES.findall(html) if not each.startswith(f"{PUBLIC}/")]
        assert sorted(files) == [f"{ROOT}/assets/index-1234.js", f"{ROOT}/favicon.svg"], path
        for each in files:
            assert (await get(port, before + each.removeprefix(ROOT), **HOST))[0].status == 200


@pytest.mark.parametrize("before", [STRIPPED, KEPT])
async def test_other_files_are_served_below_the_root_with_their_headers(
    port: int, before: str
) -> None:
    response, script = await get(port, f"{before}/assets/index-1234.js", **HOST)
    assert script == 'import("./other.js")'
    assert "immutable" in response.headers["Cache-Control"]
    assert response.headers["Content-Security-Policy"] is None
    response, _ = await get(port, f"{before}/api/games", **HOST)
    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (200, "*")
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    _, document = await get(port, f"{before}/api/openapi.json", **HOST)
    assert json.loads(document)["servers"] == [{"url": "../api"}]
    for check in ("/health/live", "/health/ready"):
        assert (await get(port, before + check, Host="10.0.0.7"))[1] == "ok\n"
    assert (await get(port, f"{before}/socket", **HOST))[0].status == 426
    assert (await get(port, f"{before}/api/nothing", **HOST))[0].status == 404


@pytest.mark.parametrize("before", [STRIPPED, KEPT])
async def test_sockets_open_below_the_root_from_the_site_s_own_origin(
    port: int, before: str
) -> None:
    where: dict[str, Any] = {"host": "127.0.0.1", "port": port, "origin": "https://example.org"}
    url = f"ws://example.org{before}/socket"
    async with connect(url, **where) as socket:
        await socket.send(Wire().pack({"type": "ping", "id": 1}))
    for at, origin, status in ((f"{url}/more", "https://example.org", 404), (url, PUBLIC, 403)):
        with pytest.raises(InvalidStatus) as refused:
            await connect(at, **where | {"origin": origin})
        assert refused.value.response.status_code == status


async def test_previews_are_served_for_the_address_that_players_share(port: int) -> None:
    _, html = await get(port, f"{ROOT}/daily/robert", **HOST)
    assert f'<meta property="og:url" content="{PUBLIC}/daily/robert" />' in html
    _, html = await get(port, f"{ROOT}/", **HOST)
    assert f'<meta property="og:image" content="{PUBLIC}/preview.png" />' in html


async def test_the_root_is_redirected_to_itself_with_a_slash(port: int) -> None:
    for query in ("", "?from=a&b=/"):
        response, _ = await get(port, ROOT + query, **HOST)
        assert (response.status, response.headers["Location"]) == (308, f"{ROOT}/{query}")
        assert response.headers["Cache-Control"] == "no-store"
        assert "default-src" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("coding", ["identity", "br, gzip"])
async def test_the_service_worker_caches_the_files_below_the_root(port: int, coding: str) -> None:
    response, body = await ask(port, "/sw.js", **HOST, **{"Accept-Encoding": coding})
    if coding != "identity":
        # The build's compressed file is for another root.
        assert response.headers["Content-Encoding"] == "gzip"
        _, body = await ask(port, "/sw.js", **HOST)
    _, html = await get(port, "/screens/home.html", **HOST)
    assert json.loads(body)["integrity"] == integrity(html)


async def test_paths_that_only_resemble_the_root_are_not_served(port: int) -> None:
    for path in (f"{ROOT}x/", "/games/", "/games/daily", f"{ROOT}{ROOT}/"):
        assert (await get(port, path, **HOST))[0].status == 404, path


@pytest.mark.parametrize(
    "root", ["/daily", "/r/x", "/api", "/health/x", "/socket", "/assets", "/sw.js", "/screens/a"]
)
async def test_a_root_that_could_be_a_path_of_the_page_is_refused(
    redis_url: str, page: Path, root: str
) -> None:
    with pytest.raises(ValueError, match=f"cannot begin with /{root.split('/')[1]},"):
        async with node(redis_url, page=page, public_url=f"https://example.org{root}"):
            pytest.fail("the node has started")


async def test_without_a_root_files_are_served_as_built(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        assert (await get(port, "/screens/home.html"))[1] == HTML + "home"
        response, body = await ask(port, "/sw.js", **{"Accept-Encoding": "br"})
        assert response.headers["Content-Encoding"] == "br"
        assert body == (page / "sw.js.br").read_bytes()
        assert (await get(port, ROOT))[0].status == 404
