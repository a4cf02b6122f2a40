"""All WebSockets of a node: which are let in, and the end of all of them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

import structlog
import uvicorn
from uvicorn.server import ServerState
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from server.gateway.http import upgrade_refusal
from server.gateway.session import Answerer, Session, Wire
from server.gateway.socket import Socket

log = structlog.get_logger()


class Sockets:
    """Makes a session of each connection that asks for a WebSocket.

    Args:
        answerer: carries commands out.
        leave: called with each session whose connection has ended.
        origins: origins that may open sockets beside the page's own.
    """

    def __init__(
        self,
        answerer: Answerer,
        leave: Callable[[Session], None],
        origins: Iterable[str] = (),
    ) -> None:
        self._answerer = answerer
        self._leave = leave
        self._origins = frozenset(origins)
        self._stopping = False

    def __call__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> Socket:
        """Return the protocol of a connection, for uvicorn."""
        connections: set[Any] = server_state.connections

        def begun(socket: Socket) -> None:
            connections.add(socket)

        def ended(socket: Socket) -> None:
            connections.discard(socket)
            if socket.session is not None:
                self._leave(socket.session)

        return Socket(self._open, self._admit, begun, ended)

    def stop(self) -> None:
        """Let nobody in any more."""
        self._stopping = True

    def _open(self, wire: Wire) -> Session:
        return Session(secrets.token_hex(8), wire, self._answerer)

    def _admit(self, request: Request) -> Response | None:
        """Return why a handshake is refused, or `None`."""
        if self._stopping:
            return _refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarting.")
        headers = request.headers
        origin = headers.get("Origin")
        refused = upgrade_refusal(request.path, origin, headers.get("Host", ""), self._origins)
        if refused is None:
            return None
        if refused[0] is HTTPStatus.FORBIDDEN:
            log.info("origin_refused", origin=origin)
        return _refusal(*refused)


def _refusal(status: HTTPStatus, text: str, **more: str) -> Response:
    headers = Headers(more)
    body = f"{text}\n".encode()
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, body)
