"""Sessions on the connections of websockets' asyncio server."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import structlog
import uvicorn
from uvicorn.server import ServerState
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from server.gateway.codec import LONGEST_FRAME
from server.gateway.http import upgrade_refusal
from server.gateway.hub import Hub
from server.gateway.session import Answerer, Reason, Session

FRAMES_AHEAD = 16
"""Frames that are read from a socket before it is held up."""

CLOSE_WITHIN = 2.0
"""Seconds for a client to answer a close."""

log = structlog.get_logger()


class Sockets:
    """Makes a session of each connection that asks for a WebSocket."""

    def __init__(self, hub: Hub, answer: Answerer, origins: Iterable[str] = ()) -> None:
        self._hub = hub
        self._answer = answer
        self._origins = frozenset(origins)
        # It only runs the handshake and the handler: what listens is the listener.
        self._server = serve(self._serve_session, process_request=self._check, server_header=None)
        listening: Any = SimpleNamespace(is_serving=lambda: True)
        self._server.server = listening

    def __call__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> asyncio.Protocol:
        """Return the protocol of a connection."""
        protocol = ServerProtocol(max_size=LONGEST_FRAME)
        return _Connection(protocol, self._server, server_state)

    def _check(self, _: ServerConnection, request: Request) -> Response | None:
        headers = request.headers
        origin = headers.get("Origin")
        refusal = upgrade_refusal(request.path, origin, headers.get("Host", ""), self._origins)
        if refusal is None:
            return None
        status, text = refusal
        if status is HTTPStatus.FORBIDDEN:
            log.info("origin_refused", origin=origin)
        return ServerProtocol().reject(status, f"{text}\n")

    async def _serve_session(self, connection: ServerConnection) -> None:
        assert isinstance(connection, _Connection)
        session = Session(secrets.token_hex(8), connection, self._answer)
        connection.session = session
        if connection.stopping:
            session.close(Reason.GOING_AWAY)
        try:
            await session.run()
        finally:
            await self._hub.leave(session)


class _Connection(ServerConnection):
    """A connection that uvicorn knows of."""

    def __init__(self, protocol: ServerProtocol, server: Any, state: ServerState) -> None:
        super().__init__(protocol, server, close_timeout=CLOSE_WITHIN, max_queue=FRAMES_AHEAD)
        self.session: Session | None = None
        self.stopping = False
        self._connections: set[Any] = state.connections
        self._tasks: set[asyncio.Task[None]] = state.tasks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connections.add(self)
        known = set(self.server.handler_tasks)
        super().connection_made(transport)
        for task in self.server.handler_tasks - known:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connections.discard(self)

    def shutdown(self) -> None:
        """Tell the client that the node goes."""
        self.stopping = True
        if self.session is not None:
            self.session.close(Reason.GOING_AWAY)
