"""A WebSocket client that writes valid and invalid frames byte by byte (RFC 6455)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, cast

from server.base.net.outgoing import PIECE
from tests.processes import PATIENCE

MAX_LENGTH = PIECE
"""Maximum size of a frame from the server, in bytes."""

RECEIVED = 32_768
"""Receive buffer of the client's kernel in bytes, as on a real path."""

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FIN = 0x80
MASK = b"\x01\xfe\x37\x80"

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
)


class Frame(NamedTuple):
    """A frame from a server."""

    opcode: int
    payload: bytes


def handshake(path: str = "/socket", **headers: str) -> bytes:
    """Return the request of an opening handshake."""
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return HANDSHAKE.format(path=path, more=more).encode()


def frame(opcode: int, payload: bytes = b"", *, flags: int = FIN, masked: bool = True) -> bytes:
    """Return the bytes of a frame; `flags` are the upper four bits of its first byte."""
    length = len(payload)
    bit = 0x80 if masked else 0
    if length < 126:
        head = bytes((flags | opcode, bit | length))
    elif length < 1 << 16:
        head = bytes((flags | opcode, bit | 126)) + length.to_bytes(2, "big")
    else:
        head = bytes((flags | opcode, bit | 127)) + length.to_bytes(8, "big")
    if not masked:
        return head + payload
    return head + MASK + bytes(byte ^ MASK[at % 4] for at, byte in enumerate(payload))


def close(code: int | None = None, reason: bytes = b"") -> bytes:
    return frame(CLOSE, b"" if code is None else code.to_bytes(2, "big") + reason)


class RawClient:
    """A connection for writing bytes and reading frames.

    Attributes:
        status: the HTTP status of the handshake's response; 0 before.
    """

    status = 0

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self._writer = writer

    @property
    def transport(self) -> asyncio.Transport:
        """The client's end of the connection."""
        return cast("asyncio.Transport", self._writer.transport)

    def write(self, data: bytes) -> None:
        """Write bytes, unless the connection has ended."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def abort(self) -> None:
        """Reset the connection, discarding unsent bytes."""
        self._writer.transport.abort()

    async def shake(self, request: bytes | None = None) -> bytes:
        """Send a handshake, and return the head of the response."""
        self.write(handshake() if request is None else request)
        async with asyncio.timeout(PATIENCE):
            head = await self.reader.readuntil(b"\r\n\r\n")
        self.status = int(head.split()[1])
        return head

    async def next(self) -> Frame | None:
        """Return the next frame, a whole message, or `None` at the end."""
        found = await self.fragment()
        assert found is None or found[1], "the server sends a fragment"
        return None if found is None else found[0]

    async def fragment(self) -> tuple[Frame, bool] | None:
        """Return the next frame and whether it ends its message, or `None` at the end."""
        async with asyncio.timeout(PATIENCE):
            try:
                first, length = await self.reader.readexactly(2)
                if length == 126:
                    length = int.from_bytes(await self.reader.readexactly(2), "big")
                assert length <= MAX_LENGTH, "the server masks, or sends more than it may at once"
                assert first & 0x70 == 0, "a reserved bit is set"
                payload = await self.reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionResetError):
                return None
        return Frame(first & 0x0F, payload), bool(first & FIN)

    async def rest(self) -> list[Frame]:
        """Return all frames until the connection ends."""
        found = []
        while (each := await self.next()) is not None:
            found.append(each)
        return found


@asynccontextmanager
async def connected(
    port: int, *, limit: int = 1 << 16, segment: int | None = None
) -> AsyncIterator[RawClient]:
    """Connect, without a handshake.

    Args:
        port: the server's.
        limit: bytes that the client reads ahead.
        segment: maximum bytes of a TCP segment in both directions; with it, the client's kernel
            buffers at most `RECEIVED`. `None` for loopback's default.
    """
    raw = socket.socket()
    if segment is not None:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        # Otherwise the kernel grows the buffer to megabytes while the client does not read.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED)
    raw.connect(("127.0.0.1", port))
    raw.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=raw, limit=limit)
    try:
        yield RawClient(reader, writer)
    finally:
        writer.close()
