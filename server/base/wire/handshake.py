"""The server's part of the handshake of WebSocket (RFC 6455, 4.2)."""

from __future__ import annotations

import math
from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Mapping
from hashlib import sha1
from http import HTTPStatus
from typing import Final

VERSION: Final = "13"

_KEY_BYTES: Final = 16

_SUFFIX: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # appended to the key before hashing

_ACCEPTED: Final = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: %b\r\n\r\n"
)


def accept(headers: Mapping[str, str]) -> bytes | None:
    """Return the response that accepts a handshake; `None` if its key is invalid.

    The listener has checked that the request asks for an upgrade and repeats no header of it, and
    `Sockets` checks the version. No extension or subprotocol is offered. `ServerProtocol` of
    websockets does the same in ten times the time, since it parses the request again.

    Args:
        headers: of the request, by name in lower case.
    """
    key = headers.get("sec-websocket-key", "").encode("latin-1")
    try:
        is_valid = len(a2b_base64(key, strict_mode=True)) == _KEY_BYTES
    except Error:
        is_valid = False
    if not is_valid:
        return None
    digest = sha1(key + _SUFFIX, usedforsecurity=False).digest()
    return _ACCEPTED % b2a_base64(digest, newline=False)


def refusal(
    status: HTTPStatus, text: str, wait: float = 0.0, more: Mapping[str, str] | None = None
) -> bytes:
    """Return the response that rejects a handshake.

    Args:
        status: its status.
        text: a sentence, its body.
        wait: the seconds to wait before a retry; 0 for a permanent rejection.
        more: further headers.
    """
    body = f"{text}\n".encode()
    headers = {"Retry-After": str(math.ceil(wait))} if wait else {}
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    lines = [f"{name}: {value}\r\n" for name, value in (headers | dict(more or {})).items()]
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\n{''.join(lines)}\r\n"
    return head.encode() + body
