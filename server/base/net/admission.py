"""Counting and admission of a node's TCP connections and HTTP requests.

A WebSocket starts as an HTTP connection, and counts as one for its address only until its
handshake. `budgets.Budgets.open_socket` then counts it among the address's sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus

from server.base.net.addresses import Proxies
from server.base.net.budgets import AddressBudget, Budgets
from server.base.net.limits import SPARE_CONNECTIONS
from server.base.net.silences import Silence

RETRY_AFTER = 10
"""Seconds until a refused client should retry."""


class Visit:
    """An HTTP connection, counted for its address until `leave`.

    Args:
        budget: the address's budget; `None` for a trusted proxy.
        refusal: the response to the first request if the connection exceeds a limit.
        silence: ends with the first request; `None` for a refused connection or a proxy's.
    """

    __slots__ = ("_budget", "_silence", "refusal")

    def __init__(
        self, budget: AddressBudget | None, refusal: bytes | None, silence: Silence | None = None
    ) -> None:
        self._budget = budget
        self._silence = silence
        self.refusal = refusal
        if budget is not None:
            budget.count_connection(1)

    def speak(self) -> None:
        """Record that a whole request has arrived."""
        if self._silence is not None:
            self._silence.end()
            self._silence = None

    def leave(self) -> None:
        """Stop counting the connection."""
        self.speak()
        if self._budget is not None:
            self._budget.count_connection(-1)


class Admission:
    """Admits the connections of a node.

    Args:
        budgets: the budgets of addresses.
        proxies: the trusted proxies, whose connections are shared by many clients.
        most: maximum connections of the node, HTTP and WebSockets together.
    """

    def __init__(self, budgets: Budgets, proxies: Proxies, most: int) -> None:
        self._budgets = budgets
        self._proxies = proxies
        self._most = most

    def admit_connection(
        self, peer: str, connections: int, abort: Callable[[], object] = lambda: None
    ) -> Visit | None:
        """Count a new connection, ending a silent one if there is no room.

        Args:
            peer: the peer's address.
            connections: the number of the node's connections, including this one.
            abort: ends it if another connection needs its place while it is silent.

        Returns:
            The counted connection; `None` if there is not even room for a refusal, and the
            connection must be dropped.
        """
        refusal = None
        limited, silences = self._budgets.limited, self._budgets.silences
        # Connections that are already being ended do not count.
        if connections - silences.leaving > self._most:
            limited["node", "connections"] += 1
            if not silences.make_room():
                if connections > self._most + SPARE_CONNECTIONS:
                    return None
                refusal = _answer(HTTPStatus.SERVICE_UNAVAILABLE, "The server is full.")
        if self._proxies.trusts(peer):
            return Visit(None, refusal)
        budget = self._budgets.address(self._proxies.client(peer))
        if refusal is None and (full := budget.full) is not None:
            limited["address", "connections"] += 1
            if not silences.make_room(full.key):
                text = "There are too many connections from your address."
                refusal = _answer(HTTPStatus.TOO_MANY_REQUESTS, text)
        silence = silences.begin(budget.keys, abort) if refusal is None else None
        return Visit(budget, refusal, silence)

    def admits_request(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Charge a client for a request, and return whether it gets an answer; see `client`."""
        return not self._budgets.answer(self.client(peer, headers))

    def client(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return a request's client address.

        Args:
            peer: the address of the connection's peer.
            headers: the request's headers, with names in lower case.
        """
        forwarded = [
            value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"
        ]
        return self._proxies.client(peer, forwarded)


def _answer(status: HTTPStatus, text: str) -> bytes:
    """Return a response that closes the connection."""
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nRetry-After: {RETRY_AFTER}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
