"""The served hosts, and the origins that may open WebSockets."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from server.base.net.addresses import Proxies
from server.base.net.origins import Origins, parse_public_url
from tests.base.web.test_pages import get
from tests.conftest import ALONE, node

PROXY, ELSEWHERE = "10.0.0.1", "192.0.2.1"
PROXIES = Proxies(["10.0.0.0/8"])
PUBLIC = "https://play.example.org"
NAME = "play.example.org"
HTTPS = {"X-Forwarded-Proto": "https"}


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("localhost", True),
        ("LOCALHOST:8000", True),
        ("192.168.1.5:8000", True),
        ("[fe80::1]:8000", True),
        (f"{socket.gethostname()}.local:8000", True),
        (NAME, False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
        ("127.1", False),
        ("evil-localhost", False),
        ("localhost.", True),
        ("localhost.:8000", True),
        ("[::1", False),
        ("user@localhost", False),
        ("", False),
    ],
)
def test_without_settings_only_local_names_are_served(host: str, *, served: bool) -> None:
    assert Origins().serves(host) is served


@pytest.mark.parametrize(
    ("host", "served"),
    [
        (NAME, True),
        ("Play.Example.org:443", True),
        ("play.example.org.", True),
        ("play.example.org..", False),
        ("cards.lan:8000", True),
        ("www.play.example.org", False),
        ("localhost", False),
        ("192.168.1.5", False),
    ],
)
def test_with_a_public_url_only_configured_hosts_are_served(host: str, *, served: bool) -> None:
    assert Origins(PUBLIC, ["Cards.lan"]).serves(host) is served


@pytest.mark.parametrize(
    ("host", "served"),
    [
        ("10.0.0.7:9000", True),
        ("[fd00::7]:9000", True),
        ("node-a:9000", True),
        ("localhost:9000", True),
        (f"{socket.gethostname()}.local:9000", True),
        ("cards.lan:9000", True),
        ("play.example.org:9000", True),
        ("evil.example:9000", False),
        ("evil.:9000", False),
        ("10.0.0.7.evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        ("node a", False),
    ],
)
@pytest.mark.parametrize("public", [None, PUBLIC])
def test_metrics_are_served_only_for_names_nobody_else_can_own(
    public: str | None, host: str, served: bool
) -> None:
    origins = Origins(public, ["cards.lan"])
    expected = served and (public is not None or host != "play.example.org:9000")
    assert origins.serves_operator(host) is expected


def test_without_a_public_url_names_are_served_as_well_as_addresses() -> None:
    origins = Origins(None, ["cards.lan"])
    assert all(map(origins.serves, ("cards.lan:8000", "localhost", "192.168.1.5")))


@pytest.mark.parametrize(
    ("headers", "peer", "origin"),
    [
        ({"Host": "Play.Example.org"}, PROXY, "http://play.example.org"),
        ({"Host": "[::1]:8000"}, PROXY, "http://[::1]:8000"),
        ({"Host": NAME, **HTTPS}, PROXY, PUBLIC),
        ({"Host": f"{NAME}:443", **HTTPS}, PROXY, PUBLIC),
        ({"Host": f"{NAME}:80", **HTTPS}, PROXY, f"{PUBLIC}:80"),
        ({"Host": NAME, **HTTPS}, ELSEWHERE, f"http://{NAME}"),
        ({"Host": NAME, "X-Forwarded-Proto": "javascript"}, PROXY, f"http://{NAME}"),
        ({"Host": '"><script>'}, PROXY, None),
        ({}, PROXY, None),
    ],
)
def test_the_origin_must_match_the_request(
    headers: dict[str, str], peer: str, origin: str | None
) -> None:
    assert Origins(proxies=PROXIES).origin(Headers(headers), peer) == origin
    assert Origins(PUBLIC, proxies=PROXIES).origin(Headers(headers), peer) == PUBLIC


@pytest.mark.parametrize(
    ("origin", "host", "more", "admitted"),
    [
        (None, NAME, {}, True),
        (f"http://{NAME}", NAME, {}, True),
        (f"http://{NAME}:8000", f"{NAME}:8000", {}, True),
        (PUBLIC, NAME, HTTPS, True),
        ("app://cards", NAME, {}, True),
        (f"http://{NAME}", NAME, HTTPS, False),
        (PUBLIC, NAME, {}, False),
        (f"http://{NAME}:8000", NAME, {}, False),
        (f"http://{NAME}", f"{NAME}:8000", {}, False),
        (f"http://www.{NAME}", NAME, {}, False),
        (f"http://{NAME}.evil.example", NAME, {}, False),
        (f"http://user@{NAME}", NAME, {}, False),
        (f"http://{NAME}/", NAME, {}, False),
        ("null", NAME, {}, False),
        ("null", "", {}, False),
        ("", "", {}, False),
        ("http://[", "[", {}, False),
    ],
)
def test_an_origin_is_compared_by_scheme_host_and_port(
    origin: str | None, host: str, more: dict[str, str], *, admitted: bool
) -> None:
    headers = {"Host": host, **more}
    if origin is not None:
        headers["Origin"] = origin
    origins = Origins(hosts=[NAME], more=["app://cards"], proxies=PROXIES)
    assert origins.admits(Headers(headers), PROXY) is admitted


@pytest.mark.parametrize("more", [{}, HTTPS])
def test_at_the_host_of_the_public_url_no_other_scheme_is_admitted(more: dict[str, str]) -> None:
    origins = Origins(PUBLIC, ["cards.lan"], proxies=PROXIES)
    at = {"Host": NAME, **more}
    assert origins.admits(Headers({**at, "Origin": PUBLIC}), PROXY)
    assert not origins.admits(Headers({**at, "Origin": f"http://{NAME}"}), PROXY)
    beside = {"Host": "cards.lan", "Origin": "http://cards.lan"}
    assert origins.admits(Headers(beside), PROXY)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "play.example.org",
            "ftp://a.example",
            "https://",
            'https://"',
            "https://u@a.example",
        ),
        *("https://a.example/x?", "https://a.example/x#", "https://a.example//"),
        *("https://a.example/x//y", "https://a.example/x/../y", "https://a.example/./x"),
        *("https://a.example/.x", "https://a.example/x%2fy", "https://a.example/x y"),
        *('https://a.example/x"', "https://a.example/é", "https://a.example?x"),
        "https://a.example/#x",
    ],
)
def test_an_invalid_public_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="public URL"):
        parse_public_url(url)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        (PUBLIC, (PUBLIC, "")),
        (f"{PUBLIC}/", (PUBLIC, "")),
        ("HTTPS://Play.Example.org:443/Games/samedeal/", (PUBLIC, "/Games/samedeal")),
        ("http://a.example:8000/~ada/v1.2_x", ("http://a.example:8000", "/~ada/v1.2_x")),
    ],
)
def test_a_public_url_is_an_origin_with_an_optional_root(url: str, site: tuple[str, str]) -> None:
    assert parse_public_url(url) == site


def test_a_proxy_may_strip_the_root_or_keep_it() -> None:
    origins = Origins(f"{PUBLIC}/games/samedeal")
    for path in ("/games/samedeal/daily", "/daily"):
        assert origins.below_root(path) == "/daily"
    for path in ("/games/samedeal", "/games/samedealer", "/games", "/"):
        assert origins.below_root(path) == path
    assert Origins(PUBLIC).below_root("/daily") == "/daily"
    assert origins.site(Headers({"Host": NAME}), ELSEWHERE) == f"{PUBLIC}/games/samedeal"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        *(({"hosts": [each]}, "host") for each in ("a.example:80", "https://a.example", "a b")),
        *(({"more": [each]}, "origin") for each in ("a.example", "https://a.example/", "null")),
    ],
)
def test_an_invalid_host_or_origin_is_refused(settings: dict[str, list[str]], said: str) -> None:
    with pytest.raises(ValueError, match=rf"is not an? {said}"):
        Origins(**settings)  # type: ignore[arg-type]


@ALONE
async def test_a_node_answers_only_requests_for_its_hosts(redis_url: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("page")
    async with node(redis_url, page=tmp_path, hosts=("cards.lan",)) as port:
        for path in ("/", "/nothing", "/socket", "/api/dailies"):
            for host in ("cards.lan", "localhost", f"127.0.0.1:{port}"):
                assert (await get(port, path, Host=host))[0].status != 421
            response, text = await get(port, path, Host="rebound.example")
            assert (response.status, "--hosts" in text) == (421, True)
            assert response.headers["Cache-Control"] == "no-store"
        # Probes use a container's address or an internal name.
        for path in ("/health", "/health/live", "/health/ready"):
            assert (await get(port, path, Host="node-a"))[0].status == 200
