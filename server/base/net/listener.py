"""An HTTP server in the node's event loop, with limits on requests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol, cast
from urllib.parse import unquote

import structlog
from httptools import (
    HttpParserError,
    HttpParserInvalidMethodError,
    HttpParserUpgrade,
    HttpRequestParser,
    parse_url,
)
from starlette.types import ASGIApp

from server.base.core.costs import READ, SECONDS
from server.base.net import bound_sockets
from server.base.net.admission import RETRY_AFTER, Admission, Visit
from server.base.net.exchange import Exchange
from server.base.net.heads import (
    METHODS,
    RefusedError,
    asks_for_socket,
    check_request,
    split_target,
    status_of,
)
from server.base.net.turns import Turns
from server.base.work.tasks import Tasks

STOP_WITHIN = 5.0
"""Seconds after `Listener.close` until open connections are aborted."""

MAX_HEAD = 8_192
"""Maximum bytes of a request, which has no body. Browsers and proxies send 500 to 2,000, and
websockets accepts no longer lines either."""

MAX_HEADERS = 64
"""Maximum headers of a request. Browsers and proxies send 15 to 30. Each takes 250 bytes."""

MAX_PIPELINED = 8
"""Maximum pipelined requests on a connection, 2 KiB each. Browsers and proxies send none."""

REQUEST_WITHIN = 10.0
"""Seconds from the start of a connection, or the end of a request, to the end of the next one."""

REFUSED_WITHIN = 1.0
"""Seconds for the request on a connection that will be refused."""

LAST_REQUEST_WITHIN = 0.5
"""Seconds for the first request on a connection accepted just before `Listener.close`."""

_POLL_INTERVAL = 0.05  # seconds between two checks whether all connections are closed

READ_WITHIN = 60.0
"""Seconds until a connection is aborted if the client reads nothing of a streamed answer, such as a
file, or has not read all of a buffered one when the connection is closed."""

DISCARD_WITHIN = 2.0
"""Seconds after a refusal during which further input is discarded.

If the connection were closed immediately, further input would cause a reset, which may overtake the
refusal. A proxy would then consider the node broken.
"""

log = structlog.get_logger()


class Connection(Protocol):
    """An open connection of a listener."""

    transport: asyncio.Transport  # aborted if it is not closed in time when the node stops

    def shutdown(self) -> None:
        """Close the connection, since the node stops. A WebSocket first sends the reason."""
        ...


class Handshake(NamedTuple):
    """A request for a WebSocket.

    Attributes:
        target: the request target in origin form.
        headers: by name in lower case; the values of a repeated header are joined by commas.
    """

    target: str
    headers: dict[str, str]


class WebSocket(asyncio.Protocol):
    """The protocol that takes over a connection whose client requests a WebSocket.

    From `connection_made` to `connection_lost`, it must be in the given set as a `Connection`.
    """

    __slots__ = ()

    def shake_hands(self, request: Handshake) -> None:
        """Accept or reject the handshake."""
        raise NotImplementedError


SocketFactory = Callable[[set[Connection]], WebSocket]
"""Creates the protocol of a WebSocket, given the set of open connections."""


class Listener:
    """Serves an ASGI application, and WebSockets, between `open` and `close`.

    Args:
        app: answers HTTP requests.
        sockets: creates the protocol of each WebSocket; `None` for no WebSockets.
        admission: counts and limits the connections; `None` for no limits.
        turns: schedules requests; `None` for a separate schedule.
    """

    def __init__(
        self,
        app: ASGIApp,
        sockets: SocketFactory | None = None,
        admission: Admission | None = None,
        turns: Turns | None = None,
    ) -> None:
        self.app = app
        self.sockets = sockets
        self.admission = admission
        self.turns = turns or Turns()
        self.opened: set[Connection] = set()  # HTTP and WebSockets together
        self.tasks = Tasks()  # the requests that are being answered
        self.is_closing = False
        self._servers: list[asyncio.Server] = []
        self._bound: bound_sockets.Bound = ()

    @property
    def connections(self) -> int:
        """The number of connections, HTTP and WebSockets together."""
        return len(self.opened)

    async def open(self, bound: bound_sockets.Bound) -> None:
        """Accept connections on bound sockets, which `close` closes."""
        loop, backlog = asyncio.get_running_loop(), bound_sockets.BACKLOG
        self._bound = bound
        self._servers = [
            await loop.create_server(self.protocol, sock=each, backlog=backlog) for each in bound
        ]

    def protocol(self) -> asyncio.Protocol:
        """Return the protocol of a new connection."""
        return _Connection(self)

    async def close(self) -> None:
        """Stop accepting, shut down every connection, and wait until all are closed.

        Connections still open after `STOP_WITHIN` seconds are aborted.
        """
        self.is_closing = True
        for server in self._servers:
            server.close()
        bound_sockets.close(self._bound)
        for connection in list(self.opened):
            connection.shutdown()
        try:
            async with asyncio.timeout(STOP_WITHIN):
                await self._wait_for_all()
        except TimeoutError:
            log.warning("connections_aborted", count=len(self.opened))
            for connection in list(self.opened):
                connection.transport.abort()
            await self._wait_for_all()
        for server in self._servers:
            await server.wait_closed()

    async def _wait_for_all(self) -> None:
        while self.opened:
            await asyncio.sleep(_POLL_INTERVAL)
        await self.tasks.wait()


class _Connection(asyncio.Protocol):
    """An HTTP connection that accepts only plain requests: short, in time, and without bodies.

    An invalid request ends the connection, since its end is ambiguous. Excess connections and
    requests are answered with 503 or 429, and closed. Input is parsed when the address has its
    turn; until then, reading is paused.
    """

    transport: asyncio.Transport

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._turns = listener.turns
        self._admission = listener.admission
        self._loop = asyncio.get_running_loop()
        self._parser: Any = HttpRequestParser(self)
        # Otherwise a request pipelined after one with `Connection: close` would replace its answer
        # by a refusal.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._client: tuple[str, int] | None = None
        self._visit: Visit | None = None
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._upgrades = False
        self._exchanges: deque[Exchange] = deque()
        self._writable = asyncio.Event()
        self._writable.set()
        self._received = 0
        self._ended = False
        self._has_request = False
        self._has_taken = False
        self._is_late = False
        self._deadline: asyncio.TimerHandle | None = None
        self._shutting_down = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's has the same methods, but not the base class.
        self.transport = cast("asyncio.Transport", transport)
        self._client = _address(self.transport, "peername")
        opened = self._listener.opened
        opened.add(self)
        if self._admission is not None:
            self._visit = self._admission.admit_connection(
                self._peer, len(opened), self.transport.abort
            )
            if self._visit is None:
                self.transport.abort()
                return
        self._start_request_timer()
        if self._listener.is_closing:
            self.shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._listener.opened.discard(self)
        self._cancel_deadline()
        self._leave()
        self._writable.set()
        for exchange in self._exchanges:
            exchange.end()
        # Both refer to this object: reference cycles.
        self._exchanges.clear()
        self._parser = None

    def _leave(self) -> None:
        """Stop counting the HTTP connection: it has ended, or become a WebSocket."""
        if self._visit is not None:
            self._visit.leave()
            self._visit = None

    def data_received(self, data: bytes) -> None:
        self.transport.pause_reading()
        self._turns.add(self._peer, self.transport, partial(self._receive, data))

    def _receive(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self.transport.resume_reading()
        if self._ended:
            return
        if self._visit is not None and self._visit.refusal is not None:
            self.transport.write(self._visit.refusal)
            self.transport.close()
            return
        begin = data[: MAX_HEAD - self._received]
        self._received += len(begin)
        self._parse(begin)
        if len(begin) < len(data) and not self._ended:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            if self._upgrades:
                self._upgrade()
            elif rest := data[upgrade.args[0] :]:
                # Declined, so further requests may follow; at most `MAX_PIPELINED` do.
                self._parse(rest)
        except HttpParserInvalidMethodError:
            self._refuse(HTTPStatus.NOT_IMPLEMENTED)
        except HttpParserError as error:
            self._refuse(status_of(error))

    # Callbacks of the parser

    def on_message_begin(self) -> None:
        self._target = b""
        self._headers = []

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self._headers) == MAX_HEADERS:
            raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        parser, headers = self._parser, self._headers
        method, version = parser.get_method().decode(), parser.get_http_version()
        host, self._target = split_target(self._target)
        check_request(method, self._target, version, headers)
        if host is not None:
            # RFC 9112, 3.2.2: the Host header is ignored.
            headers[:] = [(b"host", host), *(each for each in headers if each[0] != b"host")]
        if len(self._exchanges) > MAX_PIPELINED:
            raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS)
        if self._admission is not None and not self._admission.admits_request(self._peer, headers):
            raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS)
        # RFC 9110, 7.8: there are no upgrades in HTTP/1.0.
        self._upgrades = (
            (method, version) == ("GET", "1.1")
            and self._listener.sockets is not None
            # Otherwise the pending answers would be written between the socket's frames.
            and not self._exchanges
            and parser.should_upgrade()
            and asks_for_socket(headers)
        )
        if self._upgrades:
            return
        url = parse_url(self._target)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": version,
            "server": _address(self.transport, "sockname"),
            "client": self._client,
            "scheme": "http",
            "method": method,
            "root_path": "",
            "path": unquote(url.path.decode("ascii")),
            "raw_path": url.path,
            "query_string": url.query or b"",
            "headers": headers,
        }
        exchange = Exchange(
            scope,
            self.transport,
            self._writable,
            self._answered,
            keep_alive=parser.should_keep_alive() and version == "1.1" and not self._shutting_down,
        )
        self._has_request = True
        self._exchanges.append(exchange)
        if len(self._exchanges) == 1:
            self._begin(exchange)
        else:
            self.transport.pause_reading()

    def on_message_complete(self) -> None:
        # Only now: fragments of a request, however many, do not end the silence.
        if self._visit is not None:
            self._visit.speak()
        self._has_taken = True
        if not self._upgrades:
            self._start_request_timer()

    # Answers

    def _begin(self, exchange: Exchange) -> None:
        """Answer a request in a turn of its client."""

        def begin() -> None:
            # The connection may have been closed since the request was read.
            if not self.transport.is_closing():
                self._listener.tasks.start(exchange.run(self._listener.app))

        address = self._peer
        if self._admission is not None:
            # Behind a proxy, clients must not wait for each other's requests.
            address = self._admission.client(address, exchange.scope["headers"])
        self._turns.add(address, self.transport, begin, READ * SECONDS)

    def _answered(self) -> None:
        """Continue with the next request."""
        self._exchanges.popleft()
        if self.transport.is_closing():
            return
        self.transport.resume_reading()
        if self._exchanges:
            self._begin(self._exchanges[0])
        if self._is_late:
            self._set_deadline(REQUEST_WITHIN)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()
        self._has_taken = True

    def _upgrade(self) -> None:
        """Pass the connection and the request to a WebSocket."""
        self._ended = True
        self._cancel_deadline()
        if self._shutting_down:
            self.transport.close()
        else:
            self._leave()
            self._listener.opened.discard(self)
            assert self._listener.sockets is not None
            socket = self._listener.sockets(self._listener.opened)
            self.transport.set_protocol(socket)
            socket.connection_made(self.transport)
            headers: dict[str, str] = {}
            for raw_name, raw_value in self._headers:
                name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
                headers[name] = f"{headers[name]},{value}" if name in headers else value
            socket.shake_hands(Handshake(self._target.decode("latin-1"), headers))
        # The parser refers to this object, which is no longer notified of the end: a reference
        # cycle.
        self._parser = None

    def shutdown(self) -> None:
        self._shutting_down = True
        if self._exchanges:
            self._exchanges[-1].keep_alive = False
        elif self._has_request:
            self.transport.close()
        else:
            # The client of a new connection may already have sent its request.
            self._cancel_deadline()
            self._deadline = self._loop.call_later(LAST_REQUEST_WITHIN, self.transport.close)

    @property
    def _peer(self) -> str:
        return self._client[0] if self._client else ""

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer the current request with an error, and end the connection.

        If answers to earlier requests are pending, the connection ends after these.
        """
        self._ended = True
        if self._exchanges:
            self._exchanges[-1].keep_alive = False
            return
        more = ""
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            more = f"allow: {METHODS}\r\n"
        elif status is HTTPStatus.TOO_MANY_REQUESTS:
            more = f"retry-after: {RETRY_AFTER}\r\n"
        # Clients ignore the body after HEAD, since the connection ends.
        text = f"{status.value} {status.phrase}\n"
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\n{more}content-type: text/plain\r\n"
        head += f"content-length: {len(text)}\r\nconnection: close\r\n\r\n"
        self.transport.write(f"{head}{text}".encode())
        self.transport.write_eof()
        self._set_deadline(DISCARD_WITHIN)

    def _start_request_timer(self) -> None:
        self._received = 0
        self._is_late = False
        refused = self._visit is not None and self._visit.refusal is not None
        self._set_deadline(REFUSED_WITHIN if refused else REQUEST_WITHIN)

    def _set_deadline(self, within: float) -> None:
        self._cancel_deadline()
        self._deadline = self._loop.call_later(within, self._time_out)

    def _time_out(self) -> None:
        if self._exchanges:
            # However long the answer takes, the client must keep reading it.
            # An empty buffer: the client has taken all that there is so far.
            if self._has_taken or not self.transport.get_write_buffer_size():
                self._has_taken = False
                self._is_late = True
                self._set_deadline(READ_WITHIN)
            else:
                self.transport.abort()
            return
        # `close` first sends the written data, if the client reads it.
        self.transport.close()
        self._deadline = self._loop.call_later(READ_WITHIN, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


def _address(transport: asyncio.Transport, name: str) -> tuple[str, int] | None:
    """Return an address and port of a connection's socket; `None` if it is already closed."""
    found = transport.get_extra_info(name)
    return found[:2] if found else None
