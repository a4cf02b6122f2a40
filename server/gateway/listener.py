"""A port: HTTP is uvicorn's work, on a loop that is ours, with limits on what a client may send."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from server import ports

STOP_WITHIN = 5.0
"""Seconds for all connections to end when the port is closed."""

LONGEST_REQUEST = 16_384
"""Bytes of a request, with its body."""

REQUEST_WITHIN = 10.0
"""Seconds from a connection, or the end of a request on it, to the end of the next request."""

LAST_REQUEST_WITHIN = 0.5
"""Seconds for the first request on a connection that was accepted just before the port closed."""

READ_WITHIN = 60.0
"""Seconds after which a connection is cut that was closed, but whose client did not read all."""

_TOO_LONG = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

log = structlog.get_logger()


class SocketFactory(Protocol):
    """Makes the protocol that takes over a connection whose client asks for a WebSocket.

    uvicorn calls its `connection_made`, hands the request's head to its `data_received` as it
    came, and sets it as the transport's protocol. The protocol decides whether there will be a
    socket (`server.gateway.http.upgrade_refusal`). From `connection_made` to `connection_lost` it
    is to be in `server_state.connections`, and have

    - `transport`, which is aborted when a node stops and the client does not let go;
    - `shutdown()`, which is called once when the node stops: say why, and close.

    Closing the listener waits until those connections are gone, and then for the tasks that are
    in `server_state.tasks`: what a session has to do after its connection belongs there.
    """

    def __call__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> asyncio.Protocol:
        """Return a new protocol."""
        ...


class Listener:
    """Accepts connections, for as long as it is open."""

    def __init__(self, app: ASGIApp, sockets: SocketFactory | None = None) -> None:
        config = uvicorn.Config(
            app,
            http=_Connection,
            ws=cast("type[asyncio.Protocol]", sockets) if sockets is not None else "none",
            lifespan="off",
            log_config=None,
            # Its warnings are about what clients send, as often as they like.
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
        )
        self._server = _Server(config)
        self._serving: asyncio.Task[None] | None = None

    async def open(self, bound: ports.Bound) -> None:
        """Accept connections on sockets that are bound; they are closed with the listener."""
        self._serving = asyncio.create_task(self._server.serve(list(bound)))
        while not self._server.started:
            if self._serving.done():
                await self._serving
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Accept no more, tell every client, and wait until they are gone."""
        assert self._serving is not None, "open comes before close"
        self._server.should_exit = True
        done, _ = await asyncio.wait({self._serving}, timeout=STOP_WITHIN)
        if not done:
            left = list(self._server.server_state.connections)
            log.warning("connections_cut", count=len(left))
            for connection in left:
                connection.transport.abort()
        await self._serving


class _Server(uvicorn.Server):
    """A server in a process whose signals are somebody else's."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Connection(HttpToolsProtocol):
    """A connection that is closed if a request on it is too long or takes too long."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._received = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._ending = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > LONGEST_REQUEST:
            if not self._asked or self.cycle.response_complete:
                self.transport.write(_TOO_LONG)
            self.transport.close()
            return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self._ending and self._asked:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._await_request()

    def handle_websocket_upgrade(self) -> None:
        self._forget_deadline()
        if self._ending:
            self.transport.close()
        else:
            super().handle_websocket_upgrade()

    def shutdown(self) -> None:
        self._ending = True
        if self._asked:
            super().shutdown()
        else:
            self._forget_deadline()
            self._deadline = self.loop.call_later(LAST_REQUEST_WITHIN, self.transport.close)

    @property
    def _asked(self) -> bool:
        """Whether there was a request on this connection. uvicorn types it as if always."""
        cycle: object = self.cycle
        return cycle is not None

    def _await_request(self) -> None:
        self._received = 0
        self._forget_deadline()
        self._deadline = self.loop.call_later(REQUEST_WITHIN, self._give_up)

    def _give_up(self) -> None:
        # What was written still goes out, if it is read.
        self.transport.close()
        self._deadline = self.loop.call_later(READ_WITHIN, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
