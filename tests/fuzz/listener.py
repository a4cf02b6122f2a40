"""The target for a connection's bytes: HTTP requests, handshakes, frames, fragments, pings.

A connection of the real listener runs on a recording transport, without a network. Sessions are
real, but every command is answered with a refusal.
"""

from __future__ import annotations

import asyncio
import logging
from functools import cache
from http import HTTPStatus
from itertools import chain
from typing import Any, cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs
from websockets.frames import Close, Frame, Opcode
from websockets.streams import StreamReader

from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.net.addresses import Proxies
from server.base.net.admission import Admission
from server.base.net.budgets import Budgets
from server.base.net.listener import MAX_HEAD, Listener
from server.base.net.load import Load
from server.base.net.origins import Origins
from server.base.net.turns import Turns
from server.base.web.headers import SecurityHeaders
from server.base.wire.codec import MAX_FRAME_SIZE
from server.base.wire.contracts import MoveAnswer, Reason
from server.base.wire.messages import Command, Event, MoveMessage
from server.base.wire.session import Session
from server.base.wire.session_messages import Hello, Pong
from server.base.wire.shown import ShownAttempts
from server.base.wire.socket import MAX_UNSENT, MAX_UNSENT_CONTROL, Socket
from server.base.wire.sockets import Sockets
from server.base.work.metrics import Metrics
from server.play.moves import Reply
from server.protocol import decode
from server.rooms.core.refusals import RoomRefusals
from tests.clients.raw import BINARY, CLOSE, CONT, PING, TEXT, close, frame, handshake
from tests.fuzz.parsers import PLAYER, codec_seeds

STATUSES = {
    *(HTTPStatus.OK, HTTPStatus.SWITCHING_PROTOCOLS, HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN),
    *(HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    *(HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.UPGRADE_REQUIRED, HTTPStatus.TOO_MANY_REQUESTS),
    *(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, HTTPStatus.NOT_IMPLEMENTED),
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED,
}
"""Statuses that may answer a client's bytes. A 500 never may."""

CLOSE_CODES = {reason.value[0] for reason in Reason} | {1002, 1007, 1009}
"""The protocol's close codes, and the RFC 6455 codes for a faulty client.

A client's close is answered with the client's code.
"""

MAX_HELD = MAX_HEAD + 2 * MAX_FRAME_SIZE
"""The most bytes of a client that a connection may hold: a head, or a message and a slice."""

MAX_WRITTEN = 2 * (MAX_UNSENT + MAX_UNSENT_CONTROL)
"""The most bytes that may wait for a client that does not read, after an input of a few kB."""

_ROUNDS = 60
"""Rounds of the event loop after each piece, enough for all its effects."""


class Refusing:
    """An `Answerer` that refuses all commands except `Hello` and `Ping`."""

    decode = staticmethod(decode)

    async def answer(self, session: Session, command: Command) -> Event:
        """Answer a command."""
        await asyncio.sleep(0)
        if isinstance(command, Hello):
            session.identify(PlayerId(PLAYER))
        elif command.id % 2:
            raise Refusal(RoomRefusals.unknown_room)
        return Pong(1_795_000_000_000)

    def play(
        self, _attempt: AttemptId, _player: PlayerId, _move: MoveMessage, reply: Reply
    ) -> None:
        """Refuse a move."""
        reply(Refusal(BaseRefusals.unknown_attempt))

    def answer_move(
        self, _found: object, _shown: ShownAttempts, _number: int, _seq: int
    ) -> MoveAnswer:
        """Fail: no move is played."""
        raise AssertionError


class Recorder(asyncio.Transport):
    """A transport that records writes. With `reads` false, the client reads nothing."""

    def __init__(self, *, reads: bool) -> None:
        super().__init__({"peername": ("127.0.0.1", 40_000), "sockname": ("127.0.0.1", 80)})
        self.reads = reads
        self.written = bytearray()
        self.protocol: Any = None
        self.closing = False
        self.reading = True
        self._high = 65_536
        self._paused = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Set the protocol that receives the bytes."""
        self.protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol that receives the bytes."""
        return cast("asyncio.BaseProtocol", self.protocol)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Set the limit above which the protocol is paused."""
        self._high = 65_536 if high is None else high

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the client has not read."""
        return 0 if self.reads else len(self.written)

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Record bytes."""
        assert not self.closing, "uvloop raises an exception for a write after close"
        self.written += data
        if self.get_write_buffer_size() > self._high and not self._paused:
            self._paused = True
            self.protocol.pause_writing()

    def writelines(self, pieces: Any) -> None:
        """Record bytes."""
        self.write(b"".join(pieces))

    def write_eof(self) -> None:
        """Ignore the end of the written bytes."""

    def can_write_eof(self) -> bool:
        """Return whether `write_eof` can be called."""
        return True

    def is_closing(self) -> bool:
        """Return whether `close` or `abort` has been called."""
        return self.closing

    def pause_reading(self) -> None:
        """Hold back the client's bytes."""
        self.reading = False

    def resume_reading(self) -> None:
        """Pass on the client's bytes."""
        self.reading = True

    def is_reading(self) -> bool:
        """Return whether the client's bytes are passed on."""
        return self.reading

    def close(self) -> None:
        """Close the transport."""
        self.closing = True

    abort = close


async def _plain(_: Request) -> Response:
    return PlainTextResponse("plain")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop shared by all inputs: creating one takes longer than most inputs."""
    return asyncio.new_event_loop()


@cache
def _metrics() -> Metrics:
    return Metrics()


class _Errors(logging.Handler):
    """Collects the libraries' warnings and errors, including uncaught exceptions."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


def listener(data: bytes) -> None:
    """Send an input over a connection.

    The first byte says whether the client reads (1), and into pieces of how many bytes the rest is
    split (0 for one piece).
    """
    if not data:
        return
    errors = _Errors()
    logging.root.addHandler(errors)
    try:
        with capture_logs() as lines:
            _loop().run_until_complete(
                _connection(data[1:], reads=bool(data[0] & 1), size=data[0] >> 1)
            )
    finally:
        logging.root.removeHandler(errors)
    assert errors.texts == []
    assert [line for line in lines if line["log_level"] in {"error", "critical"}] == []


async def _connection(data: bytes, *, reads: bool, size: int) -> None:
    proxies, origins = Proxies(), Origins()
    budgets = Budgets()
    ended: list[Session] = []
    sockets = Sockets(
        Refusing(), ended.append, Load(lambda: 0.0), _metrics(), proxies, budgets, origins, Turns()
    )
    app = SecurityHeaders(Starlette(routes=[Route("/", _plain)]), origins)
    server = Listener(app, sockets, Admission(budgets, proxies, 100))
    transport = Recorder(reads=reads)
    transport.protocol = first = server.protocol()
    first.connection_made(transport)
    size = size or len(data) or 1
    for start in range(0, len(data), size):
        if transport.closing:
            break
        transport.protocol.data_received(data[start : start + size])
        await _settle(transport, server)
        held = _held(transport.protocol)
        assert held <= MAX_HELD, f"{held} bytes of the client are held"
    assert len(transport.written) <= MAX_WRITTEN
    check_answers(bytes(transport.written), {*CLOSE_CODES, *_codes_of_client(transport.protocol)})
    transport.closing = True
    transport.protocol.connection_lost(None)
    await _settle(transport, server)
    assert not server.opened, "a closed connection is still counted"
    assert budgets.address("127.0.0.1").connections == 0


async def _settle(transport: Recorder, server: Listener) -> None:
    """Run the event loop until all effects of an input have happened, except timers."""
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)
        buffered = isinstance(transport.protocol, Socket) and transport.protocol._buffer
        if not (server.tasks or buffered):
            # A callback scheduled with `call_soon` runs in the next round.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if not server.tasks:
                return


def _held(protocol: Any) -> int:
    if not isinstance(protocol, Socket):
        return sum(map(len, [protocol._target, *chain.from_iterable(protocol._headers)]))
    held = len(protocol._buffer) + sum(map(len, protocol._message or ()))
    framing = protocol._protocol
    return held if framing is None else held + len(framing.reader.buffer)


def _codes_of_client(protocol: Any) -> set[int]:
    """Return the client's close code, which the server echoes."""
    framing = protocol._protocol if isinstance(protocol, Socket) else None
    received = None if framing is None else framing.close_rcvd
    return set() if received is None else {received.code}


def check_answers(answers: bytes, codes: set[int]) -> None:
    """Assert that bytes are HTTP responses, then frames if a response switches protocols."""
    rest = answers
    while rest:
        head, end, rest = rest.partition(b"\r\n\r\n")
        first, *headers = head.decode("latin-1").split("\r\n")
        version, code, _ = first.split(" ", 2)
        assert version == "HTTP/1.1"
        assert end
        assert int(code) in STATUSES, first
        values = dict(header.lower().split(": ", 1) for header in headers)
        if int(code) == HTTPStatus.SWITCHING_PROTOCOLS:
            check_frames(rest, codes)
            return
        if not rest.startswith(b"HTTP/1.1 "):
            # Responses to HEAD have no body.
            length = int(values["content-length"]) if rest else 0
            assert len(rest) >= length
            rest = rest[length:]


def check_frames(frames: bytes, codes: set[int]) -> None:
    """Assert that bytes are whole server frames with documented close codes."""
    reader = StreamReader()
    reader.feed_data(frames)
    reader.feed_eof()
    while reader.buffer:
        parsing = Frame.parse(reader.read_exact, mask=False, max_size=None)
        found: Frame | None = None
        try:
            next(parsing)
        except StopIteration as stop:
            found = stop.value
        except EOFError as error:
            raise AssertionError("a frame is cut off") from error
        assert found is not None
        found.check()
        assert found.opcode in {Opcode.BINARY, Opcode.PONG, Opcode.CLOSE}
        if found.opcode is Opcode.CLOSE:
            code = Close.parse(found.data).code
            assert code in codes, code
            assert not reader.buffer, "data was sent after the close"


HOST = b"Host: localhost\r\n"

WORDS = (
    *(b"GET / HTTP/1.1\r\n", b"HEAD ", b"OPTIONS ", b"POST ", b"/socket", b"HTTP/1.0\r\n", HOST),
    *(b"\r\n\r\n", b"Connection: Upgrade\r\n", b"Upgrade: websocket\r\n", b"Origin: http://"),
    *(b"Sec-WebSocket-Version: 13\r\n", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Length: 1\r\n",
        b"X-Forwarded-For: 10.0.0.1\r\n",
    ),
    *(b"Expect: 100-continue\r\n", b"\x82\x80", b"\x89\x80", b"\x88\x82", b"\x02\x80", b"\x80\x80"),
    *(b"\x82\xfe\x10\x00", b"\x82\xff\x00\x00\x00\x00", b"permessage-deflate", b"%2e%2e/"),
)


def seeds() -> list[bytes]:
    """Return connections of every kind, each read in one piece and byte by byte."""
    upgrade = handshake()
    hello = frame(BINARY, b"\x94\x01\x01\x02\xc0")
    found = [
        b"GET / HTTP/1.1\r\n" + HOST + b"\r\n",
        2 * (b"GET /nothing?a=b HTTP/1.1\r\n" + HOST + b"\r\n"),
        b"HEAD / HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\n\r\nx",
        upgrade + hello,
        upgrade + hello + close(1000),
        upgrade + hello + frame(BINARY, b"\x92\x0f", flags=0) + frame(CONT, b"\x02"),
        upgrade + hello + frame(PING, b"ping") + frame(TEXT, b"text"),
        upgrade + hello + frame(CLOSE, b""),
        *(upgrade + hello + frame(BINARY, command) for command in codec_seeds()[:40:4]),
    ]
    return [bytes([how]) + each for each in found for how in (1, 2 << 1 | 1, 0)]
