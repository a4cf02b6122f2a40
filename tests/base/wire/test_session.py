"""Sessions over real sockets: hello, identity, limits, and the reasons for closing."""

from __future__ import annotations

import asyncio
import socket
from contextlib import AsyncExitStack

import msgpack
import pytest
from websockets.exceptions import InvalidStatus

from server.base.net import limits
from server.base.wire import socket as server_socket
from server.base.wire.session_messages import VERSIONS
from tests.clients.client import opened
from tests.clients.play import room_of
from tests.clients.raw import connected, handshake
from tests.conftest import ALONE, node

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]


async def test_an_identity_outlives_its_session_and_the_server(redis_url: str) -> None:
    async with node(redis_url) as port:
        async with opened(port) as client, opened(port) as other:
            welcome = await client.hello(name="Ada")
            assert (await other.hello())["player"]["id"] != welcome["player"]["id"]
        async with opened(port) as client:
            again = await client.hello(welcome["token"])
    async with node(redis_url) as port, opened(port) as client:
        later = await client.hello(welcome["token"])
    for each in (again, later):
        assert (each["player"], each["token"]) == (welcome["player"], welcome["token"])


async def test_a_name_can_be_changed_to_a_usable_one(port: int) -> None:
    async with opened(port) as client:
        token = (await client.hello())["token"]
        assert (await client.ask("rename", name="  Ada   L. "))["type"] == "done"
        assert (await client.ask("rename", name="a\u202eb"))["code"] == "bad_name"
    async with opened(port) as client:
        assert (await client.hello(token))["player"]["name"] == "Ada L."


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: "x" + t, lambda _: "", str.upper])
async def test_a_foreign_token_is_refused_and_the_session_goes_on(
    port: int, change: object
) -> None:
    async with opened(port) as client:
        token = (await client.hello())["token"]
    async with opened(port) as client:
        assert callable(change)
        assert (await client.hello(change(token)))["code"] == "bad_token"
        assert (await client.hello())["type"] == "welcome"


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_supported_version_is_served(port: int, version: int) -> None:
    async with opened(port) as client:
        assert (await client.ask("hello", version=version))["type"] == "welcome"
        attempt = await client.ask("daily.open", game="robert")
        move = await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
        assert move["type"] == "moved"


@pytest.mark.parametrize("version", [VERSIONS[0] - 1, VERSIONS[-1] + 1])
async def test_an_older_or_newer_version_is_refused_and_closed(port: int, version: int) -> None:
    async with opened(port) as client:
        refused = await client.ask("hello", version=version)
        assert refused["code"] == "bad_version"
        assert f"{VERSIONS[0]} to {VERSIONS[-1]}" in refused["text"]
        assert (await client.next("bye"))["code"] == "bad_version"
        assert await client.closed() == 4002


async def test_commands_before_hello_and_a_second_hello_are_refused(port: int) -> None:
    async with opened(port) as client:
        assert (await client.ask("ping"))["code"] == "hello_first"
        assert (await client.hello())["type"] == "welcome"
        assert (await client.hello())["code"] == "hello_first"


@pytest.mark.parametrize(
    "frame",
    [
        *(b"", b"\xc1", b"\x91" * 2000, b"\xdf\xff\xff\xff\xff", "text"),
        msgpack.packb([15, 1]) + b"\x00",
        *map(msgpack.packb, ([], [1, 2], [99, 1], [15], [15, 1, 1], [15, "1"], [32, 1, 2])),
        *map(msgpack.packb, ({"type": "ping", "id": 1}, {1: 2})),
    ],
)
async def test_an_invalid_frame_is_refused_and_the_session_goes_on(
    port: int, frame: bytes | str
) -> None:
    async with opened(port) as client:
        await client.hello()
        await client.socket.send(frame)
        assert (await client.next("refused"))["code"] == "bad_message"
        assert (await client.ask("ping"))["type"] == "pong"


async def test_an_invalid_command_is_answered_with_its_id(port: int) -> None:
    async with opened(port) as client:
        await client.hello()
        answer = await client.ask("room.create", game="robert", seats=9, limit=60, key="k" * 8)
        assert answer["code"] == "bad_message"
        assert "8" in answer["text"]


def narrow_socket(port: int) -> socket.socket:
    """Return a socket connected to a node, with a small buffer for received data."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    raw.connect(("127.0.0.1", port))
    raw.setblocking(False)
    return raw


async def test_a_slow_reader_is_closed_without_slowing_others(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its queue is bounded by 64 messages, in addition to the operating system's buffers."""

    def narrow(transport: asyncio.Transport) -> None:
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)

    monkeypatch.setattr(server_socket, "_keep_alive", narrow)
    monkeypatch.setattr(server_socket, "MAX_UNSENT", 4_096)
    monkeypatch.setattr(server_socket, "CLOSE_WITHIN", 0.1)
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(20.0, 100_000.0))
    monkeypatch.setattr(limits, "PLAYER_OFFENCES", limits.Rate(20.0, 100_000.0))
    async with opened(port, sock=narrow_socket(port)) as slow, opened(port) as other:
        await room_of(other, slow)
        slow.socket.transport.pause_reading()
        for _ in range(2_000):
            # A command that is answered without Redis.
            slow.send("attempt.open", attempt="x" * 64)
        absent = await other.next("room", lambda room: not all(m["here"] for m in room["members"]))
        assert absent["members"][1]["here"] is False
        assert (await other.ask("ping"))["type"] == "pong"
        slow.socket.transport.resume_reading()


async def test_only_allowed_origins_open_sockets(redis_url: str) -> None:
    async with node(redis_url, origins=("https://friend.example",)) as port:
        for allowed in (f"http://localhost:{port}", "https://friend.example", None):
            async with opened(port, origin=allowed) as client:
                assert (await client.hello())["type"] == "welcome"
        for refused in ("https://evil.example", "null", f"http://localhost:{port + 1}"):
            with pytest.raises(InvalidStatus) as error:
                async with opened(port, origin=refused):
                    pass
            assert error.value.response.status_code == 403


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://localhost/socket", 101),
        ("http://localhost/api/games", 200),
        ("http://localhost/api/no", 404),
        ("http://rebound.example/socket", 421),
        ("http://rebound.example/api/games", 421),
    ],
)
async def test_requests_in_absolute_form_are_for_the_host_in_their_target(
    port: int, target: str, status: int
) -> None:
    request = handshake(target)
    if not target.endswith("/socket"):
        request = request.replace(b"Upgrade: websocket\r\n", b"")
    async with connected(port) as client:
        await client.shake(request)
        assert client.status == status


async def test_a_stopping_server_sends_bye(redis_url: str) -> None:
    async with AsyncExitStack() as stack:
        async with node(redis_url) as port:
            client = await stack.enter_async_context(opened(port))
            await client.hello()
        assert (await client.next("bye"))["code"] == "going_away"
        assert await client.closed() == 1001
