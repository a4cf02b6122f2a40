"""Frames sent to a disconnected client are dropped."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from websockets.asyncio.client import connect

from server.base.net import bound_sockets
from server.base.net.listener import Listener
from server.base.net.turns import Turns
from server.base.wire.socket import Socket
from tests.processes import PATIENCE


class _Idle:
    """A session that ignores all messages."""

    address = ""

    def receive(self, frame: bytes | None) -> None: ...

    def cancel_hello_timer(self) -> None: ...


async def test_frames_sent_after_a_disconnect_are_dropped() -> None:
    begun: list[Socket] = []
    ended = asyncio.Event()

    def socket(_: object) -> Socket:
        session: Any = _Idle()
        return Socket(
            lambda *_: session, lambda *_: None, begun.append, lambda _: ended.set(), Turns()
        )

    listener = Listener(cast(Any, None), socket)
    (bound,) = bound_sockets.bind("127.0.0.1", 0)
    await listener.open(bound)
    port = bound_sockets.port_of(bound)
    async with connect(f"ws://127.0.0.1:{port}/socket") as client:
        client.transport.abort()
        async with asyncio.timeout(PATIENCE):
            await ended.wait()
    # Neither the answer to a command in flight nor a stopping node's close raises.
    begun[0].send(b"short")
    begun[0].send(b"long" * 1000)
    begun[0].close(1001)
    await listener.close()
