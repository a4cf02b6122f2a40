"""The port: pages and health over HTTP, sessions over WebSockets at `/socket`."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from http import HTTPStatus
from urllib.parse import urlsplit

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from server.gateway.codec import LONGEST_FRAME
from server.gateway.hub import Hub
from server.gateway.pages import Pages, plain
from server.gateway.session import Answerer, Reason, Session

SOCKET_PATH = "/socket"
HEALTH_PATH = "/health"

FRAMES_AHEAD = 16
"""Frames that are read from a socket before it is held up."""

CLOSE_WITHIN = 2.0
"""Seconds for a client to answer a close."""

STOP_WITHIN = 5.0
"""Seconds for all sessions to end when the node stops."""

log = structlog.get_logger()


class Listener:
    """Accepts connections, for as long as it is open."""

    def __init__(
        self,
        pages: Pages,
        hub: Hub,
        answer: Answerer,
        healthy: Callable[[], bool],
        origins: Iterable[str] = (),
    ) -> None:
        self._pages = pages
        self._hub = hub
        self._answer = answer
        self._healthy = healthy
        self._origins = frozenset(origins)
        self._server: Server | None = None
        self._sessions: set[Session] = set()
        self._empty = asyncio.Event()
        self._stopping = False

    async def open(self, host: str, port: int) -> int:
        """Listen, and return the port.

        Raises:
            OSError: the port cannot be had.
        """
        self._server = await serve(
            self._serve_session,
            host,
            port,
            process_request=self._answer_request,
            # Each connection's deflate state would cost more memory than everything else of it.
            compression=None,
            max_size=LONGEST_FRAME,
            max_queue=FRAMES_AHEAD,
            close_timeout=CLOSE_WITHIN,
            server_header=None,
        )
        bound: int = next(iter(self._server.sockets)).getsockname()[1]
        return bound

    async def close(self) -> None:
        """Accept no more, tell every client, and wait until they are gone."""
        assert self._server is not None, "open comes before close"
        self._stopping = True
        for session in list(self._sessions):
            session.close(Reason.GOING_AWAY)
        self._server.close(close_connections=False)
        if self._sessions:
            self._empty.clear()
            try:
                async with asyncio.timeout(STOP_WITHIN):
                    await self._empty.wait()
            except TimeoutError:
                log.warning("sessions_cut", count=len(self._sessions))
        self._server.close()
        await self._server.wait_closed()

    def _answer_request(self, socket: ServerConnection, request: Request) -> Response | None:
        """Answer an HTTP request, or return `None` for one that is to become a socket."""
        path = request.path.partition("?")[0]
        if path == HEALTH_PATH:
            if self._healthy() and not self._stopping:
                return plain(HTTPStatus.OK, "ok")
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, "The store does not answer.")
        if path != SOCKET_PATH:
            return self._pages.answer(request)
        origin = request.headers.get("Origin")
        if origin is not None and not self._is_ours(origin, request.headers.get("Host", "")):
            log.info("origin_refused", origin=origin)
            return plain(HTTPStatus.FORBIDDEN, "This page may not open a socket here.")
        return None

    def _is_ours(self, origin: str, host: str) -> bool:
        """Return whether a page of this origin may open a socket.

        Programs that are no browser send no origin; they cannot be made to act for a player.
        """
        return origin in self._origins or urlsplit(origin).netloc == host

    async def _serve_session(self, socket: ServerConnection) -> None:
        session = Session(secrets.token_hex(8), socket, self._answer)
        if self._stopping:
            session.close(Reason.GOING_AWAY)
        self._sessions.add(session)
        try:
            await session.run()
        finally:
            self._hub.leave(session)
            self._sessions.discard(session)
            if not self._sessions:
                self._empty.set()
