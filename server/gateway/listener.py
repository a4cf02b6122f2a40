"""An HTTP server: uvicorn in our event loop, with limits on what a client may send."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, cast

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from server import listening
from server.gateway.entrance import Entrance, Visit

STOP_WITHIN = 5.0
"""Seconds after `Listener.close` until connections that are still open are aborted."""

MAX_REQUEST_SIZE = 16_384
"""The most bytes of a request, including its body."""

REQUEST_WITHIN = 10.0
"""Seconds from the start of a connection, or the end of a request, to the end of the next one."""

REFUSED_WITHIN = 1.0
"""Seconds for the request on a connection that is too many, which is answered so."""

LAST_REQUEST_WITHIN = 0.5
"""Seconds for the first request on a connection that was accepted just before `Listener.close`."""

READ_WITHIN = 60.0
"""Seconds until a closed connection is aborted if its client does not read what was written."""

_TOO_LONG = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

log = structlog.get_logger()


class SocketFactory(Protocol):
    """Creates the protocol that takes over a connection whose client requests a WebSocket.

    uvicorn calls its `connection_made`, passes the head of the request unchanged to its
    `data_received`, and sets it as the transport's protocol. The protocol accepts or rejects the
    handshake (see `server.gateway.http.upgrade_refusal`). From `connection_made` to
    `connection_lost` it must be in `server_state.connections`, and have

    - `transport`, which is aborted if the connection is not closed in time when the node stops;
    - `shutdown()`, which is called once when the node stops: send the reason, and close.

    Closing the listener waits until these connections are closed, and then for the tasks in
    `server_state.tasks`: put what a session does after its connection there.
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
        sockets: creates the protocol of each WebSocket; without it there are none.
        entrance: counts the connections, and says which are too many; without it none are.
    """

    def __init__(
        self,
        app: ASGIApp,
        sockets: SocketFactory | None = None,
        entrance: Entrance | None = None,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=cast("type[asyncio.Protocol]", partial(_Connection, entrance)),
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
        """The number of connections, of HTTP and WebSockets."""
        return len(self._server.server_state.connections)

    async def open(self, bound: listening.Bound) -> None:
        """Accept connections on bound sockets, which `close` closes."""
        self._serving = asyncio.create_task(self._server.serve(list(bound)))
        while not self._server.started:
            if self._serving.done():
                await self._serving
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Stop accepting, shut down every connection, and wait until all are closed.

        Connections that are still open after `STOP_WITHIN` seconds are aborted.
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


class _Connection(HttpToolsProtocol):
    """An HTTP connection that is closed if a request is too long or takes too long.

    One that is too many is answered with 503 or 429, and closed.
    """

    def __init__(self, entrance: Entrance | None, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._entrance = entrance
        self._visit: Visit | None = None
        self._received = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._shutting_down = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._entrance is not None:
            peer = self.client[0] if self.client else ""
            self._visit = self._entrance.enter(peer, len(self.connections))
            if self._visit is None:
                self.transport.abort()
                return
        self._start_request_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        """Count the HTTP connection no more: it has ended, or become a WebSocket."""
        if self._visit is not None:
            self._visit.leave()
            self._visit = None

    def data_received(self, data: bytes) -> None:
        if self._visit is not None and self._visit.refusal is not None:
            self.transport.write(self._visit.refusal)
            self.transport.close()
            return
        self._received += len(data)
        if self._received > MAX_REQUEST_SIZE:
            if not self._has_request or self.cycle.response_complete:
                self.transport.write(_TOO_LONG)
            self.transport.close()
            return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self._shutting_down and self._has_request:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._start_request_timer()

    def handle_websocket_upgrade(self) -> None:
        self._cancel_deadline()
        if self._shutting_down:
            self.transport.close()
        else:
            self._leave()
            super().handle_websocket_upgrade()

    def shutdown(self) -> None:
        self._shutting_down = True
        if self._has_request:
            super().shutdown()
        else:
            self._cancel_deadline()
            self._deadline = self.loop.call_later(LAST_REQUEST_WITHIN, self.transport.close)

    @property
    def _has_request(self) -> bool:
        """Whether a request has begun on this connection. uvicorn's types lack the `None`."""
        cycle: object = self.cycle
        return cycle is not None

    def _start_request_timer(self) -> None:
        self._received = 0
        self._cancel_deadline()
        refused = self._visit is not None and self._visit.refusal is not None
        within = REFUSED_WITHIN if refused else REQUEST_WITHIN
        self._deadline = self.loop.call_later(within, self._time_out)

    def _time_out(self) -> None:
        # `close` first sends what has been written, if the client reads it.
        self.transport.close()
        self._deadline = self.loop.call_later(READ_WITHIN, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
