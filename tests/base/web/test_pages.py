"""Pages and the health check over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import AsyncIterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

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


@pytest.fixture
def page(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "page/index.html": INDEX,
        "page/screens/new.html": NEW_HTML,
        "page/sw.js": "2",
        "page/assets/index-1234.js": "1",
        "page/assets/index-1234.css": STYLE,
        "page/assets/index-1234.css.gz": GZIPPED,
        "page/assets/index-1234.css.br": BROTLI,
        "secret.txt": "secret",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path / "page"


@pytest.fixture
async def site(redis_url: str, page: Path) -> AsyncIterator[int]:
    async with node(redis_url, page=page) as port:
        yield port


def fetch(port: int, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    """Send a request on a connection of its own; return the response and its body."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response, response.read()


async def ask(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, bytes]:
    """Send a request from a thread; return the response and its body."""
    return await asyncio.to_thread(fetch, port, path, method, **headers)


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
    ["/", "/r/H7KQ2M4X", "/leaderboard/x?day=1", *map("/{}".format, sorted(SCREENS - {"", "new"}))],
)
async def test_every_path_of_a_screen_serves_the_page(site: int, path: str) -> None:
    response, body = await get(site, path)
    assert (response.status, body) == (200, INDEX)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["Server"] is None


async def test_the_operators_screen_exists_only_with_operators(
    redis_url: str, site: int, page: Path, tmp_path: Path
) -> None:
    (tmp_path / "operators").write_text("")
    admin, none = [await get(site, path) for path in ("/admin", "/nothing")]
    assert (admin[0].status, admin[1]) == (404, none[1])
    async with node(redis_url, page=page, operators=tmp_path / "operators") as port:
        response, body = await get(port, "/admin")
    assert (response.status, body) == (200, INDEX)


@pytest.mark.parametrize("path", ["/new", "/new/", "/new?from=home"])
async def test_a_screen_may_have_its_own_html_file(site: int, path: str) -> None:
    response, body = await get(site, path)
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
    site: int, accepted: str, language: str
) -> None:
    response, body = await get(site, "/new", **{"Accept-Language": accepted})
    assert [each for each, link in WORDS.items() if link in body] == [language]
    assert f'<html lang="{language}">' in body
    assert response.headers["Vary"] == "Accept-Language"


async def test_the_service_worker_is_revalidated(site: int) -> None:
    response, body = await get(site, "/sw.js")
    assert (response.status, body) == (200, "2")
    assert response.headers["Cache-Control"] == "no-cache"
    assert "javascript" in response.headers["Content-Type"]


async def test_a_page_in_the_browsers_cache_is_not_sent_again(site: int) -> None:
    tag = (await get(site, "/"))[0].headers["ETag"]
    # A proxy may weaken it.
    for known in (tag, f'"other", W/{tag}'):
        again, body = await get(site, "/", **{"If-None-Match": known})
        assert (again.status, body, again.headers["ETag"]) == (304, "", tag)


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
    site: int, accepted: str, coding: str | None
) -> None:
    path = "/assets/index-1234.css"
    response, body = await ask(site, path, **{"Accept-Encoding": accepted})
    known = {"Accept-Encoding": accepted, "If-None-Match": response.headers["ETag"]}
    again, nothing = await ask(site, path, **known)
    assert body == {"br": BROTLI, "gzip": GZIPPED, None: STYLE.encode()}[coding]
    assert response.headers["Content-Encoding"] == coding
    assert response.headers["Vary"] == "Accept-Encoding"
    assert "css" in response.headers["Content-Type"]
    assert (again.status, nothing) == (304, b"")


async def test_each_encoding_has_its_own_etag(site: int) -> None:
    tags = set()
    for accepted in ("br", "gzip", "identity"):
        response, _ = await ask(site, "/assets/index-1234.css", **{"Accept-Encoding": accepted})
        tags.add(response.headers["ETag"])
    assert len(tags) == 3
    assert (await ask(site, "/assets/index-1234.css.br"))[0].status == 404


async def test_an_uncompressed_file_with_a_digest_is_served_unchanged_and_immutable(
    site: int,
) -> None:
    response, body = await ask(site, "/assets/index-1234.js", **{"Accept-Encoding": "gzip"})
    assert (body, response.headers["Content-Encoding"]) == (b"1", None)
    assert response.headers["Vary"] is None
    assert "immutable" in response.headers["Cache-Control"]
    assert "javascript" in response.headers["Content-Type"]


async def test_an_unknown_path_serves_browsers_the_page_with_404(site: int) -> None:
    for_people, body = await get(site, "/nothing/here", Accept="text/html,*/*;q=0.8")
    for_programs, text = await get(site, "/nothing/here", Accept="*/*")
    assert (for_people.status, body) == (404, INDEX)
    assert for_people.headers["Content-Type"] == "text/html; charset=utf-8"
    assert for_people.headers["Cache-Control"] == "no-store"
    assert (for_programs.status, text) == (404, "There is no such page.\n")


async def test_a_head_request_is_answered_without_a_body(site: int) -> None:
    whole, _ = await ask(site, "/")
    head, body = await ask(site, "/", "HEAD")
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
    def asked() -> tuple[list[int], int]:
        statuses, ports = [], set()
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
            for path in ("/health", "/", "/nothing", "/health"):
                connection.request("GET", path)
                ports.add(connection.sock.getsockname()[1])
                response = connection.getresponse()
                response.read()
                statuses.append(response.status)
        return statuses[::3], len(ports)

    assert await asyncio.to_thread(asked) == ([200, 200], 1)


@pytest.mark.parametrize(
    "path", ["/nothing", "/../secret.txt", "/assets/../../secret.txt", "/assets/%2e%2e/secret.txt"]
)
async def test_files_outside_the_page_are_not_served(site: int, path: str) -> None:
    response, body = await get(site, path)
    assert response.status == 404
    assert "secret" not in body


async def test_an_unbuilt_page_is_reported_as_missing(redis_url: str, tmp_path: Path) -> None:
    async with node(redis_url, page=tmp_path / "nowhere") as port:
        response, body = await get(port, "/")
    assert (response.status, body) == (404, "The page has not been built.\n")


async def test_a_plain_request_for_the_socket_is_refused(port: int) -> None:
    response, _ = await get(port, "/socket")
    assert (response.status, response.headers["Upgrade"]) == (426, "websocket")
