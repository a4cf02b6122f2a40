"""`deploy/Caddyfile`: a real proxy in front of two real nodes that share a real Redis."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Thread
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from server.base.wire.session_messages import VERSION
from tests.deploy.test_image import arguments_of
from tests.processes import PATIENCE, ROOT, Running, free_port, program, running
from tests.redis_servers import Server, running_server, until
from tests.wire import Wire

pytestmark = pytest.mark.proxy

PAGE = "<!doctype html><title>Samedeal</title>"


@dataclass(frozen=True, slots=True)
class Node:
    """A running node."""

    process: Running
    port: int


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its status, headers, and body."""

    status: int
    headers: HTTPMessage
    text: str


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> Response:
    """Send a request, and return the response. A body without Content-Length is sent in chunks."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Response(response.status, response.headers, response.read().decode())


@dataclass(frozen=True, slots=True)
class Site:
    """A proxy, its nodes, and their Redis."""

    port: int
    nodes: tuple[Node, ...]
    redis: Server

    def get(self, path: str, **headers: str) -> tuple[HTTPStatus, str]:
        """Request a path through the proxy, and return the status and the body."""
        response = self.ask("GET", path, **headers)
        return HTTPStatus(response.status), response.text

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        """Send a request through the proxy, and return the response."""
        return ask(self.port, method, path, body, **headers)

    @property
    def socket(self) -> str:
        """The URL of the socket."""
        return f"ws://127.0.0.1:{self.port}/socket"


@contextmanager
def node(redis: str, page: Path, **more: str) -> Iterator[Node]:
    """Run a node as the image does, configured by environment variables, including `more`."""
    env = os.environ | {
        "SAMEDEAL_HOST": "127.0.0.1",
        "SAMEDEAL_PORT": "0",
        "SAMEDEAL_REDIS": redis,
        "SAMEDEAL_PAGE": str(page),
        "SAMEDEAL_LOG_FORMAT": "json",
        "SAMEDEAL_LOG_LEVEL": "info",
        "SAMEDEAL_ORIGINS": "",
        **more,
    }
    with running([sys.executable, "-m", "server", "serve"], env, forked=True) as process:
        listening = json.loads(process.wait_for('"listening"'))
        yield Node(process, listening["port"])


def adapted(env: Mapping[str, str]) -> dict[str, Any]:
    command = [program("caddy"), "adapt", "--adapter", "caddyfile", "--validate"]
    result = subprocess.run(  # noqa: S603 - a file of ours
        [*command, "--config", str(ROOT / "deploy/Caddyfile")],
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    configuration: dict[str, Any] = json.loads(result.stdout)
    return configuration


@contextmanager
def proxy(upstreams: Sequence[int], home: Path) -> Iterator[int]:
    """Run Caddy with `deploy/Caddyfile` on 127.0.0.1, in front of these ports; yield its port."""
    port = free_port()
    configuration = adapted(
        {
            "SAMEDEAL_SITE": f":{port}",
            "SAMEDEAL_NODES": " ".join(f"127.0.0.1:{each}" for each in upstreams),
            "SAMEDEAL_ERRORS": str(ROOT / "deploy/errors"),
        }
    )
    assert configuration["admin"] == {"disabled": True}
    (server,) = configuration["apps"]["http"]["servers"].values()
    assert server["listen"] == [f":{port}"]
    server["listen"] = [f"127.0.0.1:{port}"]
    home.mkdir()
    file = home / "caddy.json"
    file.write_text(json.dumps(configuration))
    env = os.environ | {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    with running([program("caddy"), "run", "--config", str(file)], env) as caddy:
        caddy.wait_for("serving initial configuration")
        yield port


def page_in(folder: Path) -> Path:
    page = folder / "page"
    page.mkdir()
    (page / "index.html").write_text(PAGE)
    return page


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    page = page_in(folder)
    with ExitStack() as stack:
        redis = stack.enter_context(running_server())
        nodes = (
            stack.enter_context(node(redis.url, page)),
            stack.enter_context(node(redis.url, page)),
        )
        ports = [node.port for node in nodes]
        yield Site(stack.enter_context(proxy(ports, folder / "caddy")), nodes, redis)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Run a site for all tests that leave it as it was."""
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """Run a separate site for a test that ends its nodes."""
    with running_site(tmp_path) as site:
        yield site


async def hello(socket: ClientConnection, **fields: str) -> dict[str, Any]:
    wire = Wire()
    await socket.send(wire.pack({"type": "hello", "id": 1, "version": VERSION, **fields}))
    welcome = wire.unpack(await socket.recv(decode=False))
    assert welcome["type"] == "welcome"
    return welcome


def test_the_file_is_formatted_as_caddy_formats_it() -> None:
    formatted = subprocess.run(  # noqa: S603 - a file of ours
        [program("caddy"), "fmt", str(ROOT / "deploy/Caddyfile")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert formatted.stdout == (ROOT / "deploy/Caddyfile").read_text()


def test_by_default_the_nodes_are_the_compose_files() -> None:
    (server,) = adapted({})["apps"]["http"]["servers"].values()
    assert server["listen"] == [":8000"]
    assert '"upstreams": [{"dial": "node-a:8000"}, {"dial": "node-b:8000"}]' in json.dumps(server)


def test_no_failed_request_removes_a_node() -> None:
    (server,) = adapted({})["apps"]["http"]["servers"].values()
    assert '"active"' in json.dumps(server)
    assert '"passive"' not in json.dumps(server)


async def test_the_proxy_passes_on_the_page_health_and_the_socket(site: Site) -> None:
    assert site.get("/") == (HTTPStatus.OK, PAGE)
    assert site.get("/health") == (HTTPStatus.OK, "ok\n")
    async with connect(site.socket) as socket:
        welcome = await hello(socket, name="Ada")
    assert welcome["player"]["name"] == "Ada"


async def test_a_socket_opens_from_the_site_s_own_origin_and_no_other(site: Site) -> None:
    async with connect(site.socket, origin=f"http://127.0.0.1:{site.port}") as socket:  # type: ignore[arg-type]
        await hello(socket)
    with pytest.raises(InvalidStatus) as refused:
        await connect(site.socket, origin="https://elsewhere.example")  # type: ignore[arg-type]
    assert refused.value.response.status_code == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("lost", [0, 1])
async def test_when_a_node_is_killed_the_other_goes_on_serving(own_site: Site, lost: int) -> None:
    async with connect(own_site.socket) as socket:
        before = await hello(socket)
    own_site.nodes[lost].process.kill()
    for _ in range(4):
        assert own_site.get("/") == (HTTPStatus.OK, PAGE)
        async with connect(own_site.socket) as socket:
            after = await hello(socket, token=before["token"])
            assert after["player"] == before["player"]


async def test_a_terminated_node_exits_cleanly_and_the_other_goes_on_serving(
    own_site: Site,
) -> None:
    async with connect(own_site.socket) as first, connect(own_site.socket) as second:
        await hello(first)
        await hello(second)
        assert own_site.nodes[0].process.end() == 0
        async with connect(own_site.socket) as third:
            await hello(third)


def test_no_request_makes_the_proxy_drop_a_node(site: Site) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    one = {"Content-Length": "1"}
    for method, path, body, headers, expected in (
        ("POST", "/", b"x", {}, 405),
        ("POST", "/socket", b"x", upgrade, 405),
        ("PUT", "/api/dailies", b"x" * 100_000, {}, 405),
        ("TRACE", "/", None, {}, 405),
        ("GET", "/", b"x", {}, 413),
        ("GET", "/socket", b"x", upgrade | one, 413),
        # The node refuses a chunked body.
        ("GET", "/", [b"x"], {}, 413),
        ("GET", "/", None, {"X-Long": "x" * 20_000}, 431),
        ("GET", "/", None, {f"X-{number}": "" for number in range(70)}, 431),
        ("GET", "/socket", None, upgrade | {"Host": "a b"}, 400),
        ("GET", "/socket", None, upgrade | {"Origin": "http://["}, 403),
        ("GET", "/", None, {"Host": "rebound.example"}, 421),
    ):
        # More often than there are nodes.
        for _ in range(3):
            response = site.ask(method, path, body, **headers)
            assert response.status == expected, (method, path, headers)
            assert site.get("/") == (HTTPStatus.OK, PAGE), (method, path, headers)


def test_a_hung_node_gets_no_requests(site: Site) -> None:
    hanging = site.nodes[0].process.process
    hanging.send_signal(SIGSTOP)
    try:
        # The proxy may try a hung node first, then retries on the other.
        for _ in range(8):
            assert site.get("/") == (HTTPStatus.OK, PAGE)
    finally:
        hanging.send_signal(SIGCONT)


def test_visitors_get_a_page_immediately_while_no_node_is_ready(site: Site) -> None:
    with site.redis.client() as redis:
        redis.client_pause(60_000, all=False)

        def away() -> bool:
            return site.get("/health/live") == (503, "503 Service Unavailable")

        # The nodes are up, but the proxy skips both.
        until(away)
        page = site.ask("GET", "/r/H7KQ2M4X", Accept="text/html,*/*;q=0.8")
        assert (page.status, page.headers["Retry-After"]) == (503, "5")
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert page.headers["Cache-Control"] == "no-store"
        assert "back in a moment" in page.text
        assert 'lang="de"' in page.text
        assert site.get("/api/dailies") == (503, "503 Service Unavailable")
        redis.client_unpause()
        until(lambda: site.get("/") == (HTTPStatus.OK, PAGE))


class Echo(BaseHTTPRequestHandler):
    """A node that answers with the headers of the request."""

    def do_GET(self) -> None:
        """Send the request's headers as JSON."""
        # A repeated header has both values.
        seen = {name: ", ".join(self.headers.get_all(name, [])) for name in self.headers}
        body = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def test_clients_cannot_forge_their_address(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        Thread(target=server.serve_forever).start()
        with proxy([server.server_port], tmp_path / "caddy") as port:
            said = {
                "X-Forwarded-For": "192.0.2.1",
                "X-Forwarded-Proto": "https",
                "X-Forwarded-Host": "evil.example",
            }
            seen = json.loads(ask(port, "GET", "/", Host="cards.lan", **said).text)
        server.shutdown()
    assert seen["X-Forwarded-For"] == "127.0.0.1"
    assert seen["X-Forwarded-Proto"] == "http"
    assert seen["X-Forwarded-Host"] == seen["Host"] == "cards.lan"


def test_the_image_s_health_check_succeeds_only_while_the_node_runs(tmp_path: Path) -> None:
    (check,) = arguments_of("HEALTHCHECK")
    _, *arguments = json.loads(check.split("CMD", 1)[1])

    def status(port: int) -> int:
        env = os.environ | {"SAMEDEAL_PORT": str(port)}
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=env, capture_output=True, check=False).returncode  # noqa: S603

    with running_server() as redis, node(redis.url, page_in(tmp_path)) as checked:
        assert status(checked.port) == 0
        checked.process.kill()
        assert status(checked.port) != 0
