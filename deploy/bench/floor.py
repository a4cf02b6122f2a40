"""The floor: a bare `websockets` echo server.

python -m deploy.bench.floor PORT
"""

from __future__ import annotations

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, serve


async def echo(socket: ServerConnection) -> None:
    """Send each frame back."""
    async for frame in socket:
        await socket.send(frame)


async def main(port: int) -> None:
    """Serve on a port of 127.0.0.1 until the process is terminated."""
    async with serve(echo, "127.0.0.1", port, compression=None, backlog=4096) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
