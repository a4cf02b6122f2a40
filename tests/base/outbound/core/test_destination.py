"""URLs to which posts are allowed."""

from __future__ import annotations

import pytest

from server.base.outbound.core.destination import Destination, parse_url


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (
            "https://discord.com/api/webhooks/1/a-b",
            Destination("discord.com", 443, "/api/webhooks/1/a-b", tls=True),
        ),
        ("https://Hooks.Example.org", Destination("hooks.example.org", 443, "/", tls=True)),
        ("HTTPS://example.org:443/a?b=c/d", Destination("example.org", 443, "/a?b=c/d", tls=True)),
        (
            "https://xn--bcher-kva.example/%20",
            Destination("xn--bcher-kva.example", 443, "/%20", tls=True),
        ),
    ],
)
def test_a_url_gives_its_destination(url: str, found: Destination) -> None:
    assert parse_url(url) == found


@pytest.mark.parametrize(
    "url",
    [
        *("", "http://example.org/", "ftp://example.org/", "//example.org/", "example.org"),
        *("https://", "https:///a", "https://localhost/", "https://intranet/", "https://.org/"),
        *("https://printer.local/", "https://a.b.internal/", "https://hub.home.arpa/"),
        *("https://127.0.0.1/", "https://[::1]/", "https://2130706433/", "https://0x7f.0x1/"),
        *("https://example.org:8443/", "https://example.org:22/", "https://example.org:x/"),
        *("https://ada@example.org/", "https://ada:pw@example.org/", "https://@example.org/"),
        *("https://example.org/#a", "https://example.org/a b", "https://example.org/\r\nHost: x"),
        *("https://example.org/\t", "https://bücher.example/", "https://example.org\\@evil.org/"),
        "https://example.org/" + "a" * 1_000,
        "https://" + "a" * 64 + ".org/",
        "https://[",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    assert parse_url(url) is None


def test_tests_may_post_to_their_own_machine() -> None:
    found = parse_url("http://127.0.0.1:8123/hook", local=True)
    assert found == Destination("127.0.0.1", 8123, "/hook", tls=False)
    assert found.authority == "127.0.0.1:8123"
    assert parse_url("ftp://127.0.0.1/", local=True) is None
