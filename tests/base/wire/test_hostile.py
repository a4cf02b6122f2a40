"""Slow and hostile clients next to a player: answers, memory use, and persistence.

Excess commands, sockets, guests and guesses are in `test_excess.py`, invalid requests in
`test_listener.py`, frames in `test_socket.py`, and latency in `deploy/bench/hostile.py`.
"""

from __future__ import annotations

import asyncio
import gc
import io
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
from redis import Redis
from websockets.exceptions import InvalidStatus

from server.base.net import bound_sockets, limits, listener
from server.base.wire import session
from server.base.wire import socket as server_socket
from server.base.wire.session_messages import VERSION
from server.base.wire.socket import Socket
from server.cli.log_lines import LINES, MAX_LINE
from server.cli.logs import configure
from tests.base.redis.servers import until
from tests.base.wire.test_session import narrow_socket
from tests.clients.client import Client, opened
from tests.clients.play import room_of
from tests.clients.raw import BINARY, CLOSE, CONT, PING, PONG, RawClient, connected, frame
from tests.conftest import ALONE, logging_restored, node
from tests.timers import Timers
from tests.wire import Wire

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

Crowd = Callable[..., Awaitable[list[RawClient]]]
CROWD = 30
"""Number of concurrent attackers."""


def keys(redis_url: str) -> set[str]:
    """Return Redis's keys, except the nodes' own."""
    with Redis.from_url(redis_url, decode_responses=True) as redis:
        found = redis.keys()
    assert isinstance(found, list)
    return set(found)


def sockets() -> list[Socket]:
    """Return the node's ends of all connected WebSockets; the node shares this process."""
    found = [each for each in gc.get_objects() if type(each) is Socket]
    return [each for each in found if not each.transport.is_closing()]


async def until_gone(count: int) -> None:
    await until(lambda: len(sockets()) <= count)


@asynccontextmanager
async def bystander_on(port: int) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Yield an assertion that a well-behaved player's commands are answered.

    At the end, only the player's session is left and works.
    """
    async with opened(port) as client:

        async def plays() -> None:
            # With and without the store.
            for command, answer in (("ping", "pong"), ("daily.list", "dailies")):
                assert (await client.ask(command))["type"] == answer

        await client.hello()
        await plays()
        yield plays
        await plays()
        await until_gone(1)
        assert client.seen == []


@asynccontextmanager
async def attacked(port: int) -> AsyncIterator[tuple[Callable[[], Awaitable[None]], Crowd]]:
    """Yield a bystander, and a function that connects attackers, until the end of the block."""
    async with bystander_on(port) as plays, AsyncExitStack() as stack:
        yield plays, partial(connect_crowd, stack, port)


def command(type_: str, **fields: Any) -> bytes:
    return frame(BINARY, Wire().pack({"type": type_, "id": 1, **fields}))


HELLO = command("hello", version=VERSION, token=None)


async def connect_crowd(
    stack: AsyncExitStack, port: int, sent: bytes = b"", *, shaken: bool = True
) -> list[RawClient]:
    """Connect many clients, which send the same after their handshakes, and read nothing more."""
    found = [await stack.enter_async_context(connected(port)) for _ in range(CROWD)]
    for client in found:
        # Do not wait for their unsent data.
        stack.callback(client.abort)
        if shaken:
            await client.shake()
        client.write(sent)
    return found


@pytest.fixture(autouse=True)
def closes_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Abort connections to attackers, who do not answer a close, in less than two seconds."""
    monkeypatch.setattr(server_socket, "CLOSE_WITHIN", 0.05)


async def ends(client: RawClient) -> tuple[int, list[bytes]]:
    """Return the close code of a client after its handshake, and the messages before it."""
    frames = await client.rest()
    assert frames[-1].opcode == CLOSE
    messages = [each.payload for each in frames if each.opcode == BINARY]
    return int.from_bytes(frames[-1].payload[:2], "big"), messages


# Slow


async def test_reading_ahead_of_a_flood_is_bounded(port: int) -> None:
    flood = frame(PONG, b"x" * 125) * 1_500
    async with attacked(port) as (plays, crowd):
        await crowd(flood)
        flooded = [each for each in sockets() if each.session and each.session.player is None]
        assert len(flooded) == CROWD
        for _ in range(5):
            await plays()
            # The kernel's buffer is bounded, so a single read is bounded, too.
            assert max(len(each._buffer) for each in flooded) <= 2 * bound_sockets.RECEIVE_BUFFER


async def test_the_kernel_ends_connections_of_clients_that_do_not_read(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_socket, "UNHEARD_WITHIN", 0.2)
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(1e6, 1e6))
    raw = narrow_socket(port)
    async with bystander_on(port) as plays, opened(port, sock=raw) as stopped:
        await stopped.hello()
        stopped.socket.transport.pause_reading()
        own = raw.getsockname()
        (held,) = [e for e in sockets() if e.transport.get_extra_info("peername") == own]
        while not held.is_behind() and not held.transport.is_closing():
            held.send(b"x" * 1_000)
            await asyncio.sleep(0)
        # It answers the kernel's probes, but it reads nothing.
        await until_gone(1)
        await plays()
        stopped.socket.transport.abort()


async def test_a_head_sent_byte_by_byte_is_cut_off(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "REQUEST_WITHIN", 0.1)
    async with attacked(port) as (plays, crowd):
        clients = await crowd(shaken=False)
        ended = [asyncio.ensure_future(each.reader.read()) for each in clients]
        for client in clients:
            client.write(b"GET /")
        while not all(each.done() for each in ended):
            for client in clients:
                client.write(b"x")
            await asyncio.sleep(0.005)
        await plays()
        # Most are reset, because their last byte arrives too late.
        found = await asyncio.gather(*ended, return_exceptions=True)
        assert all(each == b"" or isinstance(each, ConnectionResetError) for each in found)


async def test_a_hello_sent_byte_by_byte_gets_no_extra_time(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with attacked(port) as (plays, crowd):
        timers = Timers(monkeypatch, session.HELLO_WITHIN)
        clients = await crowd()
        # Without its last byte.
        for byte in HELLO[:-1]:
            for client in clients:
                client.write(bytes([byte]))
            await asyncio.sleep(0)
        await plays()
        timers.fire(session.HELLO_WITHIN)
        assert {code for code, _ in [await ends(each) for each in clients]} == {4003}


async def test_silent_connections_are_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with attacked(port) as (plays, crowd):
        monkeypatch.setattr(session, "HELLO_WITHIN", 0.1)
        shaken = await crowd()
        # Only now: a handshake may take as long on a busy machine.
        monkeypatch.setattr(listener, "REQUEST_WITHIN", 0.1)
        silent = await crowd(shaken=False)
        await plays()
        for client in shaken:
            code, (bye,) = await ends(client)
            assert (code, b"hello_timeout" in bye) == (4003, True)
        for client in silent:
            assert await client.reader.read() == b""


# Floods


async def test_an_endless_message_is_too_big(port: int) -> None:
    pieces = frame(BINARY, b"x" * 400, flags=0) + frame(CONT, b"x" * 400, flags=0) * 10
    async with attacked(port) as (plays, crowd):
        for client in await crowd(pieces):
            assert (await ends(client))[0] == 1009
        await plays()


@pytest.mark.parametrize(
    "sent",
    [frame(PONG) * 40, frame(PING) * 40, frame(BINARY, flags=0) + frame(CONT, flags=0) * 40],
    ids=["pongs", "pings", "empty fragments"],
)
async def test_empty_fragments_pings_and_pongs_are_too_fast(
    port: int, few: Callable[..., None], sent: bytes
) -> None:
    few(PLAYER_COMMANDS=30.0, PLAYER_OFFENCES=4.0)
    async with attacked(port) as (plays, crowd):
        for client in await crowd(sent):
            code, messages = await ends(client)
            assert (code, b"too_fast" in messages[-1]) == (4005, True)
        await plays()


async def test_idle_guests_leave_nothing_in_redis(redis_url: str) -> None:
    async with node(redis_url) as port, bystander_on(port) as plays:
        before = keys(redis_url)
        async with AsyncExitStack() as stack:
            for client in await connect_crowd(stack, port, HELLO):
                assert (await client.next()) is not None
            await plays()
            assert len(sockets()) == CROWD + 1
        await until_gone(1)
        await until(lambda: not keys(redis_url) - before)


async def test_a_storm_of_reconnects_preserves_every_seat(port: int) -> None:
    async with bystander_on(port) as plays, AsyncExitStack() as stack:
        first = [await stack.enter_async_context(opened(port)) for _ in range(16)]
        codes = [await room_of(*first[at : at + 8], key=f"storm{at:05}") for at in (0, 8)]
        tokens = [(await each.ask("SignOutEverywhere"))["token"] for each in first]
        for client in first:
            client.socket.transport.abort()

        async def back(number: int) -> None:
            async with opened(port) as client:
                assert (await client.hello(tokens[number]))["type"] == "welcome"
                room = await client.ask("room.join", code=codes[number // 8])
                assert len(room["members"]) == 8

        await asyncio.gather(*map(back, range(len(tokens))), plays())


Loop = Callable[[Client, int], Awaitable[Any]]

LOOPS: dict[str, Loop] = {
    "boards": lambda client, turn: client.ask("leaderboard.watch", game="robert"),
    "rooms": lambda client, turn: client.ask(
        "room.create", game="robert", seats=2, limit=600, key=f"{turn:010}"
    ),
    "names": lambda client, turn: client.ask("rename", name=f"Ada {turn}"),
    "guests of a room": lambda client, turn: client.ask("room.join", code="22222222"),
    "tokens": lambda client, turn: client.ask("hello", version=VERSION, token=f"token{turn}"),
    "codes": lambda client, turn: client.ask("SignIn", code="k3mq7w2r"),
}


@pytest.mark.parametrize("name", LOOPS)
async def test_a_repeated_command_is_refused_and_ends_the_session(
    port: int, few: Callable[..., None], name: str
) -> None:
    async with bystander_on(port) as plays:
        few(PLAYER_COMMANDS=60.0, PLAYER_OFFENCES=5.0)
        async with opened(port) as client:
            if name != "tokens":
                await client.hello()
            codes: list[str | None] = []
            with suppress(ConnectionError):
                while len(codes) < 100:
                    codes.append((await LOOPS[name](client, len(codes))).get("code"))
            await plays()
            assert codes[-5:] == ["too_fast"] * 5
            assert await client.closed() == 4005


async def test_requests_of_an_address_are_limited_and_sockets_go_on(
    redis_url: str, few: Callable[..., None]
) -> None:
    few(ADDRESS_ANSWERS=40.0, LEAST_ANSWERS=1.0)
    async with node(redis_url, trusted_proxies=("127.0.0.1",)) as port, bystander_on(port) as plays:

        async def ask(address: str, count: int) -> list[bytes]:
            async with connected(port) as client:
                for _ in range(count):
                    client.write(
                        b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
                        + f"X-Forwarded-For: {address}\r\n\r\n".encode()
                    )
                    head = await client.reader.readuntil(b"\r\n\r\n")
                    if head.startswith(b"HTTP/1.1 429 "):
                        assert b"\r\nretry-after: 10\r\n" in head
                        return [b"429", await client.reader.read()]
                    await client.reader.readuntil(b"ok")
            return []

        assert await ask("203.0.113.7", 40) == []
        # The connection ends, so the second request gets no answer.
        assert await ask("203.0.113.7", 1) == [b"429", b"429 Too Many Requests\n"]
        await plays()
        assert await ask("198.51.100.1", 1) == []


# The log


async def test_misbehaving_clients_cause_few_log_lines(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    with logging_restored():
        monkeypatch.setattr(sys, "stderr", written)
        configure("json", "info", "ab12")
        async with node(redis_url) as port:
            for _ in range(2 * LINES["info"]):
                with pytest.raises(InvalidStatus):
                    async with opened(port, origin="http://" + "x" * 2_000 + ".example"):
                        pass
                async with connected(port) as client:
                    client.write(b"GET http://[ HTTP/1.1\r\nHost: \x1b[2J\r\n\r\n")
                    assert (await client.reader.read()).startswith(b"HTTP/1.1 400 ")
        lines = written.getvalue().splitlines()
    assert sum("origin_refused" in line for line in lines) <= LINES["info"] + 1
    assert max(map(len, lines)) < MAX_LINE
    assert "\x1b" not in written.getvalue()
    assert "Traceback" not in written.getvalue()
