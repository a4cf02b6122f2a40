"""Security headers of all responses on the players' port."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.base.web import headers
from tests.base.web.test_pages import ask, page
from tests.conftest import ALONE, node

__all__ = ["page"]

pytestmark = ALONE

SECURITY = headers.DOCUMENT.keys() | {"Strict-Transport-Security"}


async def found(port: int, path: str, method: str = "GET", **sent: str) -> dict[str, str]:
    """Return the security headers of an answer; none may be repeated."""
    response, _ = await ask(port, path, method, **sent)
    pairs = [(name, value) for name, value in response.getheaders() if name.title() in SECURITY]
    assert len(dict(pairs)) == len(pairs)
    return {name.title(): value for name, value in pairs}


def titled(given: dict[str, str]) -> dict[str, str]:
    return {name.title(): value for name, value in given.items()}


async def test_every_answer_has_the_headers_of_its_kind(redis_url: str, page: Path) -> None:
    (page / "preview.png").write_bytes(b"")
    documents = ["/", "/r/H7KQ2M4X", "/new", "/index.html", "/sw.js", "/nothing", "/health"]
    public = ["/api/games", "/api/nothing", "/api/players/nobody", "/preview.png"]
    async with node(redis_url, page=page) as port:
        for path in (*documents, "/socket"):
            assert await found(port, path) == titled(headers.DOCUMENT), path
        for path in public:
            assert await found(port, path) == titled(headers.PUBLIC), path
        assert await found(port, "/assets/index-1234.js") == titled(headers.LOADED)
        for method in ("HEAD", "POST", "OPTIONS"):
            assert await found(port, "/", method) == titled(headers.DOCUMENT)
            assert await found(port, "/api/games", method) == titled(headers.PUBLIC)
        assert await found(port, "/", Host="elsewhere.example") == titled(headers.DOCUMENT)
        response, _ = await ask(port, "/")
        again = {"If-None-Match": response.headers["ETag"]}
        for _ in range(2):
            # Prepared responses do not collect headers from request to request.
            assert await found(port, "/", **again) == titled(headers.DOCUMENT)


async def test_the_page_s_policy_allows_nothing_inline_and_no_other_origin(port: int) -> None:
    policy = (await found(port, "/"))["Content-Security-Policy"]
    assert not any(word in policy for word in ("unsafe", "*", "http:", "https:", "blob:"))
    kinds = dict(each.split(" ", 1) for each in policy.split("; "))
    assert kinds["default-src"] == kinds["frame-ancestors"] == kinds["base-uri"] == "'none'"
    assert kinds["script-src"] == kinds["style-src"] == "'self'"


async def test_the_only_browser_feature_allowed_is_keeping_the_screen_on(port: int) -> None:
    policy = (await found(port, "/"))["Permissions-Policy"]
    allowed = dict(each.split("=") for each in policy.split(", "))
    assert allowed.pop("screen-wake-lock") == "(self)"
    assert set(allowed.values()) == {"()"}


@pytest.mark.parametrize(
    ("settings", "sent", "told"),
    [
        ({}, {}, False),
        ({"public_url": "http://127.0.0.1"}, {}, False),
        ({"public_url": "https://127.0.0.1"}, {}, True),
        ({}, {"X-Forwarded-Proto": "https"}, False),
        ({"trusted_proxies": ["10.0.0.0/8"]}, {"X-Forwarded-Proto": "https"}, False),
        ({"trusted_proxies": ["127.0.0.1"]}, {"X-Forwarded-Proto": "https"}, True),
        ({"trusted_proxies": ["127.0.0.1"]}, {"X-Forwarded-Proto": "http"}, False),
        ({"trusted_proxies": ["127.0.0.1"]}, {}, False),
    ],
)
async def test_only_sites_with_tls_require_it_of_browsers(
    redis_url: str, settings: dict[str, object], sent: dict[str, str], told: bool
) -> None:
    async with node(redis_url, **settings) as port:
        for path in ("/health", "/api/games", "/nothing"):
            answer = await found(port, path, **sent)
            assert answer.get("Strict-Transport-Security") == (headers.HSTS if told else None)
