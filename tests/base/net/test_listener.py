"""The listener: limits on clients' input, and the end of connections. Sockets echo here."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, cast

import pytest
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from websockets.asyncio.client import connect
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.http11 import Request as Upgrade
from websockets.protocol import Protocol, Side
from websockets.server import ServerProtocol

from server.base.net import bound_sockets
from server.base.net import listener as module
from server.base.net.addresses import Proxies
from server.base.net.admission import Admission
from server.base.net.budgets import Budgets
from server.base.net.listener import (
    DISCARD_WITHIN,
    MAX_HEAD,
    MAX_HEADERS,
    MAX_PIPELINED,
    READ_WITHIN,
    REQUEST_WITHIN,
    Connection,
    Handshake,
    Listener,
    WebSocket,
)
from server.base.net.turns import Turn, Turns
from tests.fixtures import BOTH_LOOPS
from tests.processes import PATIENCE
from tests.timers import Timers
from tests.traced import traced

pytestmark = BOTH_LOOPS

LARGE = 32_000_000
PART = 64_000


class _Echo(WebSocket):
    """A socket that echoes messages, and closes with 1001 if `closes` is set."""

    closes = True

    def __init__(self, connections: set[Connection]) -> None:
        self.connections = connections
        self.socket = Protocol(Side.SERVER)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's has the same methods, but not the base class.
        self.transport = cast("asyncio.Transport", transport)
        self.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.connections.discard(self)

    def shake_hands(self, request: Handshake) -> None:
        upgrade = Upgrade(request.target, Headers(request.headers))
        self.transport.write(ServerProtocol().accept(upgrade).serialize())

    def data_received(self, data: bytes) -> None:
        self.socket.receive_data(data)
        for event in self.socket.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.BINARY:
                self.socket.send_binary(event.data)
        self.flush()

    def shutdown(self) -> None:
        if self.closes:
            self.socket.send_close(1001)
            self.flush()

    def flush(self) -> None:
        self.transport.write(b"".join(self.socket.data_to_send()))
        if self.socket.close_expected():
            self.transport.close()


async def short(_: Request) -> PlainTextResponse:
    return PlainTextResponse("short")


async def large(_: Request) -> PlainTextResponse:
    return PlainTextResponse("x" * LARGE)


async def asked(request: Request) -> JSONResponse:
    return JSONResponse([request.headers.getlist("host"), str(request.url)])


async def parts(_: Request) -> StreamingResponse:
    async def each() -> AsyncIterator[bytes]:
        for _ in range(LARGE // PART):
            yield b"x" * PART

    return StreamingResponse(each(), headers={"Content-Length": str(LARGE)})


async def broken(_: Request) -> PlainTextResponse:
    raise RuntimeError("broken on purpose")


class _Unfinished(Response):
    """A response without its end."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})


class _Waiting(Response):
    """A response that waits until its client is gone.

    Attributes:
        asked: set when it waits.
        gone: set when it has heard of the client's end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.gone = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "http.request"
        self.asked.set()
        assert (await receive())["type"] == "http.disconnect"
        self.gone.set()
        await super().__call__(scope, receive, send)


@asynccontextmanager
async def serving(
    admission: Admission | None = None, turns: Turns | None = None, waiting: Response | None = None
) -> AsyncIterator[int]:
    answers: dict[str, Any] = {
        "/": short,
        "/asked": asked,
        "/large": large,
        "/parts": parts,
        "/broken": broken,
        # A header that contains a second one, and a body that is longer than announced.
        "/header": Response(headers={"X": "y\r\nz: 1"}),
        "/longer": Response("longer", headers={"Content-Length": "1"}),
        "/unfinished": _Unfinished(),
        "/waiting": waiting or Response(),
    }
    app = Starlette(routes=[Route(*each) for each in answers.items()])
    listener = Listener(app, _Echo, admission, turns)
    (bound,) = bound_sockets.bind("127.0.0.1", 0)
    port = bound_sockets.port_of(bound)
    await listener.open(bound)
    try:
        yield port
    finally:
        await listener.close()


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect without sending anything."""
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        yield reader, writer
        writer.close()


def request(path: str = "/", *headers: str, method: str = "GET") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", ""]
    return "\r\n".join(lines).encode()


async def status(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = next(line for line in head.split("\r\n") if line.startswith("content-length:"))
    await reader.readexactly(int(length.partition(":")[2]))
    return int(head.split()[1])


async def answered(port: int) -> None:
    """Make a request on another connection.

    The server shares this loop, so it has read all earlier input when this is answered.
    """
    async with connected(port) as (reader, writer):
        writer.write(request())
        assert await status(reader) == 200


async def test_a_socket_is_made_by_the_given_class() -> None:
    async with serving() as port, connect(f"ws://127.0.0.1:{port}/socket") as socket:
        await socket.send(b"hello")
        assert await socket.recv() == b"hello"


@pytest.mark.parametrize(
    ("target", "host", "version", "url"),
    [
        ("http://b.example/asked?x=1", "localhost", "1.1", "http://b.example/asked?x=1"),
        ("HTTPS://b.example:8000/asked", "localhost", "1.1", "http://b.example:8000/asked"),
        ("http://[::1]:80/asked", "localhost", "1.1", "http://[::1]:80/asked"),
        ("http://b.example/asked", "", "1.0", "http://b.example/asked"),
    ],
)
async def test_a_target_in_absolute_form_overrides_the_host_header(
    target: str, host: str, version: str, url: str
) -> None:
    async with serving() as port, connected(port) as (reader, writer):
        more = f"Host: {host}\r\n" if host else ""
        head = f"GET {target} HTTP/{version}\r\n{more}Connection: close\r\n\r\n"
        writer.write(head.encode())
        answer = await reader.read()
        assert json.loads(answer.partition(b"\r\n\r\n")[2]) == [[url.split("/")[2]], url]


async def test_a_socket_can_be_requested_in_absolute_form() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("http://b.example/socket", *UPGRADE))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/broken", b"HTTP/1.1 500 "),
        ("/header", b"HTTP/1.1 500 "),
        ("/unfinished", b"HTTP/1.1 200 "),
        ("/longer", b"HTTP/1.1 200 "),
    ],
)
async def test_a_failed_request_is_logged_and_ends_the_connection(path: str, answer: bytes) -> None:
    with structlog.testing.capture_logs() as logs:
        async with serving() as port, connected(port) as (reader, writer):
            writer.write(request(path))
            assert (await reader.read()).startswith(answer)
    assert [line["event"] for line in logs] == ["request_failed"]


async def test_an_answer_has_a_date() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        (date,) = re.findall("date: (.*)\r\n", head)
        age = datetime.now(UTC) - parsedate_to_datetime(date)
        assert timedelta(-1) < age < timedelta(seconds=PATIENCE)


async def test_an_application_hears_that_its_client_is_gone() -> None:
    waiting = _Waiting()
    async with serving(waiting=waiting) as port, connected(port) as (_, writer):
        writer.write(request("/waiting"))
        await waiting.asked.wait()
        writer.transport.abort()
        await waiting.gone.wait()


async def test_a_head_that_grows_too_long_is_refused() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        for _ in range(MAX_HEAD // 1024):
            writer.write(b"\r\n" * 512)
            await writer.drain()
        writer.write(b"\r\n")
        assert await status(reader) == 431
        assert await reader.read() == b""


BODY = ("Content-Length: 1", "Transfer-Encoding: chunked")
DECLINED = request("/", "Connection: Upgrade", "Upgrade: h2c")
OTHER = request("/", "Connection: Upgrade", "Upgrade: websocket", method="OPTIONS")
UPGRADE = (
    *("Connection: Upgrade", "Upgrade: websocket"),
    *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
)
LINE = b"GET / HTTP/1.1\r\n"
PENDING = request() + request("/socket", "Connection: Upgrade", "Upgrade: websocket")
HOST = b"Host: localhost\r\n"

REFUSED = [
    *((request("/", header), 413) for header in BODY),
    *((request("/", header, method="POST"), 405) for header in BODY),
    (request("/", "Content-Length: 1000000000", method="PUT"), 405),
    (request("/socket", *UPGRADE, "Content-Length: 1"), 413),
    (request("/socket", *UPGRADE, "Content-Length: 1", method="POST"), 405),
    (request("localhost:80", method="CONNECT"), 405),
    (request(method="BREW"), 501),
    (b"\x16\x03\x01 not a request at all\r\n\r\n", 501),
    # Too long.
    (b"GET /" + b"x" * MAX_HEAD, 431),
    (LINE + b"Host: " + b"x" * MAX_HEAD, 431),
    (LINE + b"A: b\r\n" * (MAX_HEADERS + 2), 431),
    (b"\r\n" * (MAX_HEAD // 2 + 1), 431),
    # The proxy and the server, or two libraries, could parse these differently.
    (LINE + HOST + HOST + b"\r\n", 400),
    (LINE + HOST + b"Host: localhost:8000\r\n\r\n", 400),
    (request("/socket", *UPGRADE, "Origin: http://a.example", "Origin: http://b.example"), 400),
    (request("/socket", *UPGRADE, UPGRADE[-1]), 400),
    (request("/", "X-Forwarded-Proto: http", "X-Forwarded-Proto: https"), 400),
    (request("/", *BODY), 400),
    (request("/", *reversed(BODY)), 400),
    (request("/", "Content-Length: 1", "Content-Length: 2"), 400),
    (request("/", "Content-Length: 1, 1"), 400),
    (request("/", "Content-Length: +1"), 400),
    (request("/", "Content-Length: 99999999999999999999999"), 400),
    (request("/", "Transfer-Encoding: chunked, identity"), 400),
    (LINE + HOST + b"Folded: a\r\n b\r\n\r\n", 400),
    (LINE + b"Host : localhost\r\n\r\n", 400),
    (b"GET / HTTP/1.1\nHost: localhost\n\n", 400),
    (LINE + b"Host: localhost\n\r\n", 400),
    (LINE + b"Host: localhost\rX: y\r\n\r\n", 400),
    (LINE + b"Host: local\0host\r\n\r\n", 400),
    # Invalid hosts, targets and versions.
    (LINE + b"\r\n", 400),
    (LINE + b"Host:\r\n\r\n", 400),
    (LINE + b"Host: a b\r\n\r\n", 400),
    (LINE + b"Host: user@localhost\r\n\r\n", 400),
    (LINE + b"Host: localhost/x\r\n\r\n", 400),
    (LINE + b"Host: [::1\r\n\r\n", 400),
    (LINE + "Host: exämple.org\r\n\r\n".encode(), 400),
    (LINE + b"Host: " + b"x" * 254 + b"\r\n\r\n", 400),
    (request("http://["), 400),
    (request("http://user@localhost/"), 400),
    (request("http:///"), 400),
    (request("http://a b/"), 400),
    (request("http://localhost:port/"), 400),
    (request("http://localhost/#part"), 400),
    (request("ftp://localhost/"), 400),
    (b"GET http://localhost/ HTTP/1.1\r\n\r\n", 400),
    (b"GET http://localhost/ HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
    (request("nothing"), 400),
    (request("/#part"), 400),
    (request("*", method="OPTIONS"), 400),
    (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
    (b"GET /\r\n\r\n", 505),
]
"""Requests that are refused, with the status."""


@pytest.mark.parametrize(
    "exchange",
    [
        [(request() + request("/nothing") + request(), [200, 404, 200])],
        # After an upgrade to something else, a proxy may use the connection for another client.
        [(DECLINED, [200]), (request(), [200])],
        [(OTHER, [405]), (request(), [200])],
        [(DECLINED + request() * 2, [200] * 3)],
        [(request("/", *UPGRADE).replace(b"HTTP/1.1", b"HTTP/1.0"), [200])],
        # No socket is opened while an answer is pending.
        [(PENDING, [200, 404])],
        *(
            [(request(f"http://b.example{path}") + request(), [200, 200])]
            for path in ("", "/", "?x")
        ),
    ],
)
async def test_requests_of_one_connection_are_answered_in_order(
    exchange: list[tuple[bytes, list[int]]],
) -> None:
    async with serving() as port, connected(port) as (reader, writer):
        for sent, statuses in exchange:
            writer.write(sent)
            assert [await status(reader) for _ in statuses] == statuses


async def test_an_unusual_request_is_refused_and_ends_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving() as port:
        for sent, expected in REFUSED:
            async with connected(port) as (reader, writer):
                writer.write(sent + request())
                assert await status(reader) == expected, sent
                # The second request could also be the first one's body.
                assert await reader.read() == b"", sent
    assert not caplog.records


async def test_an_answer_to_head_has_no_body_even_with_an_upgrade() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/socket", *UPGRADE, method="HEAD"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 404 ")
        writer.write(request())
        assert await status(reader) == 200


async def test_the_refusal_of_a_method_lists_the_allowed_ones() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/", "Content-Length: 1", method="POST") + b"x")
        answer = await reader.read()
        assert b"\r\nallow: GET, HEAD, OPTIONS\r\n" in answer
        assert answer.endswith(b"\r\n\r\n405 Method Not Allowed\n")


async def test_a_refusal_is_not_overtaken_by_a_reset() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/", "Content-Length: 1000000", method="POST"))
        # Bytes that arrive at a closed connection are answered with a reset.
        for _ in range(10):
            writer.write(b"x" * 100_000)
            await writer.drain()
        assert (await reader.read()).startswith(b"HTTP/1.1 405 ")


async def test_input_after_a_refusal_is_discarded_only_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers = Timers(monkeypatch, DISCARD_WITHIN)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/", "Content-Length: 1000000", method="POST"))
        assert await status(reader) == 405
        writer.write(b"x" * 100_000)
        await writer.drain()
        await answered(port)
        assert not writer.is_closing()
        timers.fire(DISCARD_WITHIN)
        while not writer.is_closing():
            writer.write(b"x")
            await asyncio.sleep(0)


async def test_a_refusal_does_not_overtake_the_answers_to_earlier_requests() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request() + b"GET nothing HTTP/1.1\r\n\r\n")
        assert await status(reader) == 200
        assert await reader.read() == b""


async def test_few_pipelined_requests_may_wait() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request() * (MAX_PIPELINED + 9))
        assert (await reader.read()).count(b"HTTP/1.1 200 ") == MAX_PIPELINED + 1


async def test_an_unfinished_request_holds_little_memory() -> None:
    many = b"GET / HTTP/1.1\r\n" + b"%02x: y\r\n" * (MAX_HEADERS - 1)
    heads = [b"GET / HTTP/1.1\r\nX: " + b"y" * 8_000, many % tuple(range(MAX_HEADERS - 1))]
    async with serving() as port, AsyncExitStack() as stack:
        for head in heads:
            clients = [await stack.enter_async_context(connected(port)) for _ in range(20)]
            with traced() as held:
                for _, writer in clients:
                    writer.write(head)
                await answered(port)
                assert held() / len(clients) < 3 * MAX_HEAD


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET / HT", request()[:-2]])
async def test_an_incomplete_request_times_out(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = Timers(monkeypatch, REQUEST_WITHIN)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(sent)
        await answered(port)
        timers.fire(REQUEST_WITHIN)
        assert await reader.read() == b""


@pytest.mark.parametrize("path", ["/large", "/parts"])
@pytest.mark.parametrize("reads", [True, False])
async def test_only_a_client_that_does_not_read_its_response_is_disconnected(
    path: str, monkeypatch: pytest.MonkeyPatch, *, reads: bool
) -> None:
    timers = Timers(monkeypatch, REQUEST_WITHIN, READ_WITHIN)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request(path))
        await reader.readuntil(b"\r\n\r\n")
        # Before anything was read.
        timers.fire(REQUEST_WITHIN)
        if reads:
            await reader.readexactly(LARGE)
            return
        timers.fire(READ_WITHIN)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await reader.readexactly(LARGE)


async def test_a_client_that_has_read_all_of_a_slow_response_is_not_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers, go_on = Timers(monkeypatch, REQUEST_WITHIN, READ_WITHIN), asyncio.Event()

    async def halves() -> AsyncIterator[bytes]:
        yield b"x"
        await go_on.wait()
        yield b"y"

    waiting = StreamingResponse(halves(), headers={"Content-Length": "2"})
    async with serving(waiting=waiting) as port, connected(port) as (reader, writer):
        writer.write(request("/waiting"))
        await reader.readuntil(b"\r\n\r\nx")
        timers.fire(REQUEST_WITHIN)
        timers.fire(READ_WITHIN)
        go_on.set()
        assert await reader.readexactly(1) == b"y"


async def test_the_time_limits_of_requests_do_not_apply_to_sockets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers = Timers(monkeypatch, REQUEST_WITHIN, READ_WITHIN)
    async with serving() as port, connect(f"ws://127.0.0.1:{port}/socket") as socket:
        await socket.send(b"x" * MAX_HEAD)
        await socket.recv()
        timers.fire(REQUEST_WITHIN)
        timers.fire(READ_WITHIN)
        await socket.send(b"x" * MAX_HEAD)
        assert len(await socket.recv()) == MAX_HEAD


async def test_closing_ends_sockets_with_1001_and_idle_connections() -> None:
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        socket = await connect(f"ws://127.0.0.1:{port}/socket")
    with pytest.raises(ConnectionClosed):
        await socket.recv()
    assert socket.close_code == 1001
    assert await reader.read() == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (request(), b"HTTP/1.1 200 "),
        (request("/socket", "Connection: Upgrade", "Upgrade: websocket"), b""),
    ],
    ids=["request", "upgrade"],
)
async def test_requests_arriving_during_closing_are_answered_but_upgrades_are_not(
    sent: bytes, answer: bytes
) -> None:
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(serving())
        async with connected(port) as (reader, writer):
            closing = asyncio.create_task(stack.aclose())
            while is_open(port):
                await asyncio.sleep(0)
            writer.write(sent)
            assert (await reader.read())[: len(answer) or None] == answer
        await closing


def is_open(port: int) -> bool:
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


async def test_a_client_that_does_not_close_in_time_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "STOP_WITHIN", 0.2)
    monkeypatch.setattr(_Echo, "closes", False)
    with structlog.testing.capture_logs() as logs:
        async with serving() as port:
            socket = await connect(f"ws://127.0.0.1:{port}/socket")
        with pytest.raises(ConnectionClosed):
            await socket.recv()
    assert [(line["event"], line["count"]) for line in logs] == [("connections_aborted", 1)]


async def test_pipelined_requests_take_turns_by_the_clients_behind_a_proxy() -> None:
    begun: list[str] = []

    class Noted(Turns):
        def add(
            self, address: str, transport: asyncio.Transport, turn: Turn, later: float = 0.0
        ) -> None:
            if later:
                begun.append(address)
            super().add(address, transport, turn, later)

    admission = Admission(Budgets(), Proxies(("127.0.0.1",)), 100)
    clients = ["203.0.113.7", "198.51.100.1", "203.0.113.7"]
    async with serving(admission, Noted()) as port, connected(port) as (reader, writer):
        writer.write(b"".join(request("/", f"X-Forwarded-For: {each}") for each in clients))
        assert [await status(reader) for _ in clients] == [200] * 3
    assert begun == clients
