"""The server's part of the handshake of WebSocket (RFC 6455, 4.2)."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from binascii import Error
from hashlib import sha1
from http import HTTPStatus
from typing import Final

from websockets.datastructures import Headers
from websockets.http11 import Response

VERSION: Final = "13"

_KEY_BYTES: Final = 16

_SUFFIX: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # appended to the key before hashing


def accept(headers: Headers) -> Response:
    """Return the response that accepts a handshake, or rejects one without a valid key.

    The listener has checked that the request asks for an upgrade and repeats no header of it, and
    `Sockets` has checked the version. No extension or subprotocol is offered. `ServerProtocol` of
    websockets does the same in ten times the time, since it parses the request again.
    """
    key = headers.get("Sec-WebSocket-Key", "").encode("latin-1")
    if not _is_key(key):
        return refusal(HTTPStatus.BAD_REQUEST, "The header Sec-WebSocket-Key is invalid.")
    digest = sha1(key + _SUFFIX, usedforsecurity=False).digest()
    answer = Headers(
        {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Accept": b64encode(digest).decode(),
        }
    )
    status = HTTPStatus.SWITCHING_PROTOCOLS
    return Response(status.value, status.phrase, answer)


def _is_key(key: bytes) -> bool:
    try:
        return len(b64decode(key, validate=True)) == _KEY_BYTES
    except Error:
        return False


def refusal(status: HTTPStatus, text: str, wait: float = 0.0) -> Response:
    """Return the response that rejects a handshake, for `wait` seconds (0 for permanently)."""
    headers = Headers({"Retry-After": str(math.ceil(wait))} if wait else {})
    body = f"{text}\n".encode()
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, body)
