"""An HTTP server: uvicorn in the node's event loop, with limits on requests."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol, cast

import structlog
import uvicorn
from httptools import HttpParserError, HttpParserInvalidMethodError, HttpParserUpgrade
from starlette.types import ASGIApp
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from server.base.core.costs import READ, SECONDS
from server.base.net import bound_sockets
from server.base.net.admission import RETRY_AFTER, Admission, Visit
from server.base.net.origins import HOST
from server.base.net.turns import Turns

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

READ_WITHIN = 60.0
"""Seconds until a connection is aborted if the client reads nothing of a streamed answer, such as a
file, or has not read all of a buffered one when the connection is closed."""

DISCARD_WITHIN = 2.0
"""Seconds after a refusal during which further input is discarded.

If the connection were closed immediately, further input would cause a reset, which may overtake the
refusal. A proxy would then consider the node broken.
"""

_METHODS = "GET, HEAD, OPTIONS"
"""The HTTP methods that a node supports."""

_ONCE = frozenset(
    {
        *("host", "origin", "content-length", "transfer-encoding", "upgrade", "x-forwarded-proto"),
        *("sec-websocket-key", "sec-websocket-version"),
    }
)
"""Headers that must not be repeated. Otherwise the proxy, this server and the libraries might each
use another value."""

_ABSOLUTE = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE)
"""A request target in absolute form: its host, and its path and query."""

log = structlog.get_logger()


class SocketFactory(Protocol):
    """Creates the protocol that takes over a connection whose client requests a WebSocket.

    uvicorn calls its `connection_made`, passes the head of the request unchanged to its
    `data_received`, and sets it as the transport's protocol. The protocol accepts or rejects the
    handshake (see `server.base.wire.sockets`). From `connection_made` to `connection_lost` it must
    be in `server_state.connections`, and have

    - `transport`, which is aborted if the connection is not closed in time when the node stops;
    - `shutdown()`, called once when the node stops, to send the reason and close.

    Closing the listener waits until these connections are closed, and then for the tasks in
    `server_state.tasks`: put a session's remaining work after its connection there.
    """

    def __call__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> asyncio.Protocol:
        """Return the protocol of one connection."""
        ...


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
        config = uvicorn.Config(
            app,
            http=cast("type[asyncio.Protocol]", partial(_Connection, turns or Turns(), admission)),
            ws=cast("type[asyncio.Protocol]", sockets) if sockets is not None else "none",
            lifespan="off",
            log_config=None,
            # uvicorn logs a warning for each invalid request, so clients could flood the log.
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
        )
        self._server = _Server(config)
        self._serving: asyncio.Task[None] | None = None

    @property
    def connections(self) -> int:
        """The number of connections, HTTP and WebSockets together."""
        return len(self._server.server_state.connections)

    async def open(self, bound: bound_sockets.Bound) -> None:
        """Accept connections on bound sockets, which `close` closes."""
        self._serving = asyncio.create_task(self._server.serve(list(bound)))
        while not self._server.started:
            if self._serving.done():
                await self._serving
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Stop accepting, shut down every connection, and wait until all are closed.

        Connections still open after `STOP_WITHIN` seconds are aborted.
        """
        assert self._serving is not None, "close without open"
        self._server.should_exit = True
        done, _ = await asyncio.wait({self._serving}, timeout=STOP_WITHIN)
        if not done:
            remaining = list(self._server.server_state.connections)
            log.warning("connections_aborted", count=len(remaining))
            for connection in remaining:
                connection.transport.abort()
        await self._serving


class _Server(uvicorn.Server):
    """A uvicorn server that leaves the process's signal handlers alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _RefusedError(Exception):
    """The current request is refused; raised in a callback of the parser."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status)
        self.status = status


class _Connection(HttpToolsProtocol):
    """An HTTP connection that accepts only plain requests: short, in time, and without bodies.

    An invalid request ends the connection, since its end is ambiguous. Excess connections and
    requests are answered with 503 or 429, and closed. Input is parsed when the address has its
    turn; until then, reading is paused.
    """

    def __init__(
        self, turns: Turns, admission: Admission | None, *args: Any, **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self._turns = turns
        self._admission = admission
        self._visit: Visit | None = None
        self._received = 0
        self._ended = False
        self._has_taken = False
        self._is_late = False
        self._deadline: asyncio.TimerHandle | None = None
        self._shutting_down = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._admission is not None:
            self._visit = self._admission.admit_connection(
                self._peer, len(self.connections), transport.abort
            )
            if self._visit is None:
                self.transport.abort()
                return
        self._start_request_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        self._leave()
        super().connection_lost(exc)
        # Each refers to this object if it has not started: a reference cycle.
        self.cycle = None  # type: ignore[assignment]
        self.pipeline.clear()

    def _leave(self) -> None:
        """Stop counting the HTTP connection: it has ended, or become a WebSocket."""
        if self._visit is not None:
            self._visit.leave()
            self._visit = None

    def data_received(self, data: bytes) -> None:
        self.flow.pause_reading()
        self._turns.add(self._peer, self.transport, partial(self._receive, data))

    def _receive(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
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
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
        except HttpParserInvalidMethodError:
            self._refuse(HTTPStatus.NOT_IMPLEMENTED)
        except HttpParserError as error:
            self._refuse(_status_of(error))

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) == MAX_HEADERS:
            raise _RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        method, version = self.parser.get_method().decode(), self.parser.get_http_version()
        host, self.url = split_target(self.url)
        check_request(method, self.url, version, self.headers)
        if host is not None:
            # RFC 9112, 3.2.2: the Host header is ignored. The list is shared with the scope.
            self.headers[:] = [each for each in self.headers if each[0] != b"host"]
            self.headers.insert(0, (b"host", host))
        if len(self.pipeline) == MAX_PIPELINED:
            raise _RefusedError(HTTPStatus.TOO_MANY_REQUESTS)
        if self._admission is not None and not self._admission.admits_request(
            self._peer, self.headers
        ):
            raise _RefusedError(HTTPStatus.TOO_MANY_REQUESTS)
        super().on_headers_complete()
        if self._shutting_down and self._has_request:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        # Only now: fragments of a request, however many, do not end the silence.
        if self._visit is not None:
            self._visit.speak()
        self._has_taken = True
        self._start_request_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._has_taken = True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_late:
            self._set_deadline(REQUEST_WITHIN)

    def handle_websocket_upgrade(self) -> None:
        self._ended = True
        self._cancel_deadline()
        if self._shutting_down:
            self.transport.close()
        else:
            self._leave()
            super().handle_websocket_upgrade()
        # The parser refers to this object, which is no longer notified of the end: a reference
        # cycle.
        self.parser = None  # type: ignore[assignment]

    def shutdown(self) -> None:
        self._shutting_down = True
        if self._has_request:
            super().shutdown()
        else:
            # The client of a new connection may already have sent its request.
            self._cancel_deadline()
            self._deadline = self.loop.call_later(LAST_REQUEST_WITHIN, self.transport.close)

    def _should_upgrade(self) -> bool:
        # RFC 9110, 7.8: there are no upgrades in HTTP/1.0.
        scope = self.scope
        return (
            scope["method"] == "GET"
            and scope["http_version"] == "1.1"
            and super()._should_upgrade()
        )

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        start = super()._start_asgi_task

        def begin() -> None:
            # The connection may have been closed since the request was read.
            if not self.transport.is_closing():
                start(cycle, app)

        address = self._peer
        if self._admission is not None:
            # Behind a proxy, clients must not wait for each other's requests.
            address = self._admission.client(address, cycle.scope["headers"])
        self._turns.add(address, self.transport, begin, READ * SECONDS)

    @property
    def _peer(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def _has_request(self) -> bool:
        """Whether a request has started on this connection. uvicorn's types lack the `None`."""
        cycle: object = self.cycle
        return cycle is not None

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer the current request with an error, and end the connection.

        If answers to earlier requests are pending, the connection ends after these.
        """
        self._ended = True
        if self._has_request and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            return
        more = ""
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            more = f"allow: {_METHODS}\r\n"
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
        self._deadline = self.loop.call_later(within, self._time_out)

    def _time_out(self) -> None:
        if self._has_request and not self.cycle.response_complete:
            # However long the answer takes, the client must keep reading it.
            if self._has_taken:
                self._has_taken = False
                self._is_late = True
                self._set_deadline(READ_WITHIN)
            else:
                self.transport.abort()
            return
        # `close` first sends the written data, if the client reads it.
        self.transport.close()
        self._deadline = self.loop.call_later(READ_WITHIN, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


def _status_of(error: HttpParserError) -> HTTPStatus:
    """Return the status for a request refused by the parser."""
    # The context is the exception raised by a callback.
    cause = error.__context__
    return cause.status if isinstance(cause, _RefusedError) else HTTPStatus.BAD_REQUEST


def split_target(target: bytes) -> tuple[bytes | None, bytes]:
    """Split a request target into its host and its origin form.

    Clients send the absolute form to proxies, and every server must accept it (RFC 9112, 3.2.2).

    Returns:
        `None` and the unchanged target, if it is not in absolute form.

    Raises:
        _RefusedError: the host is invalid, or preceded by userinfo.
    """
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        return None, target
    host, rest = absolute.groups()
    if HOST.fullmatch(host.decode("latin-1")) is None:
        raise _RefusedError(HTTPStatus.BAD_REQUEST)
    return host, rest if rest.startswith(b"/") else b"/" + rest


def check_request(
    method: str, target: bytes, version: str, headers: Sequence[tuple[bytes, bytes]]
) -> None:
    """Check the head of a request that the parser has accepted.

    Args:
        method: as in the request.
        target: the request target; refused unless it is in origin form.
        version: such as `1.1`.
        headers: the names in lower case, and the values.

    Raises:
        _RefusedError: with the status to answer.
    """
    values: dict[str, bytes] = {}
    for name, value in headers:
        known = name.decode("latin-1")
        if known in values and known in _ONCE:
            raise _RefusedError(HTTPStatus.BAD_REQUEST)
        values[known] = value
    if version not in {"1.0", "1.1"}:
        raise _RefusedError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
    has_body = values.get("content-length", b"0") != b"0" or "transfer-encoding" in values
    if method == "CONNECT" or (has_body and method not in _METHODS.split(", ")):
        raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED)
    if has_body:
        raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if "host" in values:
        host_is_valid = HOST.fullmatch(values["host"].decode("latin-1")) is not None
    else:
        # Health checks of some load balancers send no Host.
        host_is_valid = version == "1.0"
    if not host_is_valid or not target.startswith(b"/") or b"#" in target:
        raise _RefusedError(HTTPStatus.BAD_REQUEST)
