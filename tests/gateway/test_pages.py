"""Pages and health over HTTP."""

from __future__ import annotations

import asyncio
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from server.store import clock
from tests.conftest import node

INDEX = "<!doctype html><title>Samedeal</title>"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "page" / "assets").mkdir(parents=True)
    (tmp_path / "page" / "index.html").write_text(INDEX)
    (tmp_path / "page" / "assets" / "index-1234.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path / "page"


async def get(port: int, path: str, **headers: str) -> tuple[HTTPResponse, str]:
    """Ask for a page in a thread of its own, as a browser would."""

    def ask() -> tuple[HTTPResponse, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response, body

    return await asyncio.to_thread(ask)


@pytest.mark.parametrize("path", ["/", "/r/H7KQ2", "/daily/robert", "/leaderboard/x?day=1"])
async def test_every_screen_has_the_page(redis_url: str, page: Path, path: str) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, path)
    assert (response.status, body) == (200, INDEX)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert response.headers["Cache-Control"] == "no-cache"


async def test_a_page_that_the_browser_has_is_not_sent_again(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        response, _ = await get(port, "/")
        again, body = await get(port, "/", **{"If-None-Match": response.headers["ETag"]})
    assert (again.status, body) == (304, "")


async def test_files_whose_names_carry_a_digest_are_kept(redis_url: str, page: Path) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, "/assets/index-1234.js")
    assert body == "1"
    assert "immutable" in response.headers["Cache-Control"]
    assert "javascript" in response.headers["Content-Type"]


@pytest.mark.parametrize(
    "path", ["/nothing", "/../secret.txt", "/assets/../../secret.txt", "/assets/%2e%2e/secret.txt"]
)
async def test_there_is_nothing_but_the_page(redis_url: str, page: Path, path: str) -> None:
    async with node(redis_url, page=page) as port:
        response, body = await get(port, path)
    assert response.status == 404
    assert "secret" not in body


async def test_a_page_that_was_not_built_is_said_to_be_missing(
    redis_url: str, tmp_path: Path
) -> None:
    async with node(redis_url, page=tmp_path / "nowhere") as port:
        response, body = await get(port, "/")
    assert (response.status, body) == (404, "The page has not been built.\n")


async def test_health_is_that_of_the_store(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with node(redis_url) as port:
        response, body = await get(port, "/health")
        assert (response.status, body) == (200, "ok\n")
        monkeypatch.setattr(clock, "FRESH_FOR", -1.0)
        response, _ = await get(port, "/health")
        assert response.status == 503


async def test_a_plain_request_for_the_socket_is_refused(port: int) -> None:
    response, _ = await get(port, "/socket")
    assert response.status == 426
