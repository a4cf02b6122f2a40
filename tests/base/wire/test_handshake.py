"""The handshake of WebSocket, compared with that of the websockets library."""

from __future__ import annotations

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.server import ServerProtocol

from server.base.wire.handshake import VERSION, accept

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
"""The key of the example in RFC 6455, 1.3."""


@pytest.mark.parametrize(
    ("key", "status"),
    [
        (KEY, 101),
        (KEY[:-2], 400),
        (KEY[1:], 400),
        ("=" * 24, 400),
        ("AAAA", 400),
        ("", 400),
        (f"{KEY}\xe4", 400),
        (None, 400),
    ],
)
def test_a_handshake_has_the_same_answer_as_from_the_websockets_library(
    key: str | None, status: int
) -> None:
    headers = Headers({"Upgrade": "websocket", "Connection": "Upgrade"})
    headers["Sec-WebSocket-Version"] = VERSION
    if key is not None:
        headers["Sec-WebSocket-Key"] = key
    theirs = ServerProtocol().accept(Request("/socket", headers))
    ours = accept({name.lower(): value for name, value in headers.raw_items()})
    assert theirs.status_code == status
    if status != 101:
        assert ours is None
        return
    del theirs.headers["Date"]
    assert ours == theirs.serialize()
