"""The client's end of a session, for players of the fault suite."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.faults.ledger import Message
from tests.wire import Wire as Frames

REPLACED = 4001

NUMBERED = {"move", "resign", "Undo", "Hint"}
"""Commands that name an attempt by its number in the session."""


class LostError(Exception):
    """The connection could not be opened or has ended."""


class Wire:
    """An open socket. `take` is called with every event; `ids` yields the commands' ids."""

    def __init__(
        self, socket: ClientConnection, take: Callable[[Message], None], ids: Iterator[int]
    ) -> None:
        self._socket = socket
        self._take = take
        self._ids = ids
        self._frames = Frames()
        self._answers: dict[int, asyncio.Future[Message | None]] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def open(
        cls, port: int, take: Callable[[Message], None], ids: Iterator[int], within: float
    ) -> Wire:
        """Open a socket through the balancer."""
        try:
            socket = await connect(
                f"ws://127.0.0.1:{port}/socket",
                proxy=None,
                compression=None,
                open_timeout=within,
                ping_interval=None,
                close_timeout=1,
            )
        except (OSError, InvalidHandshake, ConnectionClosed, EOFError) as error:
            raise LostError from error
        return cls(socket, take, ids)

    @property
    def lost(self) -> bool:
        """Whether the connection has ended."""
        return self._reader.done()

    @property
    def code(self) -> int | None:
        """The close code, or `None` while it is open."""
        return self._socket.close_code

    def command(self, type_: str, **fields: Any) -> Message:
        """Return a command with the next id, without sending it."""
        return {"type": type_, "id": next(self._ids), **fields}

    async def send(self, commands: Sequence[Message]) -> list[asyncio.Future[Message | None]]:
        """Send commands, and return the futures of their answers: `None` if the connection is lost.

        A command that is listed twice is sent twice, but has one future.
        """
        futures: dict[int, asyncio.Future[Message | None]] = {}
        for command in commands:
            futures[command["id"]] = asyncio.get_running_loop().create_future()
        if self.lost:
            for future in futures.values():
                future.set_result(None)
            return list(futures.values())
        self._answers |= futures
        if self._unknown(commands):
            task = asyncio.create_task(self._open_and_send(commands))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        else:
            await self._send(commands)
        return list(futures.values())

    async def _send(self, commands: Sequence[Message]) -> None:
        try:
            for command in commands:
                await self._socket.send(self._frames.pack(command))
        except ConnectionClosed:
            await asyncio.wait({self._reader})

    def _unknown(self, commands: Sequence[Message]) -> list[str]:
        about = (command["attempt"] for command in commands if command["type"] in NUMBERED)
        return [attempt for attempt in dict.fromkeys(about) if not self._frames.knows(attempt)]

    async def _open_and_send(self, commands: Sequence[Message]) -> None:
        """Open the commands' attempts first, then send the commands; a refusal answers both."""
        for attempt in self._unknown(commands):
            [opened] = await self.send([self.command("attempt.open", attempt=attempt)])
            answer = await opened
            if answer is None or answer["type"] == "refused":
                self._answer([c for c in commands if c.get("attempt") == attempt], answer)
        await self._send([c for c in commands if c["id"] in self._answers])

    def _answer(self, commands: Sequence[Message], answer: Message | None) -> None:
        for command in commands:
            future = self._answers.pop(command["id"], None)
            if future is not None and not future.done():
                future.set_result(answer and answer | {"re": command["id"]})

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                assert isinstance(frame, bytes)
                event = self._frames.unpack(frame)
                self._take(event)
                answer = self._answers.pop(event.get("re", 0), None)
                if answer is not None and not answer.done():
                    answer.set_result(event)
        except ConnectionClosed:
            pass
        finally:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_result(None)

    async def wait_lost(self) -> None:
        """Wait until the connection has ended."""
        await asyncio.wait({self._reader})

    async def close(self) -> None:
        """Close the socket, with a reset if the server does not answer the close."""
        await self._socket.close()
        await asyncio.wait({self._reader})
