"""Pages and the health check over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import re
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.base.web.pages import OPERATORS, SCREENS
from tests.conftest import ALONE, node
from tests.processes import PATIENCE, ROOT

pytestmark = ALONE

INDEX = "<!doctype html><title>Samedeal</title>"
WORDS = {
    language: f'<link href="/{language}.js" data-language="{language}">'
    for language in ("en", "de")
}
NEW_HTML = (
    f'<html lang="en">{"".join(WORDS.values())}'
    "<!-- preview --><!-- /preview --><link href=/assets/new-1234.js>"
)
STYLE = "body { margin: 0 }\n" * 100
GZIPPED = gzip.compress(STYLE.encode())
BROTLI = b"as compressed by the build"


ADMIN_OR_NONE = ("/admin", "/nothing")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "page" / "assets").mkdir(parents=True)
    (tmp_path / "page" / "index.html").write_text(INDEX)
    (tmp_path / "page" / "screens").mkdir()
    (tmp_path / "page" / "screens" / "new.html").write_text(NEW_HTML)
    (tmp_path / "page" / "sw.js").write_text("2")
    (tmp_path / "page" / "assets" / "index-1234.js").write_text("1")
    (tmp_path / "page" / "assets" / "index-1234.css").write_text(STYLE)
    (tmp_path / "page" / "assets" / "index-1234.css.gz").write_bytes(GZIPPED)
    (tmp_path / "page" / "assets" / "index-1234.css.br").write_bytes(BROTLI)
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path / "page"


async def ask(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, bytes]:
    """Send a request from a thread; return the response and its body."""

    def asked() -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    return await asyncio.to_thread(asked)


async def get(port: int, path: str, **headers: str) -> tuple[HTTPResponse, str]:
    """Get a page, and return the response and its text."""
    response, body = await ask(port, path, **headers)
    return response, body.decode()


def test_the_server_and_the_page_list_the_same_screens() -> None:
    """The page has one list of their first segments, which the service worker uses as well."""
    text = (ROOT / "client_js/web/src/kit/segments.ts").read_text()
    found = re.search(r"SEGMENTS = \[(.*?)\].*OPERATORS = (.*?);", text, re.DOTALL)
    assert found is not None
    listed, operators = found.groups()
    assert set(re.findall(r'"([a-z]*)"', listed)) == SCREENS
    assert operators == f'"{OPERATORS}"'


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/r/H7KQ2M4X",
        "/daily/robert",
        "/leaderboard/x?day=1",
        "/practice/robert",
        "/settings",
        "/account",
    ],
)
async def test_every_path_of_a_screen_serves_the_page(
    redis_url: str, page: Path, path: str
) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, path)
    assert (response.status, body) == (200, INDEX)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["Server"] is None


async def test_the_operators_screen_exists_only_with_operators(
    redis_url: str, page: Path, tmp_path: Path
) -> None:
    (tmp_path / "operators").write_text("")
    async with node(redis_url, page=page) as port:
        none = [(each.status, body) for each, body in [await get(port, at) for at in ADMIN_OR_NONE]]
    assert none[0] == none[1]
    assert none[0][0] == 404
    async with node(redis_url, page=page, operators=tmp_path / "operators") as port:
        response, body = await get(port, "/admin")
    assert (response.status, body) == (200, INDEX)


@pytest.mark.parametrize("path", ["/new", "/new/", "/new?from=home"])
async def test_a_screen_may_have_its_own_html_file(redis_url: str, page: Path, path: str) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, path)
    assert (response.status, body.rpartition("<link")[2]) == (200, " href=/assets/new-1234.js>")
    assert response.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en;q=0.5, de;q=0.7", "de"),
        ("it, en", "en"),
        ("DE", "de"),
        ("de;q=0, it", "en"),
        ("*", "en"),
        ("", "en"),
        ("de;q=..;q=1.2.3,=;,", "en"),
    ],
)
async def test_a_screen_preloads_only_the_readers_language(
    redis_url: str, page: Path, accepted: str, language: str
) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, "/new", **{"Accept-Language": accepted})
    assert [each for each, link in WORDS.items() if link in body] == [language]
    assert f'<html lang="{language}">' in body
    assert response.headers["Vary"] == "Accept-Language"


async def test_the_service_worker_is_revalidated(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, "/sw.js")
    assert (response.status, body) == (200, "2")
    assert response.headers["Cache-Control"] == "no-cache"
    assert "javascript" in response.headers["Content-Type"]


async def test_a_page_in_the_browsers_cache_is_not_sent_again(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        response, _ = await get(port, "/")
        again, body = await get(port, "/", **{"If-None-Match": response.headers["ETag"]})
        weakened = f'"other", W/{response.headers["ETag"]}'
        through_proxy, _ = await get(port, "/", **{"If-None-Match": weakened})
    assert (again.status, body) == (304, "")
    assert again.headers["ETag"] == response.headers["ETag"]
    assert through_proxy.status == 304


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("br, gzip;q=0.8", "br"),
        ("gzip;q=0.8, br", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP", "gzip"),
        ("gzip;q=0, br;q=0.0", None),
        ("identity", None),
        ("", None),
    ],
)
async def test_a_file_is_served_in_the_best_encoding_accepted(
    redis_url: str, page: Path, accepted: str, coding: str | None
) -> None:
    path = "/assets/index-1234.css"
    async with node(redis_url, page=page) as port:
        response, body = await ask(port, path, **{"Accept-Encoding": accepted})
        known = {"Accept-Encoding": accepted, "If-None-Match": response.headers["ETag"]}
        again, nothing = await ask(port, path, **known)
    assert body == {"br": BROTLI, "gzip": GZIPPED, None: STYLE.encode()}[coding]
    assert response.headers["Content-Encoding"] == coding
    assert response.headers["Vary"] == "Accept-Encoding"
    assert "css" in response.headers["Content-Type"]
    assert (again.status, nothing) == (304, b"")


async def test_each_encoding_has_its_own_etag(redis_url: str, page: Path) -> None:
    tags = set()
    async with node(redis_url, page=page) as port:
        for accepted in ("br", "gzip", "identity"):
            response, _ = await ask(port, "/assets/index-1234.css", **{"Accept-Encoding": accepted})
            tags.add(response.headers["ETag"])
        encoded, _ = await ask(port, "/assets/index-1234.css.br")
    assert len(tags) == 3
    assert encoded.status == 404


async def test_an_uncompressed_file_is_served_unchanged(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await ask(port, "/assets/index-1234.js", **{"Accept-Encoding": "gzip"})
    assert (body, response.headers["Content-Encoding"]) == (b"1", None)
    assert response.headers["Vary"] is None


async def test_an_unknown_path_serves_browsers_the_page_with_404(
    redis_url: str, page: Path
) -> None:
    async with node(redis_url, page=page) as port:
        for_people, body = await get(port, "/nothing/here", Accept="text/html,*/*;q=0.8")
        for_programs, text = await get(port, "/nothing/here", Accept="*/*")
    assert (for_people.status, body) == (404, INDEX)
    assert for_people.headers["Content-Type"] == "text/html; charset=utf-8"
    assert for_people.headers["Cache-Control"] == "no-store"
    assert (for_programs.status, text) == (404, "There is no such page.\n")


async def test_a_head_request_is_answered_without_a_body(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        whole, _ = await ask(port, "/")
        head, body = await ask(port, "/", "HEAD")
    assert (head.status, body) == (200, b"")
    for name in ("Content-Length", "ETag", "Content-Type", "Content-Security-Policy"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize("path", ["/", "/health", "/socket", "/nothing"])
async def test_other_methods_are_not_allowed(port: int, path: str) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        response, _ = await ask(port, path, method)
        assert response.status == 405, method
        assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD"}


async def test_a_connection_is_kept_alive(port: int) -> None:
    def asked() -> list[int]:
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        statuses, ports = [], set()
        for path in ("/health", "/", "/nothing", "/health"):
            connection.request("GET", path)
            ports.add(connection.sock.getsockname()[1])
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
        connection.close()
        assert len(ports) == 1
        return statuses

    assert (await asyncio.to_thread(asked))[::3] == [200, 200]


async def test_files_with_a_digest_in_their_names_are_immutable(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, "/assets/index-1234.js")
    assert body == "1"
    assert "immutable" in response.headers["Cache-Control"]
    assert "javascript" in response.headers["Content-Type"]


@pytest.mark.parametrize(
    "path", ["/nothing", "/../secret.txt", "/assets/../../secret.txt", "/assets/%2e%2e/secret.txt"]
)
async def test_files_outside_the_page_are_not_served(redis_url: str, page: Path, path: str) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, path)
    assert response.status == 404
    assert "secret" not in body


async def test_an_unbuilt_page_is_reported_as_missing(redis_url: str, tmp_path: Path) -> None:
    async with node(redis_url, page=tmp_path / "nowhere") as port:
        response, body = await get(port, "/")
    assert (response.status, body) == (404, "The page has not been built.\n")


async def test_a_plain_request_for_the_socket_is_refused(port: int) -> None:
    response, _ = await get(port, "/socket")
    assert (response.status, response.headers["Upgrade"]) == (426, "websocket")


@pytest.mark.parametrize("path", ["/", "/health", "/nothing", "/socket/"])
async def test_an_upgrade_on_another_path_is_refused(port: int, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://127.0.0.1:{port}{path}")
    assert refused.value.response.status_code == 404
