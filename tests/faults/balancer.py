"""A TCP load balancer for the nodes that can delay, cut and refuse connections.

Each connection goes to a random node that accepts it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

_CHUNK = 65_536
_STEP = 0.02


class Link:
    """A proxied connection to node number `node`."""

    def __init__(self, node: int, writers: tuple[asyncio.StreamWriter, ...]) -> None:
        self.node = node
        self._writers = writers
        self._held = {True: 0.0, False: 0.0}

    def hold(self, seconds: float, *, inwards: bool) -> None:
        """Delay bytes from the player (`inwards`) or from the node for some seconds."""
        self._held[inwards] = asyncio.get_running_loop().time() + seconds

    async def wait_until_open(self, *, inwards: bool) -> None:
        """Wait until bytes may pass in a direction."""
        loop = asyncio.get_running_loop()
        while (left := self._held[inwards] - loop.time()) > 0:
            await asyncio.sleep(min(left, 1.0))

    def cut(self) -> None:
        """Reset the connection on both sides; bytes in flight are lost."""
        for writer in self._writers:
            writer.transport.abort()


class Balancer:
    """Accepts connections on `port` and proxies each to one of the nodes' ports."""

    def __init__(self, nodes: Sequence[int], rng: random.Random) -> None:
        self.port = 0
        self.links: set[Link] = set()
        self._nodes = nodes
        self._rng = rng
        self._refusing = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def refuse(self, seconds: float) -> None:
        """Refuse new connections for some seconds."""
        self._refusing += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._refusing -= 1

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen within the context; its end closes all connections."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()
            for link in list(self.links):
                link.cut()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            # Broken connections are expected here; cancelled ones end with the server.
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        order = list(enumerate(self._nodes))
        self._rng.shuffle(order)
        for node, port in [] if self._refusing else order:
            try:
                from_node, to_node = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            link = Link(node, (writer, to_node))
            self.links.add(link)
            try:
                await _until_first_ends(
                    _copy(link, reader, to_node, inwards=True),
                    _copy(link, from_node, writer, inwards=False),
                )
            finally:
                self.links.discard(link)
                link.cut()
            return


async def _copy(
    link: Link, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, inwards: bool
) -> None:
    try:
        while chunk := await source.read(_CHUNK):
            await link.wait_until_open(inwards=inwards)
            target.write(chunk)
            await target.drain()
        target.close()
        await asyncio.sleep(_STEP)
    except OSError:
        return


async def _until_first_ends(*directions: Coroutine[Any, Any, None]) -> None:
    tasks = [asyncio.create_task(direction) for direction in directions]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
