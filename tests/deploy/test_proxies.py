"""Caddy, nginx and HAProxy in front of two real nodes, and the files for Traefik."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Thread
from typing import Any

import pytest
from ruamel.yaml import YAML
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.clients.client import Client
from tests.clients.play import race_of, resign
from tests.deploy.proxies import (
    FILES,
    NAME,
    PAGE,
    Echo,
    Front,
    Node,
    Proxy,
    Response,
    caddy,
    haproxy,
    nginx,
    node,
)
from tests.processes import ROOT, free_port
from tests.redis_servers import running_server, until

pytestmark = pytest.mark.proxy

PUBLIC = f"https://{NAME}"
PROXIES = [caddy, nginx, haproxy]
PAGES = [f"{PAGE}<!-- {index} -->" for index in range(2)]
"""The page of each node."""


@dataclass(slots=True)
class Site:
    """A proxy, its nodes, and a function that restarts a node."""

    front: Front
    nodes: list[Node]
    start: Callable[[int], Node]

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        """Open a socket as a browser does, and retry while no node answers."""
        async with await self._connected() as socket:
            yield Client(socket)

    async def _connected(self) -> Any:
        tries = 20
        while True:
            try:
                return await connect(**self.front.socket)
            except InvalidStatus:
                tries -= 1
                if not tries:
                    raise

    def ask(self, method: str, path: str, body: Any, **headers: str) -> Response:
        """Send a request, and retry while a node on a busy machine reports overload."""
        while True:
            response = self.front.ask(method, path, body, **headers)
            if "overloaded" not in response.text:
                return response

    def page(self) -> tuple[int, str]:
        """Return the status and the text of the page through the proxy."""
        response = self.ask("GET", "/", None)
        return response.status, response.text

    def serves(self) -> bool:
        """Whether the page is reachable through the proxy."""
        return self.page() in [(200, page) for page in PAGES]

    def shares(self) -> bool:
        """Whether the proxy uses both nodes; one may have been marked down."""
        return {self.page() for _ in range(4)} == {(200, page) for page in PAGES}


@pytest.fixture(scope="module", params=PROXIES)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Run a proxy and two nodes for all tests. Each test leaves them as they were."""
    proxy: Proxy = request.param
    home = tmp_path_factory.mktemp("proxy")
    for index, page in enumerate(PAGES):
        (home / f"{index}").mkdir()
        (home / f"{index}/index.html").write_text(page)
    ports = [free_port(), free_port()]
    with ExitStack() as stack:
        redis = stack.enter_context(running_server())

        def start(index: int) -> Node:
            settings = {"SAMEDEAL_PORT": str(ports[index])}
            if proxy is not caddy:
                settings["SAMEDEAL_PUBLIC_URL"] = PUBLIC
                settings["SAMEDEAL_TRUSTED_PROXIES"] = "127.0.0.1"
            return stack.enter_context(node(redis.url, home / f"{index}", **settings))

        nodes = [start(0), start(1)]
        site = Site(stack.enter_context(proxy(ports, home)), nodes, start)
        until(site.serves)
        yield site


async def test_a_race_is_played_through_the_proxy(site: Site) -> None:
    async with site.client() as one, site.client() as other:
        first, second = await race_of(one, other)
        assert (await one.ask("move", attempt=first["attempt"], seq=2, move="s>w"))["type"] == (
            "moved"
        )
        assert (await resign(other, second))["type"] == "ended"
    response = site.front.ask("GET", "/api/dailies")
    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (200, "*")
    assert site.front.ask("GET", "/health").text == "ok\n"
    # If the request came over TLS, the nodes know it.
    is_secure = site.front.certificate is not None
    assert ("Strict-Transport-Security" in site.front.ask("GET", "/").headers) == is_secure


async def test_pages_of_other_origins_open_no_socket(site: Site) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(**site.front.socket | {"origin": "https://elsewhere.example"})
    assert refused.value.response.status_code == 403


def test_http_is_redirected_to_https(site: Site) -> None:
    response = site.front.ask_plainly("/daily/robert?x=1")
    if site.front.certificate is None:
        assert response.status == 200
        return
    assert (response.status, response.headers["Location"]) == (308, f"{PUBLIC}/daily/robert?x=1")


async def test_when_a_node_is_killed_the_other_serves_until_it_is_back(site: Site) -> None:
    async with site.client() as client:
        before = await client.hello()
    site.nodes[0].process.kill()
    for _ in range(4):
        assert site.serves()
        async with site.client() as client:
            after = await client.hello(before["token"])
            assert after["player"] == before["player"]
    site.nodes[0] = site.start(0)
    async with site.client() as one, site.client() as other:
        await one.hello()
        await other.hello()
        assert site.nodes[1].process.end() == 0
    until(site.serves)
    async with site.client() as client:
        assert (await client.hello(before["token"]))["player"] == before["player"]
    site.nodes[1] = site.start(1)


def test_a_hung_node_delays_few_requests(site: Site) -> None:
    until(site.shares)
    hanging = site.nodes[0].process.process
    hanging.send_signal(SIGSTOP)
    try:
        assert [site.page() for _ in range(4)] == [(200, PAGES[1])] * 4
    finally:
        hanging.send_signal(SIGCONT)


def test_no_request_makes_the_proxy_drop_a_node(site: Site) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    # Caddy alone has no public URL, so the nodes compare hosts.
    other_hosts = (
        ("GET", "/socket", None, upgrade | {"Host": "a b"}, {400}),
        ("GET", "/", None, {"Host": "rebound.example"}, {421}),
    )
    for method, path, body, headers, expected in (
        *(other_hosts if site.front.certificate is None else ()),
        ("TRACE", "/", None, {}, {405}),
        ("POST", "/", b"x", {}, {405}),
        ("POST", "/socket", b"x", upgrade, {405}),
        ("PUT", "/api/dailies", b"x" * 1_000, {}, {405}),
        ("GET", "/", b"x", {}, {413}),
        ("GET", "/socket", b"x", upgrade | {"Content-Length": "1"}, {413}),
        ("GET", "/", [b"x"], {}, {413}),
        ("GET", "/", None, {"X-Long": "x" * 20_000}, {400, 431}),
        ("GET", "/", None, {f"X-{number}": "" for number in range(70)}, {400, 431}),
        ("GET", "/socket", None, upgrade | {"Origin": "http://["}, {403}),
        ("GET", "/socket", None, {"Connection": "Upgrade", "Upgrade": "h2c"}, {426}),
    ):
        # More often than there are nodes.
        for _ in range(3):
            response = site.ask(method, path, body, **headers)
            assert response.status in expected, (method, path, headers)
            assert site.serves(), (method, path, headers)


@pytest.mark.parametrize("proxy", PROXIES)
def test_visitors_get_a_page_immediately_while_no_node_runs(proxy: Proxy, tmp_path: Path) -> None:
    with proxy([free_port(), free_port()], tmp_path) as front:
        page = front.ask("GET", "/r/H7KQ2M4X", Accept="text/html,*/*;q=0.8")
    assert page.status == 503
    assert page.headers["Retry-After"] == "5"
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "back in a moment" in page.text
    assert 'lang="de"' in page.text


@pytest.mark.parametrize("proxy", PROXIES)
def test_clients_cannot_forge_their_address(proxy: Proxy, tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        Thread(target=server.serve_forever).start()
        with proxy([server.server_port] * 2, tmp_path) as front:
            secure = front.certificate is not None
            said = {
                "X-Forwarded-For": "192.0.2.1",
                "X-Forwarded-Proto": "http" if secure else "https",
                "X-Forwarded-Host": "evil.example",
                "Forwarded": "for=192.0.2.1",
                "Host": f"{NAME}:443",
            }
            until(lambda: front.ask("GET", "/", **said).status == 200)
            seen = {
                name.title(): value
                for name, value in json.loads(front.ask("GET", "/", **said).text).items()
            }
        server.shutdown()
    assert seen["X-Forwarded-For"] == "127.0.0.1"
    assert seen["X-Forwarded-Proto"] == ("https" if secure else "http")
    assert seen["Host"] == f"{NAME}:443"
    # Only Caddy passes a host on, and none of these proxies the client's.
    assert seen.get("X-Forwarded-Host") == (None if secure else f"{NAME}:443")
    assert not secure or "Forwarded" not in seen


def seconds(text: str) -> float:
    """Return a duration in these files' notation, in seconds."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", text).groups()  # type: ignore[union-attr]
    return int(number) * {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}[unit]


def ping_every() -> float:
    source = (ROOT / "client_js/src/connection.ts").read_text()
    found = re.search(r"PING_EVERY = ([\d_]+);", source)
    assert found is not None
    return int(found[1]) / 1_000


def test_a_socket_with_missed_pings_stays_open_for_over_a_minute() -> None:
    least = max(60.0, 4 * ping_every())
    _, _, of_sockets = (FILES / "nginx.conf").read_text().partition("location = /socket {")
    for name in ("proxy_read_timeout", "proxy_send_timeout"):
        found = re.search(rf"{name} (\w+);", of_sockets)
        assert found is not None
        assert seconds(found[1]) > least
    found = re.search(r"timeout tunnel (\w+)\n", (FILES / "haproxy.cfg").read_text())
    assert found is not None
    assert seconds(found[1]) > least


@pytest.mark.parametrize(
    ("proxy", "short"),
    [
        (nginx, {"proxy_read_timeout 2m;": "proxy_read_timeout 1s;"}),
        (haproxy, {"timeout tunnel 2m": "timeout tunnel 1s"}),
    ],
)
async def test_this_setting_ends_idle_sockets(
    proxy: Callable[..., Any], short: dict[str, str], tmp_path: Path
) -> None:
    """With a short setting a socket is cut, so the file's setting keeps it open."""
    with site_of_one(tmp_path) as port, proxy([port] * 2, tmp_path, **short) as front:
        until(lambda: front.ask("GET", "/health").status == 200)
        async with connect(**front.socket, ping_interval=None) as socket:
            with pytest.raises(ConnectionClosed):
                await socket.recv()


@contextmanager
def site_of_one(page: Path, root: str = "") -> Iterator[int]:
    public = f"{PUBLIC}{root}"
    with running_server() as redis, node(redis.url, page, SAMEDEAL_PUBLIC_URL=public) as each:
        yield each.port


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        (
            nginx,
            {
                "location /": "location /games/samedeal/",
                "location = /socket": "location = /games/samedeal/socket",
            },
        ),
        (
            haproxy,
            {
                "default_backend nodes": "use_backend nodes if { path /games/samedeal } or "
                "{ path_beg /games/samedeal/ }"
            },
        ),
    ],
)
async def test_a_site_below_a_path_is_served_as_documented(
    proxy: Callable[..., Any], words: dict[str, str], tmp_path: Path
) -> None:
    document = " ".join((FILES / "README.md").read_text().split())
    assert all(f"`{word}`" in document for word in words.values())
    (tmp_path / "index.html").write_text(PAGE)
    own = {f"{word} {{": f"{to} {{" for word, to in words.items() if proxy is nginx} or words
    root = "/games/samedeal"
    with site_of_one(tmp_path, root) as port, proxy([port] * 2, tmp_path, **own) as front:
        until(lambda: front.ask("GET", f"{root}/").text == PAGE)
        assert front.ask("GET", f"{root}/health/ready").status == 200
        redirect = front.ask("GET", root)
        assert redirect.status in {301, 308}
        assert redirect.headers["Location"].endswith(f"{root}/")
        assert front.ask("GET", "/").text != PAGE
        async with connect(**front.socket | {"uri": f"wss://{NAME}{root}/socket"}) as socket:
            assert (await Client(socket).hello())["type"] == "welcome"


def test_the_proxy_checks_the_nodes_health_and_no_client_can_remove_a_node() -> None:
    text = (FILES / "haproxy.cfg").read_text()
    assert "uri /health/ready" in text
    assert "observe" not in text
    config = (FILES / "nginx.conf").read_text()
    assert re.findall(r"server (node-\w):8000 max_fails=3 fail_timeout=5s;", config) == [
        "node-a",
        "node-b",
    ]
    assert "proxy_next_upstream error timeout;" in config


def traefik(name: str) -> Any:
    return YAML(typ="safe").load((FILES / name).read_text())


def test_traefiks_files_have_the_same_settings() -> None:
    """Traefik itself was tested once by hand: see README.md there."""
    static, dynamic = traefik("traefik.yml"), traefik("traefik-nodes.yml")["http"]
    assert static["providers"]["file"]["filename"].endswith("/traefik-nodes.yml")
    assert "forwardedHeaders" not in static["entryPoints"]["https"]
    (router,) = dynamic["routers"].values()
    assert set(router["entryPoints"]) <= set(static["entryPoints"])
    assert set(router["middlewares"]) == set(dynamic["middlewares"])
    assert f"Host(`{NAME}`)" in router["rule"]
    balancer = dynamic["services"][router["service"]]["loadBalancer"]
    assert balancer["passHostHeader"] is True
    assert balancer["serversTransport"] in dynamic["serversTransports"]
    assert balancer["healthCheck"]["path"] == "/health/ready"
    assert [each["url"] for each in balancer["servers"]] == [
        "http://node-a:8000",
        "http://node-b:8000",
    ]
