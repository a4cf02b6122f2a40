"""A WebSocket connection: websockets' Sans-I/O protocol on an asyncio transport.

Bytes are charged before they are parsed. A client that sends more than a player could is read more
slowly, a little at a time, so that others have their turn; what waits to be sent to one that does
not read is bounded, whatever it is.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Hashable
from http import HTTPStatus
from typing import Final, cast

from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from server.gateway.codec import LONGEST_FRAME
from server.gateway.contracts import Wire
from server.gateway.limits import BYTES_AT_ONCE, BYTES_PER_SECOND, CONTROL_COST
from server.gateway.outgoing import Outgoing
from server.gateway.session import Session

try:
    from websockets.speedups import apply_mask
except ImportError:  # not compiled for this system
    from websockets.utils import apply_mask

CLOSE_WITHIN: Final = 2.0
"""Seconds for a client to take what waits and to answer a close."""

MOST_UNSENT: Final = 32_768
"""Bytes that may wait in a connection's own buffer; then what is to be sent is queued."""

MOST_UNSENT_CONTROL: Final = 65_536
"""Bytes in that buffer at which the connection is broken off: pongs and closes are not queued."""

_SLICE: Final = 2_048
"""Bytes that are parsed at once; the smallest frames in them take about two milliseconds."""

_LONGEST_SHORT: Final = 125
"""Bytes of a message whose frame has a header of two bytes."""

_LONGEST_MEDIUM: Final = 65_535
"""Bytes of data whose length takes two more bytes."""

_WHOLE_BINARY: Final = 0x82
_MASKED: Final = 0x80
_MASKED_HEADER: Final = 6
_HEADERS: Final = tuple(bytes((_WHOLE_BINARY, length)) for length in range(_LONGEST_SHORT + 1))
"""The header of a frame with a whole binary message, by the message's length."""

Admit = Callable[[Request], Response | None]
"""Decides about a handshake: `None` lets it go on."""

OpenSession = Callable[[Wire], Session]


_SILENT = logging.getLogger("samedeal.socket")
"""Of what websockets has to log about a connection, only its own failures are of interest."""
_SILENT.setLevel(logging.ERROR)


class Socket(asyncio.Protocol):
    """One connection that is a WebSocket, or asks to become one."""

    __slots__ = (
        "_admit",
        "_allowance",
        "_begun",
        "_charged_at",
        "_closer",
        "_ended",
        "_held",
        "_loop",
        "_message",
        "_open_session",
        "_outgoing",
        "_paused",
        "_protocol",
        "_resumer",
        "_session",
        "_unparsed",
        "_unread",
        "transport",
    )

    def __init__(
        self,
        open_session: OpenSession,
        admit: Admit,
        begun: Callable[[Socket], None],
        ended: Callable[[Socket], None],
    ) -> None:
        self._open_session = open_session
        self._admit = admit
        self._begun = begun
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._protocol = ServerProtocol(max_size=LONGEST_FRAME, logger=_SILENT)
        self._session: Session | None = None
        self._message: list[bytes] | None = None
        self._unread = b""
        self._unparsed = 0
        self._allowance = float(BYTES_AT_ONCE)
        self._charged_at = self._loop.time()
        self._resumer: asyncio.TimerHandle | None = None
        self._closer: asyncio.TimerHandle | None = None
        self._paused = False
        self._held = False
        self._outgoing: Outgoing | None = None

    @property
    def session(self) -> Session | None:
        """The session, once the handshake is over."""
        return self._session

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin on a connection; its first bytes are the handshake."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=MOST_UNSENT)
        _keep_alive(self.transport)
        self._begun(self)

    # Reading

    def data_received(self, data: bytes) -> None:
        """Take bytes, as many as are allowed; the rest waits, and no more are read meanwhile."""
        length = len(data)
        at_once = length <= self._allowance and length <= _SLICE
        if at_once and not self._unread and not self._held:
            self._allowance -= length
            if self._is_whole(data):
                assert self._session is not None, "frames come after the handshake"
                self._session.receive(apply_mask(data[6:], data[2:6]))
            else:
                self._parse(data)
            return
        self._unread += data
        if self._resumer is None:
            self._go_on()

    def _go_on(self) -> None:
        """Parse a slice of what waits if it is allowed, and come back for the rest."""
        self._resumer = None
        if self._held:
            # `release` comes back for it.
            return
        now = self._loop.time()
        earned = (now - self._charged_at) * BYTES_PER_SECOND
        self._allowance = min(BYTES_AT_ONCE, self._allowance + earned)
        self._charged_at = now
        piece = self._unread[:_SLICE]
        missing = len(piece) - self._allowance
        if missing <= 0:
            self._unread = self._unread[_SLICE:]
            self._allowance -= len(piece)
            self._parse(piece)
            if not self._unread:
                self._resume_reading()
                return
        self.transport.pause_reading()
        self._go_on_after(max(0.0, missing / BYTES_PER_SECOND))

    def _go_on_after(self, seconds: float) -> None:
        """Come back for the rest, unless `release` does."""
        if self._resumer is None and not self._held:
            self._resumer = self._loop.call_later(seconds, self._go_on)

    def _is_whole(self, data: bytes) -> bool:
        """Return whether this is one frame with one short binary message, as most are.

        Such a one is what it seems: there is nothing in it that the protocol could find fault with,
        or would have to remember. Not going through it saves a sixth of the time of a move.
        """
        return (
            not self._unparsed
            and self._message is None
            and _MASKED_HEADER <= len(data) <= _MASKED_HEADER + _LONGEST_SHORT
            and data[0] == _WHOLE_BINARY
            and data[1] == _MASKED + len(data) - _MASKED_HEADER
            and self._protocol.state is State.OPEN
        )

    def _parse(self, data: bytes) -> None:
        """Have bytes parsed, and handle the messages in them."""
        protocol = self._protocol
        if self._session is not None:
            self._unparsed += len(data)
        protocol.receive_data(data)
        for event in protocol.events_received():
            if isinstance(event, Frame):
                self._take(event)
            else:
                self._greet(cast(Request, event))
        self._flush()

    def _take(self, frame: Frame) -> None:
        """Handle one frame of data; websockets has answered pings and closes already."""
        session = self._session
        assert session is not None, "frames come after the handshake"
        self._unparsed -= _size(len(frame.data))
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
            # Small to send, and dear to answer.
            self._allowance -= CONTROL_COST

    def _continue(self, session: Session, frame: Frame) -> None:
        """Put a message together that comes in parts; an empty list stands for a text."""
        assert self._message is not None, "websockets takes no continuation of nothing"
        if self._message:
            self._message.append(bytes(frame.data))
        if frame.fin:
            message, self._message = self._message, None
            session.receive(b"".join(message) if message else None)

    def _greet(self, request: Request) -> None:
        """Answer the handshake."""
        response = self._admit(request) or self._protocol.accept(request)
        self._protocol.send_response(response)
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self._session = self._open_session(self)

    def _flush(self) -> None:
        """Send what the protocol has to say: handshakes, pongs, closes."""
        transport = self.transport
        if transport.is_closing():
            return
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            else:
                self._end()
        if transport.get_write_buffer_size() > MOST_UNSENT_CONTROL:
            transport.abort()

    # Writing

    def send(self, frame: bytes, key: Hashable = None) -> None:
        """Send a message; one with a key takes the place of an unsent one with that key.

        Raises:
            TooSlowError: too many messages wait for the client to read.
        """
        if self._paused:
            if self._outgoing is None:
                self._outgoing = Outgoing()
            self._outgoing.put(frame, key)
        else:
            self._write(frame)

    def _write(self, message: bytes) -> None:
        length = len(message)
        if self._protocol.state is not State.OPEN or self.transport.is_closing():
            # uvloop's transports refuse what is written to them when they are closed.
            return
        if length <= _LONGEST_SHORT:
            # What `send_binary` makes of it, for the many messages that are this short.
            self.transport.write(_HEADERS[length] + message)
        else:
            self._protocol.send_binary(message)
            self._flush()

    def is_behind(self) -> bool:
        """Return whether the client does not read as fast as it is written to."""
        return self._paused

    def pause_writing(self) -> None:
        """Queue what is to be sent: the client does not read as fast as it is written to."""
        self._paused = True

    def resume_writing(self) -> None:
        """Send what has been queued, as long as the client reads."""
        self._paused = False
        while self._outgoing and not self._paused:
            self._write(self._outgoing.take())
        if not self._outgoing:
            self._outgoing = None

    # Flow

    def hold(self) -> None:
        """Read nothing until `release`: the session has enough to do."""
        self._held = True
        self.transport.pause_reading()

    def release(self) -> None:
        """Read on."""
        self._held = False
        if not self._unread:
            self._resume_reading()
        else:
            # Not at once: this may have been called for a message of the slice before.
            self._go_on_after(0)

    def _resume_reading(self) -> None:
        if not self._held and self._resumer is None and not self.transport.is_closing():
            self.transport.resume_reading()

    # The end

    def close(self, code: int) -> None:
        """Close when what waits has been sent; break off if that takes too long."""
        self._break_off_later()
        if self._protocol.state is State.OPEN:
            if self._outgoing and not self.transport.is_closing():
                # A message may be lost to a client that does not read, but not the reason.
                while self._outgoing:
                    self._write(self._outgoing.take())
            self._protocol.send_close(code)
            self._flush()
        elif self._protocol.state is State.CONNECTING:
            self._end()

    def _end(self) -> None:
        """End the connection when what waits in its buffer has been taken."""
        self._break_off_later()
        self.transport.close()

    def _break_off_later(self) -> None:
        if self._closer is None:
            self._closer = self._loop.call_later(CLOSE_WITHIN, self.transport.abort)

    def eof_received(self) -> None:
        """Let the connection end, since the client sends nothing more."""

    def connection_lost(self, _: Exception | None) -> None:
        """Forget the connection."""
        for timer in (self._resumer, self._closer):
            if timer is not None:
                timer.cancel()
        self._resumer = self._closer = None
        self._unread = b""
        if self._session is not None:
            self._session.forget()
        self._ended(self)

    def shutdown(self) -> None:
        """Close the session as uvicorn asks for when it stops."""
        if self._session is None:
            self.transport.close()
        else:
            self._session.close_for_restart()


def _size(length: int) -> int:
    """Return the bytes of a masked frame with so many bytes of data."""
    extended = 0 if length <= _LONGEST_SHORT else 2 if length <= _LONGEST_MEDIUM else 8
    return _MASKED_HEADER + extended + length


def _keep_alive(transport: asyncio.Transport) -> None:
    """Have the kernel find out when the other side is gone: it costs the node nothing."""
    raw = transport.get_extra_info("socket")
    if raw is None or raw.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, seconds in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
        # Not every system has all of them.
        if (option := getattr(socket, name, None)) is not None:
            raw.setsockopt(socket.IPPROTO_TCP, option, seconds)
