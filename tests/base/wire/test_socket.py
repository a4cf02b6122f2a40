"""The WebSocket protocol, byte by byte, compared with the server of the websockets library."""

from __future__ import annotations

import asyncio
import socket as sockets_of
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, cast

import pytest
from starlette.applications import Starlette
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from server.base.net import bound_sockets
from server.base.net.addresses import Proxies
from server.base.net.budgets import Budgets
from server.base.net.limits import BYTES_AT_ONCE
from server.base.net.listener import Connection, Handshake, Listener
from server.base.net.load import Load
from server.base.net.origins import Origins
from server.base.net.turns import Turns
from server.base.wire import socket as module
from server.base.wire import sockets as sockets_module
from server.base.wire.codec import MAX_FRAME_SIZE
from server.base.wire.contracts import Wire
from server.base.wire.handshake import accept
from server.base.wire.session import Session
from server.base.wire.socket import Socket
from server.base.wire.sockets import Sockets
from server.base.work.metrics import Metrics
from server.base.work.pacing import Pacer
from tests.base.redis.servers import until
from tests.clients.raw import (
    BINARY,
    CLOSE,
    CONT,
    FIN,
    PING,
    PONG,
    TEXT,
    Frame,
    RawClient,
    close,
    connected,
    frame,
    handshake,
)
from tests.processes import PATIENCE

TEXT_ANSWER = b"a text"
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class _Echo:
    """A session that sends every message back."""

    address = ""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.got: list[bytes | None] = []
        self.is_open = True

    def receive(self, message: bytes | None) -> None:
        self.got.append(message)
        self.send(TEXT_ANSWER if message is None else message)

    def count_frame(self) -> None: ...

    def go_on(self) -> None: ...

    def send(self, message: bytes, key: Hashable = None) -> None:
        self.wire.send(message, key)

    def cancel_hello_timer(self) -> None:
        self.is_open = False

    def close_for_restart(self) -> None:
        """Do nothing: the fixture aborts open sockets, which takes the event loop's next turn."""


class _Counting(Socket):
    """A socket that counts its received bytes and parsed slices."""

    __slots__ = ("parsed", "received")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.received = self.parsed = 0
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        super().data_received(data)

    def _parse(self, data: bytes) -> None:
        self.parsed += 1
        super()._parse(data)


class _Ours:
    """A server of our sockets, with sessions that echo.

    Attributes:
        port: the listening port.
        sockets: all connections so far.
        echo: the session of the last connection that has one.
        open: connections that have not ended.
    """

    port = 0

    def __init__(self) -> None:
        self.sockets: list[_Counting] = []
        self.echo = cast(_Echo, None)
        self.open: set[Socket] = set()
        self._turns = Turns()

    def __call__(self, connections: set[Connection]) -> Socket:
        def ended(socket: Socket) -> None:
            connections.discard(socket)
            self.open.discard(socket)

        def begun(socket: Socket) -> None:
            connections.add(socket)
            self.open.add(socket)

        made = _Counting(self._open_session, begun, ended, self._turns, Pacer())
        self.sockets.append(made)
        return made

    def _open_session(self, wire: Wire, request: Handshake) -> tuple[Session | None, bytes]:
        if request.target == "/refused":
            return None, _REFUSED
        self.echo = _Echo(wire)
        response = accept(request.headers)
        assert response is not None
        return cast(Session, self.echo), response

    async def ended(self) -> None:
        """Wait until all connections have ended."""
        await until(lambda: not self.open)


@pytest.fixture
async def ours() -> AsyncIterator[_Ours]:
    ours = _Ours()
    listener = Listener(Starlette(), ours)
    (bound,) = bound_sockets.bind("127.0.0.1", 0)
    ours.port = bound_sockets.port_of(bound)
    await listener.open(bound)
    yield ours
    for left in list(ours.open):
        left.transport.abort()
    await listener.close()


@asynccontextmanager
async def theirs() -> AsyncIterator[int]:
    """Run an echo server of the websockets library, and yield its port."""

    async def echo(connection: ServerConnection) -> None:
        try:
            async for message in connection:
                await connection.send(message if isinstance(message, bytes) else TEXT_ANSWER)
        except ConnectionClosed:
            pass

    off: dict[str, Any] = dict.fromkeys(("compression", "ping_interval", "server_header"))
    async with serve(echo, "127.0.0.1", 0, max_size=MAX_FRAME_SIZE, **off) as server:
        yield next(iter(server.sockets)).getsockname()[1]


@asynccontextmanager
async def opened(ours: _Ours) -> AsyncIterator[RawClient]:
    async with connected(ours.port) as client:
        await client.shake()
        assert client.status == 101
        yield client


LONG = bytes(range(256)) * 16
SCRIPTS: dict[str, bytes] = {
    "a message": frame(BINARY, b"message"),
    "an empty message": frame(BINARY),
    "messages of all header lengths": b"".join(
        frame(BINARY, LONG[:length]) for length in (124, 125, 126, 127, 255, 256, 1_000)
    ),
    "the longest message": frame(BINARY, LONG),
    "a text": frame(TEXT, "é".encode()),
    "a ping": frame(PING, b"ping"),
    "an empty ping": frame(PING),
    "the longest ping": frame(PING, LONG[:125]),
    "pings in a row": b"".join(frame(PING, bytes([number])) for number in range(20)),
    "an unsolicited pong": frame(PONG, b"pong"),
    "a message in parts": (
        frame(BINARY, b"me", flags=0) + frame(CONT, b"ssa", flags=0) + frame(CONT, b"ge")
    ),
    "empty parts": frame(BINARY, flags=0) + frame(CONT, flags=0) + frame(CONT),
    "a text in parts": frame(TEXT, b"te", flags=0) + frame(CONT, b"xt"),
    "an empty text in parts": frame(TEXT, flags=0) + frame(CONT),
    "pings and pongs between parts": (
        frame(BINARY, b"me", flags=0)
        + frame(PING, b"1")
        + frame(CONT, b"ssa", flags=0)
        + frame(PONG, b"2")
        + frame(PING, b"3")
        + frame(CONT, b"ge")
    ),
    "the longest message in parts": (
        frame(BINARY, LONG[:2_000], flags=0) + frame(CONT, LONG[2_000:])
    ),
    "a frame without a mask": frame(BINARY, b"message", masked=False),
    "a ping without a mask": frame(PING, b"ping", masked=False),
    "the first reserved bit": frame(BINARY, b"message", flags=FIN | 0x40),
    "the second reserved bit": frame(BINARY, b"message", flags=FIN | 0x20),
    "the third reserved bit": frame(PING, b"ping", flags=FIN | 0x10),
    "a reserved opcode of data": frame(3, b"message"),
    "the last opcode of data": frame(7, b"message"),
    "a reserved opcode of control": frame(11),
    "the last opcode of control": frame(15),
    "a ping that is too long": frame(PING, LONG[:126]),
    "a close that is too long": frame(CLOSE, b"\x03\xe8" + b"x" * 124),
    "a ping in parts": frame(PING, b"pi", flags=0) + frame(CONT, b"ng"),
    "a close in parts": frame(CLOSE, b"\x03\xe8", flags=0),
    "a continuation of nothing": frame(CONT, b"message"),
    "a continuation after the end": (
        frame(BINARY, b"me", flags=0) + frame(CONT, b"ssage") + frame(CONT, b"more")
    ),
    "a message within another": frame(BINARY, b"me", flags=0) + frame(BINARY, b"message"),
    "a text within a message": frame(BINARY, b"me", flags=0) + frame(TEXT, b"text"),
    "a message that is too long": frame(BINARY, LONG + b"x"),
    "a text that is too long": frame(TEXT, b"x" * (MAX_FRAME_SIZE + 1)),
    "a length that is too long without a message": b"\x82\xff" + (1 << 40).to_bytes(8, "big"),
    "an invalid length": b"\x82\xff" + (1 << 63).to_bytes(8, "big"),
    "a message that is too long in parts": (
        frame(BINARY, LONG[:4_000], flags=0) + frame(CONT, LONG[:97])
    ),
    "a message that is too long in many parts": (
        frame(BINARY, LONG[:1_000], flags=0) + frame(CONT, LONG[:1_000], flags=0) * 4
    ),
    "a close": close(1000),
    "a close with a reason": close(1001, "Gruß".encode()),
    "a close with an application code": close(4000),
    "a close without a code": close(),
    "a close with half a code": frame(CLOSE, b"\x03"),
    "a close with an invalid code": close(1005),
    "a close with another invalid code": close(999),
    "a close with a broken reason": close(1000, b"\xff\xfe"),
    "something after a close": close(1000) + frame(BINARY, b"message") + frame(PING, b"ping"),
    "something after an error": frame(3) + frame(BINARY, b"message"),
}
END = b"the end"


class Outcome(NamedTuple):
    """The received frames: data and control frames, each in order."""

    data: list[Frame]
    control: list[Frame]


async def play(client: RawClient, script: bytes) -> Outcome:
    """Send a script, then a last message and a close; return the received frames."""
    client.write(script + frame(BINARY, END))
    found = Outcome([], [])
    while (each := await client.next()) is not None:
        (found.data if each.opcode in {TEXT, BINARY} else found.control).append(each)
        if each == (BINARY, END):
            client.write(close(1000))
    return found


@pytest.mark.parametrize("name", SCRIPTS)
async def test_frames_are_answered_as_by_the_reference_implementation(
    ours: _Ours, name: str
) -> None:
    async with theirs() as port, connected(port) as reference, opened(ours) as client:
        await reference.shake()
        expected = await play(reference, SCRIPTS[name])
        assert await play(client, SCRIPTS[name]) == expected
        last = expected.control[-1]
        assert last.opcode == CLOSE
        code = int.from_bytes(last.payload[:2], "big")
        assert CODES.get(name, code) == code, "as in RFC 6455, 7.4"
    await ours.ended()
    assert not ours.echo.is_open


@pytest.mark.parametrize("name", [name for name, script in SCRIPTS.items() if len(script) < 200])
async def test_frames_arriving_byte_by_byte_are_answered_in_the_same_way(
    ours: _Ours, name: str
) -> None:
    script = SCRIPTS[name]
    async with opened(ours) as client:
        expected = await play(client, script)
    async with opened(ours) as client:
        protocol = ours.sockets[-1]
        for at in range(len(script)):
            received = protocol.received
            if protocol.transport.is_closing():
                break
            client.write(script[at : at + 1])
            while protocol.received == received and not protocol.transport.is_closing():
                await asyncio.sleep(0)
        found = await play(client, b"")
    assert found.control == expected.control
    # A message in one segment with an error after it may not have been answered.
    assert found.data[: len(expected.data)] == expected.data
    assert len(found.data) == len(expected.data) or "continuation after" in name


CODES = {
    "a frame without a mask": 1002,
    "the first reserved bit": 1002,
    "a reserved opcode of data": 1002,
    "a reserved opcode of control": 1002,
    "a ping that is too long": 1002,
    "a ping in parts": 1002,
    "a continuation of nothing": 1002,
    "a message within another": 1002,
    "a message that is too long": 1009,
    "a message that is too long in parts": 1009,
    "a close": 1000,
    "a close with a reason": 1001,
}


async def test_a_close_without_a_code_is_answered_without_one(ours: _Ours) -> None:
    async with opened(ours) as client:
        client.write(close())
        assert await client.rest() == [(CLOSE, b"")]


async def test_closing_waits_for_the_clients_close_frame(ours: _Ours) -> None:
    async with opened(ours) as client:
        ours.echo.wire.close(1001)
        assert await client.next() == (CLOSE, b"\x03\xe9")
        # Messages after our close frame are ignored.
        client.write(frame(BINARY, b"late") + close(1001))
        assert await client.rest() == []
    await ours.ended()


async def test_a_client_that_does_not_answer_a_close_is_disconnected(
    ours: _Ours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLOSE_WITHIN", 0.05)
    async with opened(ours) as client:
        ours.echo.wire.close(1001)
        assert await client.rest() == [(CLOSE, b"\x03\xe9")]
        await ours.ended()


@pytest.mark.parametrize("script", [close(1000), frame(3), frame(BINARY, LONG + b"x")])
async def test_a_client_that_does_not_read_a_close_is_disconnected(
    ours: _Ours, monkeypatch: pytest.MonkeyPatch, script: bytes
) -> None:
    monkeypatch.setattr(module, "CLOSE_WITHIN", 0.05)
    async with opened(ours) as client:
        transport = ours.sockets[-1].transport
        client.transport.pause_reading()
        fill(ours, transport)
        client.write(script)
        await ours.ended()
        assert not ours.echo.is_open


def fill(ours: _Ours, transport: asyncio.Transport) -> None:
    """Send until the write buffer of the connection is not empty."""
    while not transport.get_write_buffer_size():
        ours.echo.send(LONG)


async def test_frames_of_one_segment_are_answered_in_order(ours: _Ours) -> None:
    words = [str(number).encode() for number in range(400)]
    async with opened(ours) as client:
        client.write(b"".join(frame(BINARY, word) for word in words))
        assert [await client.next() for _ in words] == [(BINARY, word) for word in words]
        assert ours.sockets[-1].parsed > 2


async def test_frames_after_a_refused_handshake_are_ignored(
    ours: _Ours, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(ours.port) as client:
        client.write(handshake("/refused"))
        await asyncio.sleep(0)
        client.write(frame(BINARY, b"message") + frame(PING) + close(1000) + frame(3))
        await client.shake(b"")
        assert client.status == 403
        assert await client.rest() == []
    await ours.ended()
    assert ours.sockets[-1].session is None
    assert caplog.text == ""


async def ping(client: RawClient, count: int) -> None:
    """Assert that pings are answered, one after the other."""
    for number in range(count):
        client.write(frame(PING, bytes([number])))
        assert await client.next() == (PONG, bytes([number]))


async def test_a_connection_on_hold_is_not_read(ours: _Ours) -> None:
    words = [str(number).encode() for number in range(2_000)]
    async with opened(ours) as client:
        first, *rest = words
        client.write(frame(BINARY, first))
        await client.next()
        ours.echo.wire.hold()
        client.write(b"".join(frame(BINARY, word) for word in rest[:1_000]))
        # Another client is served meanwhile.
        async with opened(ours) as other:
            await ping(other, 20)
        held = cast(_Echo, ours.sockets[0].session)
        assert held.got == [first]
        held.wire.release()
        for word in rest[:1_000]:
            assert await client.next() == (BINARY, word)


async def test_holding_in_the_middle_of_a_segment_stops_parsing(ours: _Ours) -> None:
    async with opened(ours) as client:
        echo = ours.echo
        one = frame(BINARY, b"12345678")
        client.write(one * 700)
        await client.next()
        echo.wire.hold()
        parsed, got = ours.sockets[0].parsed, len(echo.got)
        async with opened(ours) as other:
            await ping(other, 20)
        assert got < 700
        assert (ours.sockets[0].parsed, len(echo.got)) == (parsed, got)
        echo.wire.release()
        for _ in range(699):
            assert await client.next() == (BINARY, b"12345678")


async def test_a_flood_of_pings_delays_no_other_client(ours: _Ours) -> None:
    async with opened(ours) as flooder, opened(ours) as other:
        flooded = ours.sockets[0]
        flooder.write(frame(PING) * 20_000)
        while flooded.received < 1_000:
            await asyncio.sleep(0)
        await ping(other, 20)
        # After one slice, its allowance is overdrawn for seconds.
        assert flooded.parsed <= 3
        assert not flooded.transport.is_reading()
        assert flooded.transport.get_write_buffer_size() <= module.MAX_UNSENT_CONTROL


async def test_a_flood_of_messages_is_read_a_slice_at_a_time(ours: _Ours) -> None:
    async with opened(ours) as flooder, opened(ours) as other:
        flooded = ours.sockets[0]
        sent = frame(BINARY, b"x" * 100) * 1_000
        flooder.write(sent)
        while flooded.received < BYTES_AT_ONCE:
            await asyncio.sleep(0)
        await ping(other, 50)
        assert flooded.parsed <= BYTES_AT_ONCE // module._SLICE + 3
        assert flooded.received < len(sent)


async def test_a_client_that_never_reads_pongs_is_disconnected(
    ours: _Ours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lift the allowance, which would otherwise slow the client down for minutes."""
    for name in ("BYTES_PER_SECOND", "BYTES_AT_ONCE"):
        monkeypatch.setattr(module, name, 1e12)
    monkeypatch.setattr(module, "CONTROL_COST", 0)
    async with opened(ours) as client:
        protocol = ours.sockets[0]
        protocol._allowance = 1e12
        raw = protocol.transport.get_extra_info("socket")
        raw.setsockopt(sockets_of.SOL_SOCKET, sockets_of.SO_SNDBUF, 4_096)
        client.transport.pause_reading()
        most = 0
        while ours.open:
            client.write(frame(PING, LONG[:125]) * 15)
            await asyncio.sleep(0)
            most = max(most, protocol.transport.get_write_buffer_size())
        assert most <= module.MAX_UNSENT_CONTROL + module._SLICE
        assert not ours.echo.is_open


async def test_frames_for_a_slow_reader_are_queued_and_arrive_in_order(ours: _Ours) -> None:
    async with opened(ours) as client:
        transport = client.transport
        transport.pause_reading()
        echo, sent = ours.echo, 0
        after = 0
        while after < 60:
            after += echo.wire.is_behind()
            echo.send(sent.to_bytes(4, "big") + LONG[:2_000])
            sent += 1
        waiting = ours.sockets[0].transport.get_write_buffer_size()
        assert waiting <= module.MAX_UNSENT + 2_100
        transport.resume_reading()
        for number in range(sent):
            found = await client.next()
            assert found is not None
            assert int.from_bytes(found.payload[:4], "big") == number
        assert not echo.wire.is_behind()


async def test_the_end_of_the_stream_ends_the_session(ours: _Ours) -> None:
    async with opened(ours) as client:
        client.write(frame(BINARY, b"last") + frame(BINARY, b"half")[:4])
        assert await client.next() == (BINARY, b"last")
        client._writer.write_eof()
        assert await client.rest() == []
    await ours.ended()
    assert ours.echo.got == [b"last"]


async def test_frames_sent_after_a_disconnect_are_dropped(ours: _Ours) -> None:
    async with opened(ours) as client:
        client.abort()
        await ours.ended()
    # Neither the answer to a command in flight nor a stopping node's close raises.
    ours.echo.send(b"short")
    ours.echo.send(b"long" * 1000)
    ours.echo.wire.close(1001)


async def test_a_failed_handshake_ends_the_connection(
    ours: _Ours, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(_Ours, "_open_session", fail)
    async with connected(ours.port) as client:
        client.write(handshake())
        assert await client.reader.read() == b""
    # Otherwise the node would wait for it when it stops.
    await ours.ended()
    assert "broken on purpose" in caplog.text


def unlimited(metrics: Metrics, late: Callable[[], float]) -> Sockets:
    """Return the real admission of connections; `late` returns the lag of the event loop."""
    load, origins = Load(late), Origins(more=["http://ours"])
    left: list[Session] = []
    answerer = cast(Any, None)
    return Sockets(answerer, left.append, load, metrics, Proxies(), Budgets(), origins, Turns())


@asynccontextmanager
async def admitting(
    *, late: float = 0.0, stopping: bool = False, metrics: Metrics | None = None
) -> AsyncIterator[int]:
    """Run a server with the real admission of connections, and yield its port."""
    sockets = unlimited(metrics or Metrics(), lambda: late)
    listener = Listener(cast(Any, None), sockets)
    (bound,) = bound_sockets.bind("127.0.0.1", 0)
    await listener.open(bound)
    if stopping:
        sockets.stop()
    try:
        yield bound_sockets.port_of(bound)
    finally:
        await listener.close()


@pytest.mark.parametrize(
    ("request_", "conditions", "status"),
    [
        (handshake(), {}, 101),
        (handshake("/socket?x=y"), {}, 101),
        (handshake(Origin="http://localhost"), {}, 101),
        (handshake(Origin="http://ours"), {}, 101),
        (handshake(Origin="http://theirs"), {}, 403),
        (handshake(Origin="https://localhost"), {}, 403),
        (handshake(Origin="http://["), {}, 403),
        (handshake(Origin="null"), {}, 403),
        (handshake(Origin="null").replace(b"Host: localhost\r\n", b""), {}, 400),
        (handshake().replace(b"localhost", b"rebound.example"), {}, 421),
        (handshake("/"), {}, 404),
        (handshake("/socket/more"), {}, 404),
        (handshake().replace(b"Version: 13", b"Version: 12"), {}, 426),
        (handshake().replace(b"Sec-WebSocket-Version: 13\r\n", b""), {}, 426),
        (handshake().replace(b"Sec-WebSocket-Key", b"Sec-WebSocket-Kay"), {}, 400),
        (handshake(), {"stopping": True}, 503),
        (handshake(), {"late": 1e9}, 503),
    ],
)
async def test_a_handshake_is_accepted_or_refused(
    request_: bytes, conditions: dict[str, Any], status: int
) -> None:
    async with admitting(**conditions) as port, connected(port) as client:
        head = await client.shake(request_)
        assert client.status == status
        assert (b"retry-after" in head.lower()) == ("late" in conditions)
        asked_otherwise = status == 426
        assert (b"sec-websocket-version: 13" in head.lower()) == asked_otherwise
        if status != 101:
            async with asyncio.timeout(PATIENCE):
                await client.reader.read()


async def test_handshakes_for_other_hosts_or_origins_are_counted() -> None:
    metrics = Metrics()
    async with admitting(metrics=metrics) as port:
        for request_ in (
            handshake(Origin="http://theirs"),
            handshake().replace(b"localhost", b"rebound.example"),
        ):
            async with connected(port) as client:
                await client.shake(request_)
    assert metrics.refusals == Counter(wrong_origin=1, wrong_host=1)


async def test_connections_ended_together_are_closed_in_several_passes_of_the_loop() -> None:
    class Transport(asyncio.Transport):
        closed = 0

        def close(self) -> None:
            Transport.closed += 1

    sockets = unlimited(Metrics(), lambda: 0.0)
    sockets._closes = Pacer(2, lambda: 0.0)
    for _ in range(7):
        ended = sockets(set())
        ended.transport = Transport()
        # Otherwise the transport would close itself immediately.
        assert ended.eof_received() is True
    counts = []
    for _ in range(4):
        counts.append(Transport.closed)
        await asyncio.sleep(0)
    assert counts == [2, 4, 6, 7]


async def test_connections_lost_together_are_released_in_several_passes_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sockets_module, "SLICE", 0.0)
    sockets = unlimited(Metrics(), lambda: 0.0)
    connections: set[Connection] = set()
    lost = [sockets(connections) for _ in range(3)]
    connections.update(lost)
    for each in lost:
        each.connection_lost(None)
    counts = []
    for _ in range(4):
        counts.append(len(connections))
        await asyncio.sleep(0)
    assert counts == [3, 2, 1, 0]
