"""Local servers that receive posts, well-behaved and misbehaving."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

OK = b"HTTP/1.1 204 No Content\r\n\r\n"

Respond = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class Received:
    """A received request."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    """A server that gives its answers in order, then repeats the last one.

    Attributes:
        port: its TCP port.
        answers: the remaining answers: bytes, or a handler of the connection.
        received: the requests; readers empty it.
    """

    port: int = 0
    answers: list[bytes | Respond] = field(default_factory=lambda: [OK])
    received: asyncio.Queue[Received] = field(default_factory=asyncio.Queue)

    def url(self, host: str = "127.0.0.1", scheme: str = "http", path: str = "/hook/secret") -> str:
        """Return a URL of the server."""
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Receive a request and answer it."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *lines = head.strip().split("\r\n")
            named = (each.split(": ", 1) for each in lines)
            headers = {name.lower(): value for name, value in named}
            body = await reader.readexactly(int(headers["content-length"]))
            self.received.put_nowait(Received(line, headers, body))
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def receiving(
    *answers: bytes | Respond, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    receiver = Receiver(answers=[*answers] or [OK])
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()


async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    del writer
    await reader.read()


async def forever(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    del reader
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while not writer.is_closing():
        writer.write(b"X-More: " + b"a" * 1_000 + b"\r\n")
        await writer.drain()


async def endless_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    del reader
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"10\r\n0123456789abcdef\r\n")
        await writer.drain()


class Certified(NamedTuple):
    """A self-signed certificate for a name, with contexts of a server and of a trusting client."""

    server: ssl.SSLContext
    trust: ssl.SSLContext


def certified(name: str, folder: Path) -> Certified:
    """Write a certificate for a name, and its key, to a file with this name in a folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    begin = datetime.now(UTC) - timedelta(days=1)
    number = x509.random_serial_number()
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), number)
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=3))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    pem = made.public_bytes(Encoding.PEM)
    file = folder / f"{name}.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + pem)
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(file)
    return Certified(server, ssl.create_default_context(cadata=pem.decode()))
