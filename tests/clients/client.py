"""A plain test client: sends commands, and matches events to the commands they answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.clients.session import Session
from tests.processes import PATIENCE
from tests.wire import Message

__all__ = ["Client", "Message", "opened"]

REFUSED_WITHIN = 60.0
"""Seconds of retries while an overloaded node refuses a socket."""


class Client(Session):
    """The client's end of a session on a socket.

    Args:
        socket: the socket.
        take: called with each event; by default, unsolicited events are kept as news.

    Attributes:
        news: unsolicited events not yet taken by `next`.
        seen: the types of all unsolicited events.
        since_answer: the types of unsolicited events since the last answer.
    """

    def __init__(
        self, socket: ClientConnection, take: Callable[[Message], None] | None = None
    ) -> None:
        super().__init__(take or self._keep)
        self.socket = socket
        self.news: asyncio.Queue[Message] = asyncio.Queue()
        self.seen: list[str] = []
        self.since_answer: list[str] = []
        self._reader = asyncio.create_task(self._read())

    def send(self, type_: str, **fields: Any) -> asyncio.Future[Any]:
        """Schedule a command, and return the future of its answer."""
        return self.submit(self._command(type_, fields))

    def transmit(self, frame: bytes) -> None:
        """Schedule a frame."""
        self._sending = asyncio.ensure_future(self.socket.send(frame))
        # If the socket is closed, the command's answer is `None`.
        self._sending.add_done_callback(lambda sent: sent.cancelled() or sent.exception())

    async def keep(self) -> str:
        """Keep the identity by a new recovery code, and return it."""
        code = str((await self.ask("NewRecoveryCode"))["code"])
        kept = await self.ask("KeepRecoveryCode", code=code)
        assert kept["type"] == "done", kept
        return code

    async def next(self, type_: str, test: Callable[[Message], bool] = lambda _: True) -> Message:
        """Return the next news of a type that passes a test, dropping others."""
        async with asyncio.timeout(PATIENCE):
            while True:
                event = await self.news.get()
                if event["type"] == type_ and test(event):
                    return event

    async def closed(self) -> int | None:
        """Wait until the server has closed the socket, and return the close code."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        await asyncio.wait({self._reader})
        return self.socket.close_code

    async def end(self) -> None:
        """Close the socket, with a reset if the server does not answer the close."""
        await self.socket.close()
        await asyncio.wait({self._reader})

    async def _read(self) -> None:
        try:
            async for frame in self.socket:
                assert isinstance(frame, bytes)
                self.receive(frame)
        except ConnectionClosed:
            pass
        finally:
            self.lose()

    def _keep(self, event: Message) -> None:
        if event.get("re") in self._answers:
            self.since_answer.clear()
            return
        self.seen.append(event["type"])
        self.since_answer.append(event["type"])
        self.news.put_nowait(event)


@asynccontextmanager
async def opened(port: int, *, patient: bool = True, **options: Any) -> AsyncIterator[Client]:
    """Open a socket to a node on this machine.

    Args:
        port: the node's.
        patient: whether to retry while an overloaded node refuses, as clients do.
        options: for `connect`.
    """
    async with await _connected(port, REFUSED_WITHIN if patient else 0.0, options) as socket:
        yield Client(socket)


async def _connected(port: int, patience: float, options: dict[str, Any]) -> ClientConnection:
    until = time.monotonic() + patience
    while True:
        try:
            return await connect(f"ws://localhost:{port}/socket", **options)
        except InvalidStatus as error:
            if error.response.status_code != 503 or time.monotonic() > until:
                raise
            await asyncio.sleep(0.1)
