"""The listener: limits on what clients send, and how connections end. Sockets echo here."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, cast

import pytest
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn import Config
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.http11 import Request as Upgrade
from websockets.server import ServerProtocol

from server import listening
from server.gateway import listener as module
from server.gateway.listener import MAX_REQUEST_SIZE, Listener

LARGE = 32_000_000


class Echo(asyncio.Protocol):
    """A socket that sends messages back, and closes with 1001 if `closes` is set."""

    closes = True

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.connections: set[Any] = server_state.connections
        self.socket = ServerProtocol()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection."""
        # uvloop's has the same methods, but not the base class.
        self.transport = cast("asyncio.Transport", transport)
        self.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        """Accept the handshake, and echo messages."""
        self.socket.receive_data(data)
        for event in self.socket.events_received():
            if isinstance(event, Upgrade):
                self.socket.send_response(self.socket.accept(event))
            elif isinstance(event, Frame) and event.opcode is Opcode.BINARY:
                self.socket.send_binary(event.data)
        self.flush()

    def shutdown(self) -> None:
        """Send a close frame if `closes` is set."""
        if self.closes:
            self.socket.send_close(1001)
            self.flush()

    def flush(self) -> None:
        """Send what the protocol has to send."""
        self.transport.write(b"".join(self.socket.data_to_send()))
        if self.socket.close_expected():
            self.transport.close()


async def short(_: Request) -> PlainTextResponse:
    return PlainTextResponse("short")


async def large(_: Request) -> PlainTextResponse:
    return PlainTextResponse("x" * LARGE)


async def broken(_: Request) -> PlainTextResponse:
    raise RuntimeError("broken on purpose")


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """Serve, and yield the port."""
    app = Starlette(routes=[Route("/", short), Route("/large", large), Route("/broken", broken)])
    listener = Listener(app, Echo)
    (bound,) = listening.bind("127.0.0.1", 0)
    port = listening.port_of(bound)
    await listener.open(bound)
    try:
        yield port
    finally:
        await listener.close()


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect, and send nothing."""
    async with asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        yield reader, writer
        writer.close()


def request(path: str = "/", *headers: str, method: str = "GET") -> bytes:
    """Return a request's bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", ""]
    return "\r\n".join(lines).encode()


async def status(reader: asyncio.StreamReader) -> int:
    """Read an answer, and return its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = next(line for line in head.split("\r\n") if line.startswith("content-length:"))
    await reader.readexactly(int(length.partition(":")[2]))
    return int(head.split()[1])


async def test_requests_of_one_connection_are_answered_in_order() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request() + request("/nothing") + request())
        assert [await status(reader) for _ in range(3)] == [200, 404, 200]


async def test_a_socket_is_made_by_the_class_that_was_given() -> None:
    async with serving() as port, connect(f"ws://127.0.0.1:{port}/socket") as socket:
        await socket.send(b"hello")
        assert await socket.recv() == b"hello"


async def test_an_upgrade_to_something_else_is_an_ordinary_request() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"))
        assert await status(reader) == 200


async def test_bytes_that_are_not_a_request_are_refused() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(b"\x16\x03\x01 not a request at all\r\n\r\n")
        assert await status(reader) == 400
        assert await reader.read() == b""


async def test_an_exception_is_answered_with_500(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/broken"))
        assert await status(reader) == 500
    assert "broken on purpose" in caplog.text


@pytest.mark.parametrize(
    "start",
    [
        b"GET /" + b"x" * MAX_REQUEST_SIZE,
        b"GET / HTTP/1.1\r\nHost: " + b"x" * MAX_REQUEST_SIZE,
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * (MAX_REQUEST_SIZE // 6),
        b"\r\n" * (MAX_REQUEST_SIZE // 2 + 1),
    ],
    ids=["target", "header", "headers", "nothing"],
)
async def test_a_head_that_is_too_long_is_refused(start: bytes) -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(start + b"x" * MAX_REQUEST_SIZE)
        # The reset may overtake the response; the connection ends in either case.
        with suppress(ConnectionError):
            assert (await reader.read()).startswith(b"HTTP/1.1 413 ")


async def test_a_head_that_grows_too_long_is_refused() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        for _ in range(MAX_REQUEST_SIZE // 1024):
            writer.write(b"\r\n" * 512)
            await writer.drain()
        writer.write(b"\r\n")
        assert await status(reader) == 413
        assert await reader.read() == b""


async def test_a_large_body_is_not_read_to_its_end() -> None:
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/", "Content-Length: 1000000000", method="POST"))
        assert await status(reader) == 405
        writer.write(b"x" * 2 * MAX_REQUEST_SIZE)
        with suppress(ConnectionError):
            assert b"HTTP/1.1 200" not in await reader.read()


@pytest.mark.parametrize(
    "sent", [b"", b"\r\n", b"GET / HT", request("/", "Content-Length: 5")[:-2]]
)
async def test_an_incomplete_request_times_out(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REQUEST_WITHIN", 0.05)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(sent)
        assert await reader.read() == b""


async def test_a_missing_body_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REQUEST_WITHIN", 0.05)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/", "Content-Length: 5"))
        assert await status(reader) == 200
        assert await reader.read() == b""


async def test_a_client_that_does_not_read_its_response_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REQUEST_WITHIN", 0.05)
    monkeypatch.setattr(module, "READ_WITHIN", 0.05)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/large"))
        await reader.readuntil(b"\r\n\r\n")
        # Longer than both time limits of the server, which shares this loop.
        await asyncio.sleep(0.3)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await reader.readexactly(LARGE)


async def test_a_client_that_reads_its_response_slowly_is_not_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REQUEST_WITHIN", 0.05)
    async with serving() as port, connected(port) as (reader, writer):
        writer.write(request("/large"))
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.3)
        await reader.readexactly(LARGE)


async def test_the_time_limits_of_requests_do_not_apply_to_sockets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REQUEST_WITHIN", 0.05)
    monkeypatch.setattr(module, "READ_WITHIN", 0.05)
    async with serving() as port, connect(f"ws://127.0.0.1:{port}/socket") as socket:
        await socket.send(b"x" * MAX_REQUEST_SIZE)
        await socket.recv()
        await asyncio.sleep(0.3)
        await socket.send(b"x" * MAX_REQUEST_SIZE)
        assert len(await socket.recv()) == MAX_REQUEST_SIZE


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
async def test_requests_that_arrive_during_closing_are_answered_and_upgrades_are_not(
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
    """Return whether connections are accepted."""
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


async def test_a_client_that_does_not_close_in_time_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "STOP_WITHIN", 0.2)
    monkeypatch.setattr(Echo, "closes", False)
    with structlog.testing.capture_logs() as logs:
        async with serving() as port:
            socket = await connect(f"ws://127.0.0.1:{port}/socket")
        with pytest.raises(ConnectionClosed):
            await socket.recv()
    assert [(line["event"], line["count"]) for line in logs] == [("connections_aborted", 1)]
