"""The floors: echo servers, to which the node is compared.

python -m deploy.bench.floor PORT [--stack]

Without --stack it is a bare `websockets` server on asyncio. With it, it is what the node is built
on: uvloop, and the node's own listener and sockets, without sessions, limits of commands or games.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import uvicorn
import uvloop
from starlette.responses import Response
from uvicorn.server import ServerState
from websockets.asyncio.server import ServerConnection, serve

from server.base.net import bound_sockets, limits

HOST = "127.0.0.1"


async def echo(socket: ServerConnection) -> None:
    """Send each frame back."""
    async for frame in socket:
        await socket.send(frame)


async def bare(port: int) -> None:
    """Serve on a port until the process is terminated."""
    async with serve(echo, HOST, port, compression=None, backlog=4096) as server:
        await server.serve_forever()


async def stack(port: int) -> None:
    """Serve with the node's own listener and sockets until the process is terminated."""
    # Sockets copy the limits when they are imported.
    vars(limits).update(BYTES_PER_SECOND=1e12, BYTES_AT_ONCE=1e12)
    from server.base.net.listener import Listener  # noqa: PLC0415
    from server.base.net.socket import Socket  # noqa: PLC0415
    from server.base.net.turns import Turns  # noqa: PLC0415

    class Echo:
        """The part of a session that a socket calls; it sends each frame back."""

        address = HOST

        def __init__(self, socket: Socket, _: object) -> None:
            self._socket = socket

        def receive(self, frame: bytes | None) -> None:
            self._socket.send(frame or b"")

        def ignore(self, *_: object) -> None:
            """Take what else a socket tells a session."""

        go_on = close = count_frame = cancel_hello_timer = close_for_restart = ignore

    def socket(
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> Socket:
        connections: Any = server_state.connections
        open_session: Any = Echo
        return Socket(open_session, admit, connections.add, connections.discard, turns)

    def admit(*_: object) -> None:
        """Accept each handshake."""

    turns = Turns()
    await Listener(Response(status_code=404), socket, turns=turns).open(
        bound_sockets.bind(HOST, port)[0]
    )
    await asyncio.Event().wait()


if __name__ == "__main__":
    chosen = int(sys.argv[1])
    if "--stack" in sys.argv:
        uvloop.run(stack(chosen))
    else:
        asyncio.run(bare(chosen))
