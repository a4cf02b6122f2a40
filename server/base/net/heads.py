"""Heads of HTTP requests: their checks beyond those of the parser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus

from httptools import HttpParserError

from server.base.net.origins import HOST

METHODS = "GET, HEAD, OPTIONS"  # supported by a node

# Headers that must not be repeated. Otherwise the proxy, this server and the libraries might each
# use another value.
_ONCE = frozenset(
    {
        *(b"host", b"origin", b"content-length", b"transfer-encoding", b"upgrade"),
        *(b"x-forwarded-proto", b"sec-websocket-key", b"sec-websocket-version"),
    }
)

# A request target in absolute form: its host, and its path and query.
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE)


class RefusedError(Exception):
    """The current request is refused; raised in a callback of the parser."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status)
        self.status = status


def status_of(error: HttpParserError) -> HTTPStatus:
    """Return the status for a request refused by the parser."""
    # The context is the exception raised by a callback.
    cause = error.__context__
    return cause.status if isinstance(cause, RefusedError) else HTTPStatus.BAD_REQUEST


def asks_for_socket(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    """Return whether the headers of a request ask for an upgrade to a WebSocket."""
    values = dict(headers)
    options = [each.strip() for each in values.get(b"connection", b"").lower().split(b",")]
    return b"upgrade" in options and values.get(b"upgrade", b"").lower() == b"websocket"


def split_target(target: bytes) -> tuple[bytes | None, bytes]:
    """Split a request target into its host and its origin form.

    Clients send the absolute form to proxies, and every server must accept it (RFC 9112, 3.2.2).

    Returns:
        `None` and the unchanged target, if it is not in absolute form.

    Raises:
        RefusedError: the host is invalid, or preceded by userinfo.
    """
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        return None, target
    host, rest = absolute.groups()
    if HOST.fullmatch(host.decode("latin-1")) is None:
        raise RefusedError(HTTPStatus.BAD_REQUEST)
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
        RefusedError: with the status to answer.
    """
    values = dict(headers)
    if len(values) < len(headers):
        counts = Counter(name for name, _ in headers)
        if any(counts[name] > 1 for name in _ONCE):
            raise RefusedError(HTTPStatus.BAD_REQUEST)
    if version not in {"1.0", "1.1"}:
        raise RefusedError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
    has_body = values.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in values
    if method == "CONNECT" or (has_body and method not in METHODS.split(", ")):
        raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED)
    if has_body:
        raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if b"host" in values:
        host_is_valid = HOST.fullmatch(values[b"host"].decode("latin-1")) is not None
    else:
        # Health checks of some load balancers send no Host.
        host_is_valid = version == "1.0"
    if not host_is_valid or not target.startswith(b"/") or b"#" in target:
        raise RefusedError(HTTPStatus.BAD_REQUEST)
