"""The client's end of a session, over any transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

from server.base.wire.session_messages import VERSION
from tests.processes import PATIENCE
from tests.wire import Message, Wire


class Session:
    """Encodes commands, decodes events, and matches answers to commands.

    Args:
        take: called with each event, before its command's future is done.

    Attributes:
        lost: whether the connection has ended.
        token: the player's, or empty before a successful hello.
    """

    def __init__(self, take: Callable[[Message], None]) -> None:
        self.lost = False
        self.token = ""
        self._take = take
        self._wire = Wire()
        self._ids = count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}

    async def ask(self, type_: str, **fields: Any) -> Message:
        """Send a command, and return its answer.

        Raises:
            ConnectionError: the connection ended before the answer came.
        """
        async with asyncio.timeout(PATIENCE):
            answer: Message | None = await self.submit(self._command(type_, fields))
        if answer is None:
            raise ConnectionError(f"closed before an answer to {type_}")
        return answer

    async def hello(self, token: str | None = None, **fields: Any) -> Message:
        """Say hello, and return the welcome."""
        welcome = await self.ask("hello", version=VERSION, token=token, **fields)
        self.token = welcome.get("token", "")
        return welcome

    def knows(self, attempt: str) -> bool:
        """Return whether the session has a number for an attempt."""
        return self._wire.knows(attempt)

    def _command(self, type_: str, fields: Message) -> Message:
        return {"type": type_, "id": next(self._ids), **fields}

    def submit(self, command: Message) -> asyncio.Future[Any]:
        """Send a command with an id, and return the future of its answer.

        Its result is `None` if the connection ends. A command sent twice has one future.
        """
        created = asyncio.get_running_loop().create_future()
        answer = self._answers.setdefault(command["id"], created)
        if self.lost:
            self.answer(command["id"], None)
        else:
            self.transmit(self._wire.pack(command))
        return answer

    def receive(self, frame: bytes) -> None:
        """Receive a frame."""
        event = self._wire.unpack(frame)
        self._take(event)
        self.answer(event.get("re", 0), event)

    def answer(self, command: int, event: Message | None) -> None:
        """Resolve the future of a command that still waits."""
        answer = self._answers.pop(command, None)
        if answer is not None and not answer.done():
            answer.set_result(event)

    def lose(self) -> None:
        """Note that the connection has ended."""
        self.lost = True
        for command in list(self._answers):
            self.answer(command, None)

    def transmit(self, frame: bytes) -> None:
        """Send a frame."""
        raise NotImplementedError

    async def end(self) -> None:
        """End the connection."""
        raise NotImplementedError
