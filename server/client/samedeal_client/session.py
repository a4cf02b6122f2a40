"""One session: a socket on which commands are sent and their answers awaited."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from samedeal_client.budget import Budget
from samedeal_client.messages import Bye, ExportData, Ping, PlayMove, Pong, Refused
from samedeal_client.protocol import Command, Event, Re
from samedeal_client.refusal import Disconnected, Refusal, refusal_of
from samedeal_client.wire import decode, encode

PING_EVERY = 15.0
"""Seconds from a pong to the next ping."""

PONG_WITHIN = 10.0
"""Seconds after which a ping without an answer means that the connection is lost."""

LARGE_WITHIN = 120.0
"""The same while an answer of megabytes is awaited, which comes first."""

Answer = TypeVar("Answer")
OnEvent = Callable[[Event, Command[Any] | None], None]
"""Takes each event and the command that it answers, if any, before the command returns."""


class Session:
    """Matches answers to commands. It ends with its socket.

    Attributes:
        bye: why the server ends the session, once it has said so.
        lost: whether it has ended.
        times: takes the server's time, and the local times at which it was asked for and came.
    """

    def __init__(self, socket: ClientConnection, budget: Budget, on_event: OnEvent) -> None:
        self.bye: Bye | None = None
        self.times: Callable[[int, float, float], None] = lambda *_: None
        self._socket = socket
        self._budget = budget
        self._on_event = on_event
        self._ids = count(1)
        self._sent: dict[int, tuple[Command[Any], asyncio.Future[Any]]] = {}
        self._moves: dict[tuple[int, int], deque[int]] = {}
        self.lost = False

    async def ask(self, command: Command[Answer]) -> Answer:
        """Send a command, as soon as the server takes one more, and return its answer.

        Raises:
            Refusal: the server refused it.
            Disconnected: the session is lost; it may have carried the command out.
        """
        await self._budget.spend(command.cost)
        if self.lost:
            raise Disconnected
        number = next(self._ids)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._sent[number] = command, answer
        if isinstance(command, PlayMove):
            self._moves.setdefault((command.number, command.seq), deque()).append(number)
        # If it is closed, `read` ends, and then the answer is that the session is lost.
        with suppress(ConnectionClosed):
            await self._socket.send(encode(command, number))
        return await answer

    async def run(self) -> None:
        """Read events until the socket is closed, and ping meanwhile."""
        pinging = asyncio.create_task(self._ping())
        try:
            async for frame in self._socket:
                if isinstance(frame, bytes) and (decoded := decode(frame)) is not None:
                    self._take(*decoded)
        except ConnectionClosed:
            pass
        finally:
            self.end()
            pinging.cancel()
            with suppress(asyncio.CancelledError):
                await pinging

    def end(self) -> None:
        """Let all commands that await their answers raise `Disconnected`, and take no more."""
        self.lost = True
        for _, answer in self._sent.values():
            if not answer.done():
                answer.set_exception(Disconnected())
        self._sent.clear()

    def _take(self, re: Re, event: Event) -> None:
        number = self._id_of(re)
        command, answer = self._sent.get(number, (None, None))
        if isinstance(event, Bye):
            self.bye = event
        self._on_event(event, command)
        # Not before: if that has raised, the session ends, and the command is not left waiting.
        self._sent.pop(number, None)
        if answer is None or answer.done():
            return
        if isinstance(event, Refused):
            answer.set_exception(refusal_of(event.code, event.text, event.wait))
        else:
            answer.set_result(event)

    def _id_of(self, re: Re) -> int:
        """Return the id of the command that is answered; of equal moves, the first one's."""
        if isinstance(re, int):
            return re
        ids = self._moves.get(re)
        if ids is None:
            return 0
        number = ids.popleft()
        if not ids:
            del self._moves[re]
        return number

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_EVERY)
            large = any(isinstance(command, ExportData) for command, _ in self._sent.values())
            asked = time.monotonic()
            try:
                async with asyncio.timeout(LARGE_WITHIN if large else PONG_WITHIN):
                    pong: Pong = await self.ask(Ping())
            except TimeoutError:
                self._socket.transport.abort()
                return
            except Refusal:
                continue
            self.times(pong.now, asked, time.monotonic())
