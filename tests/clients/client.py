"""A plain test client: sends commands, and matches events to the commands they answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server.base.wire.session_messages import VERSION
from tests.processes import PATIENCE
from tests.wire import Message, Wire

__all__ = ["Client", "Message", "opened"]

REFUSED_WITHIN = 60.0
"""Seconds of retries while an overloaded node refuses a socket."""


class Client:
    """The client's end of a session.

    Attributes:
        news: unsolicited events not yet taken by `next`.
        seen: the types of all unsolicited events.
        since_answer: the types of unsolicited events since the last answer.
        token: the player's, or empty before a successful hello.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.news: asyncio.Queue[Message] = asyncio.Queue()
        self.seen: list[str] = []
        self.since_answer: list[str] = []
        self.token = ""
        self._answers: dict[int, asyncio.Future[Message]] = {}
        self._last = 0
        self._wire = Wire()
        self._reader = asyncio.create_task(self._read())

    async def ask(self, type_: str, **fields: Any) -> Message:
        """Send a command, and return its answer.

        Raises:
            ConnectionError: the socket was closed before the answer came.
        """
        answer = self.send(type_, **fields)
        async with asyncio.timeout(PATIENCE):
            first: tuple[asyncio.Future[Any], ...] = (answer, self._reader)
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise ConnectionError(f"closed with {self.socket.close_code}")
        return answer.result()

    def send(self, type_: str, **fields: Any) -> asyncio.Future[Message]:
        """Schedule a command, and return the future of its answer."""
        self._last += 1
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._answers[self._last] = answer
        command = {"type": type_, "id": self._last, **fields}
        self._sending = asyncio.ensure_future(self.socket.send(self._wire.pack(command)))
        # If the socket is closed, `ask` raises.
        self._sending.add_done_callback(lambda sent: sent.cancelled() or sent.exception())
        return answer

    async def hello(self, token: str | None = None, **fields: Any) -> Message:
        """Say hello, and return the welcome."""
        welcome = await self.ask("hello", version=VERSION, token=token, **fields)
        self.token = welcome.get("token", "")
        return welcome

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

    async def _read(self) -> None:
        try:
            async for frame in self.socket:
                assert isinstance(frame, bytes)
                self._take(self._wire.unpack(frame))
        except ConnectionClosed:
            pass

    def _take(self, event: Message) -> None:
        answer = self._answers.pop(event.get("re", 0), None)
        if answer is None:
            self.seen.append(event["type"])
            self.since_answer.append(event["type"])
            self.news.put_nowait(event)
            return
        self.since_answer.clear()
        if not answer.done():
            answer.set_result(event)


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
