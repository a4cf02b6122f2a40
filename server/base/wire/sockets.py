"""A node's WebSocket connections: their creation, and the check of their handshakes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from http import HTTPStatus

import structlog

from server.base.net.addresses import Proxies
from server.base.net.budgets import Budgets
from server.base.net.listener import Connection, Handshake
from server.base.net.load import Load
from server.base.net.origins import SOCKET_PATH, WRONG_HOST, Origins
from server.base.net.turns import Turns
from server.base.wire.contracts import Answerer
from server.base.wire.handshake import VERSION, accept, refusal
from server.base.wire.session import Session
from server.base.wire.socket import Socket
from server.base.work.metrics import Metrics
from server.base.work.pacing import Pacer

SLICE = 0.0005
"""Seconds of each pass of the event loop for releasing lost connections."""

CLOSES_PER_PASS = 25
"""Connections ended by their clients that are closed in a pass of the event loop: about 0.5 ms."""

log = structlog.get_logger()


class Sockets:
    """Creates the protocol of each WebSocket connection; a `listener.SocketFactory`.

    Args:
        answerer: executes commands.
        leave: called with each session whose connection has ended.
        load: the node's load; handshakes are rejected while it is too high.
        metrics: the node's metrics.
        proxies: the trusted proxies, which determine a client's address.
        budgets: the budgets of players and addresses.
        origins: the served hosts, and the origins allowed to open WebSockets.
        turns: the node's turns.
    """

    def __init__(  # noqa: PLR0917 - the parts of a node
        self,
        answerer: Answerer,
        leave: Callable[[Session], None],
        load: Load,
        metrics: Metrics,
        proxies: Proxies,
        budgets: Budgets,
        origins: Origins,
        turns: Turns,
    ) -> None:
        self._answerer = answerer
        self._leave = leave
        self._load = load
        self._metrics = metrics
        self._proxies = proxies
        self._budgets = budgets
        self._origins = origins
        self._turns = turns
        self._stopping = False
        self._warned = False
        self._connections: set[Connection] = set()
        self._lost: deque[Socket] = deque()
        self._closes = Pacer(CLOSES_PER_PASS)

    def __call__(self, connections: set[Connection]) -> Socket:
        """Return the protocol of a new connection; called by the listener."""
        # A listener passes the same set each time.
        self._connections = connections
        return Socket(self._open, self._begun, self._ended, self._turns, self._closes)

    def _begun(self, socket: Socket) -> None:
        self._connections.add(socket)

    def _ended(self, socket: Socket) -> None:
        """Release a lost connection soon, since thousands may be lost in one pass of the loop."""
        self._lost.append(socket)
        if len(self._lost) == 1:
            asyncio.get_running_loop().call_soon(self._release_lost)

    def _release_lost(self) -> None:
        """Release lost connections for `SLICE` seconds, and the rest in later passes."""
        until = time.monotonic() + SLICE
        try:
            while self._lost:
                self._release(self._lost.popleft())
                if time.monotonic() >= until:
                    break
        finally:
            if self._lost:
                asyncio.get_running_loop().call_soon(self._release_lost)

    def _release(self, socket: Socket) -> None:
        self._connections.discard(socket)
        if socket.session is not None:
            socket.session.payer.end_session()
            log.debug("disconnected", session=socket.session.id, player=socket.session.player)
            self._leave(socket.session)
        socket.free()

    def stop(self) -> None:
        """Reject all further handshakes."""
        self._stopping = True

    def _open(self, socket: Socket, request: Handshake) -> tuple[Session | None, bytes]:
        """Answer a handshake, and create the session if it is accepted."""
        address = self._address(socket, request)
        rejection = self._rejection(socket, request, address)
        if rejection is not None:
            return None, rejection
        response = accept(request.headers)
        if response is None:
            text = "The header Sec-WebSocket-Key is invalid."
            return None, refusal(HTTPStatus.BAD_REQUEST, text)
        origin = self._origins.origin(request.headers, socket.peer)
        session_id = secrets.token_hex(8)
        log.debug("handshake", session=session_id, address=address)
        session = Session(
            session_id, socket, self._answerer, self._metrics, origin, address, self._budgets
        )
        session.payer.begin_session(socket.transport.abort)
        return session, response

    def _address(self, socket: Socket, request: Handshake) -> str:
        """Return a handshake's client address, and warn once if a proxy seems to be missing."""
        peer, forwarded = socket.peer, request.headers.get("x-forwarded-for")
        if forwarded is not None and not self._warned and self._proxies.looks_forgotten(peer):
            self._warned = True
            log.warning("proxy_not_trusted", peer=peer)
        return self._proxies.client(peer, () if forwarded is None else (forwarded,))

    def _rejection(self, socket: Socket, request: Handshake, address: str) -> bytes | None:
        """Return the response that rejects a handshake, or `None` to accept it."""
        if self._stopping:
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The server is restarting.")
        if self._load.is_too_high:
            self._metrics.refusals["overloaded"] += 1
            text = "The server is overloaded."
            return refusal(HTTPStatus.SERVICE_UNAVAILABLE, text, self._load.wait() / 1000)
        if wait := self._budgets.open_socket(address):
            text = "There are too many connections from your address."
            return refusal(HTTPStatus.TOO_MANY_REQUESTS, text, wait)
        return self._check_target(socket, request)

    def _check_target(self, socket: Socket, request: Handshake) -> bytes | None:
        """Reject a handshake for another host or path, or from a foreign page."""
        headers = request.headers
        if not self._origins.serves(headers.get("host", "")):
            self._metrics.refusals["wrong_host"] += 1
            return refusal(HTTPStatus.MISDIRECTED_REQUEST, WRONG_HOST)
        if self._origins.below_root(request.target.partition("?")[0]) != SOCKET_PATH:
            return refusal(HTTPStatus.NOT_FOUND, "There is no WebSocket at this path.")
        if not self._origins.admits(headers, socket.peer):
            self._metrics.refusals["wrong_origin"] += 1
            log.info("origin_refused", origin=headers["origin"])
            text = "Pages of this origin may not open a WebSocket here."
            return refusal(HTTPStatus.FORBIDDEN, text)
        if headers.get("sec-websocket-version") != VERSION:
            text = f"Only version {VERSION} of WebSocket is spoken here."
            # RFC 6455, 4.4: the client can then retry with this version.
            more = {"Upgrade": "websocket", "Sec-WebSocket-Version": VERSION}
            return refusal(HTTPStatus.UPGRADE_REQUIRED, text, more=more)
        return None
