"""A relay between clients and nodes that can lose data, and the codes of refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress

import pytest

from samedeal_client import Refusal


async def refusal_from(asked: Awaitable[object]) -> str | None:
    """Return the code of the client's error, or `None` if nothing was refused."""
    try:
        await asked
    except Refusal as refusal:
        return refusal.code
    return None


class Relay:
    """Accepts connections on its own port, and forwards them to a node's.

    Attributes:
        port: its own port.
        target: the node's port; 0 refuses connections.
        deaf: whether data from clients is lost.
        mute: whether data from the node is lost.
        lost: set as soon as any data was lost.
    """

    def __init__(self, target: int) -> None:
        self.port = 0
        self.target = target
        self.deaf = False
        self.mute = False
        self.lost = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        """The server's URL for clients."""
        return f"ws://127.0.0.1:{self.port}/socket"

    def cut(self) -> None:
        """Reset all connections, and forward new ones completely."""
        self.deaf = self.mute = False
        self.lost.clear()
        for writer in self._writers:
            writer.transport.abort()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen until the block is left."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            self.target = 0
            server.close()
            self.cut()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(OSError):
            if self.target:
                inner, outer = await asyncio.open_connection("127.0.0.1", self.target)
                self._writers.add(outer)
                ways = (self._pass(reader, outer, "deaf"), self._pass(inner, writer, "mute"))
                await asyncio.wait(
                    list(map(asyncio.ensure_future, ways)), return_when=asyncio.FIRST_COMPLETED
                )
                outer.transport.abort()
        writer.transport.abort()

    async def _pass(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, loses: str
    ) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                if getattr(self, loses):
                    self.lost.set()
                else:
                    target.write(data)


@pytest.fixture
async def relay(port: int) -> AsyncIterator[Relay]:
    relay = Relay(port)
    async with relay.listening():
        yield relay
