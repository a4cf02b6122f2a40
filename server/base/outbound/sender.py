"""The sender: one POST to an untrusted third-party server.

A name is resolved once, and the connection is made to a validated address, so a second answer of
the name server cannot redirect it. The certificate must match the name. Redirections are not
followed, time and bytes are limited, and only the status and headers of the answer are read.
Nothing is kept between requests.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Final

import httptools

from server.base.outbound.core.addresses import is_public
from server.base.outbound.core.destination import Destination, parse_url
from server.base.outbound.core.post import Answer, Failure, Outgoing
from server.base.outbound.resolver import Resolver

# Seconds for a whole request, including the lookup and the answer. A node waits for it before it
# ends.
TIMEOUT: Final = 5.0

MAX_SENT: Final = 16_384  # maximum bytes of a body
MAX_READ: Final = 16_384  # maximum bytes read from an answer: its status and its headers
MAX_ADDRESSES: Final = 3  # maximum addresses of a name that are tried, one after the other
_FINAL = 200  # answers with a lower status are interim

# Returns the addresses of a name. Raises: OSError: it has none.
Resolve = Callable[[str], Awaitable[list[str]]]


class SendError(Exception):
    """There is no answer, for a `reason`."""

    def __init__(self, reason: Failure) -> None:
        super().__init__(reason)
        self.reason: Failure = reason


class Sender:
    """Sends requests.

    Args:
        local: whether to allow any host and port, and http too. Only for tests.
        trust: returns the TLS context with the trusted certificates; by default, the machine's.
        resolve: resolves names; by default, a `Resolver`.
    """

    def __init__(
        self,
        *,
        local: bool = False,
        trust: Callable[[], ssl.SSLContext] | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self.is_local = local  # whether any host and port are allowed
        self._trust = trust or _default_context
        self._resolve = resolve or Resolver().addresses

    def destination(self, url: str) -> Destination | None:
        """Parse a URL, or return `None` if posting there is not allowed."""
        return parse_url(url, local=self.is_local)

    async def send(self, request: Outgoing) -> Answer:
        """Send a request, and return the answer.

        Raises:
            SendError: there is no answer.
        """
        destination = self.destination(request.url)
        if destination is None or len(request.body) > MAX_SENT:
            raise SendError("url")
        try:
            async with asyncio.timeout(TIMEOUT):
                reader, writer = await self._connect(destination)
                try:
                    writer.write(_head(destination, request) + request.body)
                    return await _answer(reader)
                finally:
                    # Aborted, so that a server which reads slowly or sends endlessly causes no
                    # wait.
                    writer.transport.abort()
        except TimeoutError:
            raise SendError("time") from None
        except ssl.SSLError:
            raise SendError("tls") from None
        except OSError:
            raise SendError("connection") from None

    async def _connect(
        self, destination: Destination
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to a public address of a destination.

        Raises:
            SendError: there is none, or its name is unknown.
            OSError: the connection is refused, or the certificate does not match.
        """
        try:
            found = await self._resolve(destination.host)
        except OSError:
            raise SendError("name") from None
        addresses = [each for each in dict.fromkeys(found) if self.is_local or is_public(each)]
        if not addresses:
            raise SendError("address")
        trust = self._trust() if destination.tls else None
        name = destination.host if destination.tls else None
        failure: OSError | None = None
        for address in addresses[:MAX_ADDRESSES]:
            try:
                return await asyncio.open_connection(
                    address, destination.port, limit=MAX_READ, ssl=trust, server_hostname=name
                )
            except ssl.SSLError:
                # A wrong certificate is final: no other address is tried.
                raise
            except OSError as error:
                failure = error
        assert failure is not None, "at least one address was tried"
        raise failure


@lru_cache(1)
def _default_context() -> ssl.SSLContext:
    """Return a TLS context with the machine's trusted certificates."""
    # Reading the certificates takes about 20 ms.
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def _head(destination: Destination, request: Outgoing) -> bytes:
    headers: Mapping[str, str] = {
        "Host": destination.authority,
        "User-Agent": "samedeal",
        "Content-Length": str(len(request.body)),
        "Connection": "close",
        **request.headers,
    }
    lines = [f"POST {destination.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    assert not any(set("\r\n") & set(line) for line in lines), "a header is one line"
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


class _ResponseHead:
    """The start of an answer: a handler for httptools that records its status and headers."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.answer: Answer | None = None
        self._wait_ms = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Record the delay that the server requests."""
        if name.lower() == b"retry-after" and value.isdigit():
            self._wait_ms = int(value[:9]) * 1000

    def on_headers_complete(self) -> None:
        """Record the first final answer."""
        status = self.parser.get_status_code()
        if self.answer is None and status >= _FINAL:
            self.answer = Answer(status, self._wait_ms)


async def _answer(reader: asyncio.StreamReader) -> Answer:
    """Read the start of an answer, and return its status and delay."""
    beginning, left = _ResponseHead(), MAX_READ
    while left > 0 and (data := await reader.read(left)):
        left -= len(data)
        try:
            beginning.parser.feed_data(data)
        except httptools.HttpParserError:
            if beginning.answer is None:
                raise SendError("answer") from None
        if beginning.answer is not None:
            return beginning.answer
    raise SendError("answer")
