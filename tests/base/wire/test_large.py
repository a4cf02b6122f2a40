"""Large answers go out as they are read, on connections with realistic segments."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import SO_SNDBUF, SOL_SOCKET
from typing import Any, NamedTuple

import msgpack
import pytest
from starlette.applications import Starlette

from server.accounts.messages import ExportData, Exported
from server.base.core.ids import AttemptId, PlayerId
from server.base.net import bound_sockets
from server.base.net.addresses import Proxies
from server.base.net.budgets import Budgets
from server.base.net.listener import Listener
from server.base.net.load import Load
from server.base.net.origins import Origins
from server.base.net.outgoing import PIECE
from server.base.net.turns import Turns
from server.base.wire import socket as module
from server.base.wire.codec import MAX_FRAME_SIZE
from server.base.wire.contracts import MoveAnswer
from server.base.wire.messages import Command, Event, MoveMessage
from server.base.wire.session import Session
from server.base.wire.session_messages import VERSION, Hello, Pong
from server.base.wire.shown import ShownAttempts
from server.base.wire.socket import MAX_UNSENT, MAX_UNSENT_CONTROL, Socket
from server.base.wire.sockets import Sockets
from server.base.work.metrics import Metrics
from server.play.moves import Reply
from server.protocol import decode
from tests.base.redis.servers import until
from tests.builders import ADA
from tests.clients.raw import BINARY, CLOSE, PING, PONG, RawClient, connected, frame
from tests.fixtures import BOTH_LOOPS

pytestmark = BOTH_LOOPS

SEGMENT = 1_448
"""Bytes of a TCP segment over Ethernet.

On loopback a segment has 65,483, and the kernel buffers megabytes.
"""

KERNEL = 16_384
"""Bytes of the server's kernel buffer; Linux doubles the value."""

YEAR = 212_000
"""Bytes of the export of a player with all dailies of a year."""

HELLO, EXPORT, EXPORTED, PONGED = 1, 104, 101, 4
"""Kinds of messages."""


class _Exports:
    """An `Answerer` for `ExportData` and `Ping`.

    Attributes:
        size: bytes of an export.
        begun: number of exports made.
    """

    decode = staticmethod(decode)

    def __init__(self, size: int) -> None:
        self.size = size
        self.begun = 0

    async def answer(self, session: Session, command: Command) -> Event:
        if isinstance(command, Hello):
            session.identify(ADA)
        if isinstance(command, ExportData):
            self.begun += 1
            return Exported(f"{self.begun:07}," * (self.size // 8))
        return Pong(1_795_000_000_000)

    def play(self, _id: AttemptId, _player: PlayerId, _move: MoveMessage, reply: Reply) -> None:
        """Play no move: no client requests it here."""

    def answer_move(self, _found: object, _: ShownAttempts, _number: int, _seq: int) -> MoveAnswer:
        raise AssertionError


class Server(NamedTuple):
    """A server with large answers."""

    port: int
    exports: _Exports
    metrics: Metrics
    connections: set[Any]

    def socket(self) -> Socket:
        """Return the only connection."""
        (found,) = self.connections
        assert isinstance(found, Socket)
        return found

    async def ended(self) -> None:
        """Wait until there is no connection."""
        await until(lambda: not self.connections)


@asynccontextmanager
async def serving(size: int = YEAR) -> AsyncIterator[Server]:
    exports, metrics, turns = _Exports(size), Metrics(), Turns()
    load = Load(lambda: 0.0)
    limits = Proxies(), Budgets(), Origins()
    sockets = Sockets(exports, lambda _: None, load, metrics, *limits, turns)
    listener = Listener(Starlette(), sockets, turns=turns)
    (bound,) = bound_sockets.bind("127.0.0.1", 0)
    for each in bound:
        # Connections inherit it. Otherwise the kernel grows the buffer until it takes a whole
        # answer.
        each.setsockopt(SOL_SOCKET, SO_SNDBUF, KERNEL)
    await listener.open(bound)
    try:
        yield Server(bound_sockets.port_of(bound), exports, metrics, listener.opened)
    finally:
        for left in list(listener.opened):
            left.transport.abort()
        await listener.close()


@asynccontextmanager
async def opened(server: Server) -> AsyncIterator[RawClient]:
    """Connect as on a real path, and say hello."""
    async with connected(server.port, segment=SEGMENT) as client:
        await client.shake()
        send(client, HELLO, 1, VERSION)
        assert (await client.next()) is not None
        yield client


def send(client: RawClient, *command: object) -> None:
    client.write(frame(BINARY, msgpack.packb(command)))


async def message(client: RawClient, between: list[int] | None = None) -> list[Any]:
    """Return the next message, which must follow; note preceding control frames."""
    parts = []
    while (found := await client.fragment()) is not None:
        received, is_last = found
        if received.opcode in {PONG, CLOSE}:
            assert between is not None
            between.append(received.opcode)
            continue
        parts.append(received.payload)
        if is_last:
            unpacked: list[Any] = msgpack.unpackb(b"".join(parts))
            return unpacked
    raise AssertionError("the connection has ended")


@pytest.mark.parametrize("size", [YEAR, 2 * YEAR, 10 * YEAR, 5_000_000])
async def test_a_client_that_reads_gets_an_answer_of_any_size(size: int) -> None:
    async with serving(size) as server, opened(server) as client:
        send(client, EXPORT, 2)
        found = await message(client)
        assert found[1:] == [2, "0000001," * (size // 8)]


async def test_the_buffer_of_a_large_answer_leaves_room_for_control_frames() -> None:
    size = 10 * YEAR
    async with serving(size) as server, opened(server) as client:
        client.transport.pause_reading()
        send(client, EXPORT, 2)
        socket, most = server.socket(), 0
        await until_behind(socket)
        for _ in range(20):
            client.write(frame(PING, b"ping"))
            await asyncio.sleep(0)
            most = max(most, socket.transport.get_write_buffer_size())
        assert most <= MAX_UNSENT + PIECE + 1_000 < MAX_UNSENT_CONTROL - MAX_FRAME_SIZE
        client.transport.resume_reading()
        between: list[int] = []
        assert len((await message(client, between))[2]) == size // 8 * 8
        # They do not wait for the end of the answer.
        assert between == [PONG] * 20


async def test_later_messages_follow_a_large_answer() -> None:
    async with serving() as server, opened(server) as client:
        client.transport.pause_reading()
        send(client, EXPORT, 2)
        socket = server.socket()
        await until_behind(socket)
        for number in range(3):
            socket.send(msgpack.packb([PONGED, 0, number]))
        socket.send(msgpack.packb([PONGED, 0, "old"]), key="room")
        socket.send(msgpack.packb([PONGED, 0, "new"]), key="room")
        client.transport.resume_reading()
        found = [await message(client) for _ in range(5)]
        assert found[0][0] == EXPORTED
        assert found[1:] == [[PONGED, 0, each] for each in (0, 1, 2, "new")]
        assert not socket.is_behind()


async def test_the_next_command_starts_only_after_a_large_answer_is_read() -> None:
    async with serving() as server, opened(server) as client:
        client.transport.pause_reading()
        for number in range(2, 6):
            send(client, EXPORT, number)
        send(client, 15, 6)
        socket = server.socket()
        await until_behind(socket)
        # The server shares this loop: before this pong, it has read earlier input but not started
        # it.
        async with opened(server) as other:
            send(other, 15, 2)
            await other.next()
        assert server.exports.begun == 1
        client.transport.resume_reading()
        found = [await message(client) for _ in range(5)]
        assert [each[1] for each in found] == [2, 3, 4, 5, 6]
        assert server.exports.begun == 4


async def test_reading_a_large_answer_too_slowly_closes_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LARGE_WITHIN", 0.0)
    monkeypatch.setattr(module, "LEAST_PER_SECOND", 1e7)
    monkeypatch.setattr(module, "CLOSE_WITHIN", 0.05)
    async with serving() as server, opened(server) as client:
        client.transport.pause_reading()
        send(client, EXPORT, 2)
        await server.ended()
        assert server.metrics.closes["too_slow"] == 1


async def test_a_closing_session_first_sends_its_large_answer_and_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "CLOSE_WITHIN", 20.0)
    async with serving() as server, opened(server) as client:
        client.transport.pause_reading()
        send(client, EXPORT, 2)
        socket = server.socket()
        await until_behind(socket)
        assert socket.session is not None
        socket.session.close_for_restart()
        client.transport.resume_reading()
        assert len((await message(client))[2]) == YEAR // 8 * 8
        assert (await message(client))[2] == "going_away"
        assert await client.next() == (CLOSE, b"\x03\xe9")


async def until_behind(socket: Socket) -> None:
    await until(lambda: socket.is_full() and socket.is_behind())
