"""A WebSocket connection: websockets' Sans-I/O protocol on an asyncio transport.

A short message that arrives alone, like most moves, is handled immediately. All other input is
parsed in small slices, a few per pass of the event loop (`turns`), so that players are served in
between. Received bytes are charged to the connection's allowance (a token bucket) before they are
parsed; a client that exceeds it is read more slowly.

Messages for a slow reader are queued, up to a maximum. A large message, such as the export of a
player's data, is sent in fragments as the client reads them, with control frames in between. Its
size is not limited by the connection, but its duration is.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Hashable
from struct import Struct
from typing import Final, cast

from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from server.base.core.costs import SECONDS
from server.base.net.limits import BYTES_AT_ONCE, BYTES_PER_SECOND, CONTROL_COST
from server.base.net.listener import Handshake, WebSocket
from server.base.net.outgoing import PIECE, Outgoing, Piece
from server.base.net.turns import Turns
from server.base.wire.codec import MAX_FRAME_SIZE
from server.base.wire.contracts import Reason
from server.base.wire.session import Session
from server.base.work.pacing import Pacer

try:
    from websockets.speedups import apply_mask
except ImportError:  # not compiled for this system
    from websockets.utils import apply_mask

CLOSE_WITHIN: Final = 2.0
"""Seconds for the closing handshake; then the connection is aborted."""

MAX_UNSENT: Final = 32_768
"""Bytes in the transport's write buffer above which messages are queued."""

MAX_UNSENT_CONTROL: Final = 65_536
"""Bytes in the write buffer above which a connection is aborted: control frames are not queued.

Messages leave room for them, since they fill the buffer only up to `MAX_UNSENT` and one piece.
"""

LARGE_WITHIN: Final = 30.0
"""Seconds for reading a message of more than one piece, in addition to the time for its bytes."""

LEAST_PER_SECOND: Final = 4_096
"""Minimum bytes per second that a client must read of a large message; even the slowest mobile
networks reach it."""

UNHEARD_WITHIN: Final = 40.0
"""Seconds until the kernel ends a connection whose client reads nothing.

The client's machine may be gone, which keepalive does not notice while data is unsent, or the
client may not be reading. Without this limit, the kernel would try for 15 minutes, and without end
if the machine is there.
"""

_SLICE: Final = 512
"""Bytes parsed at a time; with minimal frames, this takes about 0.5 ms."""

_MAX_SHORT: Final = 125
"""Maximum payload whose length fits into the first two bytes of a frame."""

_MAX_MEDIUM: Final = 65_535
"""Maximum payload whose length fits into two further bytes."""

_MEDIUM: Final = 126
"""The second byte of a frame whose length is in the two bytes after it."""

_MEDIUM_HEADER: Final = Struct("!BBH")

_DATA: Final = {Opcode.BINARY, Opcode.TEXT}
_WHOLE_BINARY: Final = 0x82
_MASKED_HEADER: Final = 6
_MASKED_LENGTH: Final = 0x80 - _MASKED_HEADER
"""The second byte of a masked frame with a short message, less the length of the frame."""
_HEADERS: Final = tuple(bytes((_WHOLE_BINARY, length)) for length in range(_MAX_SHORT + 1))
"""The frame header of an unfragmented binary message, by the length of the message."""

OpenSession = Callable[["Socket", Handshake], tuple[Session | None, bytes]]
"""Creates the session of a connection, given the handshake request, or rejects the handshake.

Returns the session, `None` if it was rejected, and the response.
"""

_LOGGER = logging.getLogger("samedeal.socket")
"""Restricts the log of websockets to internal errors: clients could flood it with the rest."""
_LOGGER.setLevel(logging.ERROR)


class Socket(WebSocket):
    """The protocol of one connection, from its handshake request on.

    Args:
        open_session: answers the handshake, and creates the session if it is successful.
        begun: called with this object when the connection starts.
        ended: called with this object when the connection has been lost; `free` must follow.
        turns: the node's turns.
        closes: closes the connections that their clients have ended.

    Attributes:
        peer: the address of the connection's peer, which may be a proxy.
    """

    __slots__ = (
        "_abort_timer",
        "_address",
        "_allowance",
        "_begun",
        "_buffer",
        "_charged_at",
        "_closes",
        "_code",
        "_ended",
        "_held",
        "_incomplete",
        "_is_open",
        "_large_timer",
        "_loop",
        "_message",
        "_open_session",
        "_outgoing",
        "_parse_timer",
        "_paused",
        "_protocol",
        "_session",
        "_turns",
        "_waits",
        "peer",
        "transport",
    )

    def __init__(
        self,
        open_session: OpenSession,
        begun: Callable[[Socket], None],
        ended: Callable[[Socket], None],
        turns: Turns,
        closes: Pacer,
    ) -> None:
        self._turns = turns
        self._closes = closes
        self._open_session = open_session
        self._begun = begun
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._protocol: Protocol | None = None
        # From the handshake on, whether the protocol's state is `State.OPEN`.
        self._is_open = False
        self._session: Session | None = None
        self.peer = self._address = ""
        self._message: list[bytes] | None = None
        self._buffer = b""
        self._incomplete = 0
        self._allowance = float(BYTES_AT_ONCE)
        self._charged_at = self._loop.time()
        self._parse_timer: asyncio.TimerHandle | None = None
        self._abort_timer: asyncio.TimerHandle | None = None
        self._paused = False
        self._held = False
        self._waits = False
        self._outgoing: Outgoing | None = None
        self._large_timer: asyncio.TimerHandle | None = None
        self._code: int | None = None

    @property
    def session(self) -> Session | None:
        """The session, or `None` before a successful handshake and after the end."""
        return self._session

    def _framing(self) -> Protocol:
        """Return websockets' protocol, created on first use: short messages do not need it."""
        if self._protocol is None:
            self._protocol = Protocol(Side.SERVER, max_size=MAX_FRAME_SIZE, logger=_LOGGER)
        return self._protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set up the transport; `shake_hands` follows."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=MAX_UNSENT)
        name: tuple[str, int] | None = self.transport.get_extra_info("peername")
        self.peer = self._address = name[0] if name else ""
        _keep_alive(self.transport)
        self._begun(self)

    def shake_hands(self, request: Handshake) -> None:
        """Answer the handshake request, and open the session if it is accepted."""
        self._session, response = self._open_session(self, request)
        if self._session is not None:
            self._address = self._session.address
            self._is_open = True
        self.transport.write(response)
        if self._session is None:
            self._end()

    # Reading

    def data_received(self, data: bytes) -> None:
        """Handle a short message; buffer anything else, and pause reading."""
        length = len(data)
        # Most input is exactly one frame with a short unfragmented binary message. Such a frame can
        # neither violate the protocol nor change its state, so websockets need not parse it, which
        # saves a sixth of the time of a move.
        if (
            _MASKED_HEADER <= length <= _MASKED_HEADER + _MAX_SHORT
            and data[0] == _WHOLE_BINARY
            and data[1] == _MASKED_LENGTH + length
            and self._is_open
            and not self._incomplete
            and self._message is None
            # Input must be handled in order, and within the allowance.
            and not self._buffer
            and not self._held
            and length <= self._allowance
        ):
            self._allowance -= length
            assert self._session is not None, "frames come after the handshake"
            self._session.receive(apply_mask(data[6:], data[2:6]))
        else:
            self._buffer += data
            self.transport.pause_reading()
            self._parse_in_turn()

    def _parse_in_turn(self) -> None:
        """Parse buffered bytes at this connection's next turn, unless something delays it."""
        if self._waits or self._held or self._parse_timer is not None:
            return
        self._waits = True
        self._turns.add(self._address, self.transport, self._parse_slice)

    def in_turn(self, begin: Callable[[], None], cost: float) -> None:
        """Call a function that starts a command in a turn of the client's address."""
        self._turns.add(self._address, self.transport, begin, cost * SECONDS)

    def _parse_slice(self) -> None:
        """Parse a slice of the buffered bytes if the allowance permits, and schedule the rest."""
        self._waits = False
        if self._held or self.transport.is_closing():
            # If held, `release` continues.
            return
        now = self._loop.time()
        earned = (now - self._charged_at) * BYTES_PER_SECOND
        self._allowance = min(BYTES_AT_ONCE, self._allowance + earned)
        self._charged_at = now
        piece = self._buffer[:_SLICE]
        missing = len(piece) - self._allowance
        if missing > 0:
            self._parse_timer = self._loop.call_later(missing / BYTES_PER_SECOND, self._parse_again)
            return
        self._buffer = self._buffer[_SLICE:]
        self._allowance -= len(piece)
        self._parse(piece)
        if self._buffer:
            self._parse_in_turn()
        else:
            self._resume_reading()

    def _parse_again(self) -> None:
        """Continue after a wait for the allowance."""
        self._parse_timer = None
        self._parse_in_turn()

    def _parse(self, data: bytes) -> None:
        """Parse bytes with websockets, and handle the frames in them."""
        protocol = self._framing()
        self._incomplete += len(data)
        protocol.receive_data(data)
        self._is_open = protocol.state is State.OPEN
        for event in protocol.events_received():
            self._handle_frame(cast(Frame, event))
        self._flush()

    def _handle_frame(self, frame: Frame) -> None:
        """Handle one frame; websockets has already answered a ping or a close."""
        session = self._session
        assert session is not None, "frames come after the handshake"
        self._incomplete -= _size(len(frame.data))
        opcode = frame.opcode
        if opcode is Opcode.BINARY and frame.fin:
            session.receive(bytes(frame.data))
        elif opcode is Opcode.TEXT and frame.fin:
            session.receive(None)
        elif opcode is Opcode.BINARY or opcode is Opcode.TEXT:
            self._message = [bytes(frame.data)] if opcode is Opcode.BINARY else []
        elif opcode is Opcode.CONT:
            self._continue(session, frame)
        else:
            # Control frames are cheap to send and expensive to answer.
            self._allowance -= CONTROL_COST
        if opcode is not Opcode.CLOSE and not (frame.fin and opcode in _DATA):
            session.count_frame()

    def _continue(self, session: Session, frame: Frame) -> None:
        """Append a fragment to the current message, which is an empty list for text."""
        assert self._message is not None, "websockets rejects an unexpected continuation"
        if self._message:
            self._message.append(bytes(frame.data))
        if frame.fin:
            message, self._message = self._message, None
            session.receive(b"".join(message) if message else None)

    def _flush(self) -> None:
        """Write websockets' pending output: long messages, pongs and closes."""
        transport = self.transport
        if transport.is_closing() or self._protocol is None:
            return
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            else:
                self._end()
        if transport.get_write_buffer_size() > MAX_UNSENT_CONTROL:
            transport.abort()

    # Writing

    def send(self, frame: bytes, key: Hashable = None) -> None:
        """Send a message, or queue it if the client reads too slowly.

        It replaces a queued message with the same key, unless `key` is `None`.

        Raises:
            TooSlowError: the queue is full.
        """
        length, outgoing = len(frame), self._outgoing
        if outgoing is None:
            if not self._paused and length <= PIECE:
                self._write(frame, length)
                return
            if self.transport.is_closing():
                return
            self._outgoing = outgoing = Outgoing()
        outgoing.put(frame, key)
        if length > PIECE and self._large_timer is None:
            within = LARGE_WITHIN + length / LEAST_PER_SECOND
            self._large_timer = self._loop.call_later(within, self._close_as_too_slow)
        if not self._paused:
            self._write_queued()

    def _write(self, message: bytes, length: int) -> None:
        if not self._is_open or self.transport.is_closing():
            # uvloop's transports raise an exception on writes after close.
            return
        # The same bytes as from `send_binary`, but faster: most messages are this short.
        if length <= _MAX_SHORT:
            self.transport.write(_HEADERS[length] + message)
        elif length <= _MAX_MEDIUM:
            self.transport.write(_MEDIUM_HEADER.pack(_WHOLE_BINARY, _MEDIUM, length) + message)
        else:
            self._framing().send_binary(message)
            self._flush()

    def _write_piece(self, piece: Piece) -> None:
        """Write a message, or a fragment of one."""
        if piece.is_first and piece.is_last:
            self._write(piece.data, len(piece.data))
        elif self._is_open and not self.transport.is_closing():
            if piece.is_first:
                self._framing().send_binary(piece.data, fin=False)
            else:
                self._framing().send_continuation(piece.data, piece.is_last)
            self._flush()

    def _write_queued(self) -> None:
        """Write queued messages until the write buffer is over its limit, or none is left."""
        while self._outgoing and not self._paused:
            self._write_piece(self._outgoing.take())
        if self._outgoing:
            return
        self._outgoing = None
        if self._large_timer is not None:
            self._large_timer.cancel()
            self._large_timer = None
        if self._code is not None:
            self._send_close(self._code)
        elif self._session is not None:
            self._session.go_on()

    def _close_as_too_slow(self) -> None:
        """Close the session: the client has not read a large message in time."""
        self._large_timer = None
        if self._session is not None:
            self._session.close(Reason.TOO_SLOW)

    def is_behind(self) -> bool:
        """Return whether the client reads too slowly, so that messages are queued."""
        return self._paused

    def is_full(self) -> bool:
        """Return whether more than one piece is queued, so that no command may be answered yet."""
        return self._outgoing is not None and self._outgoing.is_large

    def pause_writing(self) -> None:
        """Queue messages from now on: the write buffer is over its limit."""
        self._paused = True

    def resume_writing(self) -> None:
        """Send the queued messages until the write buffer is over its limit again."""
        self._paused = False
        if self._outgoing is not None:
            self._write_queued()

    # Flow control

    def hold(self) -> None:
        """Pause reading until `release`, since the session has enough pending frames."""
        self._held = True
        self.transport.pause_reading()

    def release(self) -> None:
        """Resume reading."""
        self._held = False
        if not self._buffer:
            self._resume_reading()
        else:
            self._parse_in_turn()

    def _resume_reading(self) -> None:
        waits = self._held or self._waits or self._parse_timer is not None
        if not waits and not self.transport.is_closing():
            self.transport.resume_reading()

    # Closing

    def close(self, code: int) -> None:
        """Close the connection with a close code, after queued messages; abort it after a while."""
        self._abort_later()
        if self._is_open and self._outgoing:
            # The `Bye` is queued, and must precede the close frame.
            self._code = code
        else:
            self._send_close(code)

    def _send_close(self, code: int) -> None:
        if self._is_open:
            self._framing().send_close(code)
            self._is_open = False
            self._flush()

    def _end(self) -> None:
        """Close the transport when its write buffer has been sent; abort it after a while."""
        self._abort_later()
        self.transport.close()

    def _abort_later(self) -> None:
        if self._abort_timer is None:
            self._abort_timer = self._loop.call_later(CLOSE_WITHIN, self.transport.abort)

    def eof_received(self) -> bool:
        """Close the transport soon, since the client has closed its side.

        Returns:
            True, so that the transport does not close itself. If thousands of clients are cut off
            together, all would be closed in one pass of the event loop, which takes 15 µs for each.
        """
        self._closes.call(_close, self.transport)
        return True

    def connection_lost(self, _: Exception | None) -> None:
        """Stop all work for the connection, and report its end."""
        for timer in (self._parse_timer, self._abort_timer, self._large_timer):
            if timer is not None:
                timer.cancel()
        self._parse_timer = self._abort_timer = self._large_timer = None
        self._buffer = b""
        self._outgoing = None
        if self._session is not None:
            self._session.cancel_hello_timer()
        self._ended(self)

    def free(self) -> None:
        """Free the lost connection now, rather than in a full garbage collection hours later.

        The session may continue its current work, and keeps this object until then.
        """
        self._session = None
        if self._protocol is not None:
            self._protocol.parser.close()
            _drop_frames(self._protocol.parser_exc)

    def shutdown(self) -> None:
        """Close the session, since the node stops; called by the listener."""
        if self._session is None:
            self.transport.close()
        else:
            self._session.close_for_restart()


def _close(transport: asyncio.Transport) -> None:
    transport.close()


def _drop_frames(error: BaseException | None) -> None:
    """Drop the tracebacks of an error and its causes, whose frames refer to the error."""
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


def _size(length: int) -> int:
    """Return the size in bytes of a masked frame with a payload of `length` bytes."""
    extended = 0 if length <= _MAX_SHORT else 2 if length <= _MAX_MEDIUM else 8
    return _MASKED_HEADER + extended + length


_KEEP_ALIVE: Final = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        # Not every operating system has all of these options.
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (
            ("TCP_KEEPIDLE", 20),
            ("TCP_KEEPINTVL", 5),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", round(UNHEARD_WITHIN * 1_000)),
        )
        if hasattr(socket, name)
    ),
]


def _keep_alive(transport: asyncio.Transport) -> None:
    """Configure the kernel to end connections of clients that are gone or do not read."""
    raw = transport.get_extra_info("socket")
    if raw is None or raw.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    # uvloop's object would create a socket for each option.
    with socket.socket(raw.family, raw.type, raw.proto, raw.fileno()) as same:
        try:
            for option in _KEEP_ALIVE:
                same.setsockopt(*option)
        finally:
            same.detach()
