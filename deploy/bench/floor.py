"""The floors: servers that do nothing, to which the node is compared.

python -m deploy.bench.floor KIND PORT

`floor` is a bare `websockets` server on asyncio that echoes. `stack` echoes too, and is what the
node is built on: uvloop, and the node's own listener and sockets, without sessions, limits of
commands or games. `hello` answers any request by HTTP with one word: Starlette by uvicorn, on
uvloop.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
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
    from server.base.net.turns import Turns  # noqa: PLC0415
    from server.base.wire.socket import Socket  # noqa: PLC0415

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


async def hello(port: int) -> None:
    """Serve an application that answers each path alike until the process is terminated."""

    async def answer(_: Request) -> Response:
        return PlainTextResponse("hello")

    app = Starlette(routes=[Route("/{path:path}", answer)])
    config = uvicorn.Config(app, HOST, port, log_level="critical", access_log=False)
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    kind, chosen = sys.argv[1], int(sys.argv[2])
    if kind == "floor":
        asyncio.run(bare(chosen))
    else:
        uvloop.run({"stack": stack, "hello": hello}[kind](chosen))
