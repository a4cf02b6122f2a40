"""The floors: minimal servers to compare the node with.

python -m deploy.bench.floor KIND PORT

`floor` is a bare `websockets` echo server on asyncio. `stack` echoes with the node's foundation:
uvloop, and the node's own listener and sockets, without sessions, rate limits or games. `hello`
answers any HTTP request with one word, by Starlette and uvicorn on uvloop.
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
    # The module of sockets copies the limits at import.
    vars(limits).update(BYTES_PER_SECOND=1e12, BYTES_AT_ONCE=1e12)
    from server.base.net.listener import Handshake, Listener  # noqa: PLC0415
    from server.base.net.turns import Turns  # noqa: PLC0415
    from server.base.wire.handshake import accept  # noqa: PLC0415
    from server.base.wire.socket import Socket  # noqa: PLC0415
    from server.base.work.pacing import Pacer  # noqa: PLC0415

    class Echo:
        """The interface of a session towards its socket; echoes each frame."""

        address = HOST

        def __init__(self, socket: Socket) -> None:
            self._socket = socket

        def receive(self, frame: bytes | None) -> None:
            self._socket.send(frame or b"")

        def ignore(self, *_: object) -> None:
            """Ignore other calls of the socket."""

        go_on = close = count_frame = cancel_hello_timer = close_for_restart = ignore

    def socket(connections: set[Any]) -> Socket:
        return Socket(open_session, connections.add, connections.discard, turns, closes)

    def open_session(socket: Socket, request: Handshake) -> tuple[Any, bytes]:
        """Accept a handshake."""
        return Echo(socket), accept(request.headers) or b""

    turns, closes = Turns(), Pacer()
    await Listener(Response(status_code=404), socket, turns=turns).open(
        bound_sockets.bind(HOST, port)[0]
    )
    await asyncio.Event().wait()


async def hello(port: int) -> None:
    """Serve an application with one answer until the process is terminated."""

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
