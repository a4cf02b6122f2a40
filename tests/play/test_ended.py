"""Ended connections leave no objects for a full garbage collection."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress

import pytest
from websockets.server import ServerProtocol

from server.base.net import limits, listener
from server.base.net.budgets import Payer
from server.base.net.exchange import Exchange
from server.base.net.listener import _Connection
from server.base.net.outgoing import Outgoing
from server.base.wire import session as session_module
from server.base.wire import socket
from server.base.wire.session import Session
from server.base.wire.socket import Socket
from server.players.core.keys import MAX_SESSIONS
from tests.base.redis.servers import until
from tests.clients.client import opened
from tests.clients.play import room_of
from tests.clients.raw import BINARY, PING, close, connected, frame, handshake
from tests.conftest import ALONE, node
from tests.sizes import SAMPLED, cases

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

OURS = (Session, Socket, _Connection, Exchange, Outgoing, Payer, ServerProtocol)
"""The classes that a node instantiates for each connection."""

REQUEST = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


def left() -> Counter[str]:
    return Counter(type(each).__name__ for each in gc.get_objects() if type(each) in OURS)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Collect garbage of earlier tests, and none during the test."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def leave(port: int) -> None:
    """Play a move in a room, watch a leaderboard, and close the connection."""
    async with opened(port) as one, opened(port) as two:
        await room_of(one, two)
        await one.ask("leaderboard.watch", game="robert")
        attempt = await two.ask("daily.open", game="robert")
        await two.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
        await two.ask("move", attempt=attempt["attempt"], seq=9, move="s>w")
        await one.ask("room.join", code="NOROOM22")


async def abort(port: int) -> None:
    async with opened(port) as client:
        await client.hello()
        client.send("daily.open", game="robert")
        client.socket.transport.abort()


async def open_too_many_sessions(port: int) -> None:
    async with AsyncExitStack() as stack:
        first, *others = [
            await stack.enter_async_context(opened(port)) for _ in range(MAX_SESSIONS + 1)
        ]
        token = (await first.hello())["token"]
        for other in others:
            await other.hello(token)
        assert await first.closed() == 4001


async def refused_hello(port: int) -> None:
    async with opened(port) as client:
        await client.ask("hello", version=1_000)
        assert await client.closed() == 4002


async def no_hello(port: int) -> None:
    async with opened(port) as client:
        assert await client.closed() == 4003


async def bad_messages(port: int) -> None:
    async with opened(port) as client:
        await client.hello()
        for _ in range(int(limits.PLAYER_OFFENCES.at_once) + 1):
            await client.socket.send(b"\xc1")
        assert await client.closed() == 4000


async def break_the_protocol(port: int) -> None:
    for script in (frame(3), frame(BINARY, masked=False), frame(PING, flags=0)):
        async with connected(port) as client:
            await client.shake()
            client.write(script)
            await client.rest()


async def do_not_read(port: int) -> None:
    async with connected(port) as client:
        await client.shake()
        (held,) = [each for each in gc.get_objects() if type(each) is Socket]
        client.transport.pause_reading()
        while held.session is not None:
            held.session.send_frame(b"x" * 20_000)
            await asyncio.sleep(0)


async def handshakes_that_are_refused(port: int) -> None:
    """Request a socket at a wrong path, or with another version of WebSocket."""
    for request in (
        handshake(Origin="https://evil.example"),
        handshake().replace(b"Version: 13", b"Version: 12"),
        handshake().replace(b"Sec-WebSocket-Key", b"Sec-WebSocket-Kay"),
    ):
        async with connected(port) as client:
            await client.shake(request)
            assert client.status >= 400
            await client.reader.read()


async def ask_over_http(port: int) -> None:
    """Send HTTP requests, some refused or abandoned, alone and before a socket."""
    for script in (REQUEST * 3, REQUEST * 30, REQUEST + b"NONE\r\n\r\n", REQUEST[:-2]):
        async with connected(port) as client:
            client.write(script)
            await client.reader.read(10)
            client.abort()
    async with connected(port) as client:
        client.write(REQUEST)
        await client.reader.readuntil(b"ok\n")
        await client.shake()
        client.write(close(1000))
        await client.rest()


WAYS: tuple[Callable[[int], Awaitable[None]], ...] = (
    leave,
    abort,
    open_too_many_sessions,
    refused_hello,
    no_hello,
    bad_messages,
    break_the_protocol,
    do_not_read,
    handshakes_that_are_refused,
    ask_over_http,
)


@pytest.mark.usefixtures("no_collector")
@SAMPLED
@pytest.mark.parametrize("way", WAYS[:: cases(3, 1)], ids=lambda way: way.__name__)
async def test_a_connection_leaves_no_objects_however_it_ends(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, way: Callable[[int], Awaitable[None]]
) -> None:
    monkeypatch.setattr(socket, "CLOSE_WITHIN", 0.05)
    if way is no_hello:
        monkeypatch.setattr(session_module, "HELLO_WITHIN", 0.05)
    if way is ask_over_http:
        monkeypatch.setattr(listener, "REQUEST_WITHIN", 1.0)
    async with node(redis_url) as port:
        await way(port)

        async def none_left() -> bool:
            return not left()

        with suppress(TimeoutError):
            await until(none_left)
        assert left() == Counter()


@pytest.mark.usefixtures("no_collector")
async def test_the_connections_of_a_stopping_node_leave_no_objects(redis_url: str) -> None:
    async with node(redis_url) as port:
        client = opened(port)
        await (await client.__aenter__()).hello()
        assert left()
    assert left() == Counter()
    await client.__aexit__(None, None, None)
