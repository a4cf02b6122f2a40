"""Counts a node's TCP connections and HTTP requests, and says which are too many.

A WebSocket begins as an HTTP connection. For its address it counts as such only until its
handshake; then `budgets.Budgets.open_socket` has counted it among the address's sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus

from server.base.net.addresses import Proxies
from server.base.net.budgets import AddressBudget, Budgets
from server.base.net.limits import SPARE_CONNECTIONS
from server.base.net.silences import Silence

RETRY_AFTER = 10
"""Seconds after which a client that was one too many should try again."""


class Visit:
    """An HTTP connection that is counted for its address until `leave`.

    Args:
        budget: the address's; `None` for a trusted proxy.
        refusal: what answers the first request if the connection is one too many.
        silence: ends with the first request; `None` if it is a proxy's, or one too many.
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
        """Note that a whole request has come."""
        if self._silence is not None:
            self._silence.end()
            self._silence = None

    def leave(self) -> None:
        """Count the connection no more."""
        self.speak()
        if self._budget is not None:
            self._budget.count_connection(-1)


class Admission:
    """Admits the connections of a node.

    Args:
        budgets: those of addresses.
        proxies: the trusted proxies, whose connections are everybody's.
        most: the connections that a node may have, of HTTP and WebSockets together.
    """

    def __init__(self, budgets: Budgets, proxies: Proxies, most: int) -> None:
        self._budgets = budgets
        self._proxies = proxies
        self._most = most

    def admit_connection(
        self, peer: str, connections: int, abort: Callable[[], object] = lambda: None
    ) -> Visit | None:
        """Count a new connection, in the place of a silent one if there is no other.

        Args:
            peer: the address at its other end.
            connections: how many the node has, with this one.
            abort: ends it, if another one needs its place before it has said anything.

        Returns:
            What it is counted by; `None` if even a refusal would be too much, and the connection is
            to be dropped.
        """
        refusal = None
        limited, silences = self._budgets.limited, self._budgets.silences
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
                text = "There are too many connections from where you are."
                refusal = _answer(HTTPStatus.TOO_MANY_REQUESTS, text)
        silence = silences.begin(budget.keys, abort) if refusal is None else None
        return Visit(budget, refusal, silence)

    def admits_request(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Charge a client for a request; return whether it may have an answer; see `client`."""
        return not self._budgets.answer(self.client(peer, headers))

    def client(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return the address that a request is from.

        Args:
            peer: the address at the other end of the connection.
            headers: the request's, with names in lower case.
        """
        forwarded = [
            value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"
        ]
        return self._proxies.client(peer, forwarded)


def _answer(status: HTTPStatus, text: str) -> bytes:
    """Return a response after which the connection is closed."""
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nRetry-After: {RETRY_AFTER}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
