"""One session: a socket for commands and their answers."""

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

PING_EVERY = 15.0  # seconds between a pong and the next ping
PONG_WITHIN = 10.0  # seconds before a pong; then the connection counts as lost
LARGE_WITHIN = 120.0  # the same while a large answer is pending, which delays the pong

Answer = TypeVar("Answer")
# Receives each event and the command it answers, if any, before the command returns.
OnEvent = Callable[[Event, Command[Any] | None], None]


class Session:
    """Matches answers to commands. Ends with its socket."""

    def __init__(self, socket: ClientConnection, budget: Budget, on_event: OnEvent) -> None:
        self.bye: Bye | None = None  # the server's reason for ending the session, if given
        # Receives the server's time, and the local times of the request and the answer.
        self.times: Callable[[int, float, float], None] = lambda *_: None
        self._socket = socket
        self._budget = budget
        self._on_event = on_event
        self._ids = count(1)
        self._sent: dict[int, tuple[Command[Any], asyncio.Future[Any]]] = {}
        self._moves: dict[tuple[int, int], deque[int]] = {}
        self.lost = False  # whether the session has ended
        self._cause: ConnectionClosed | None = None  # how the socket was closed

    async def ask(self, command: Command[Answer]) -> Answer:
        """Send a command, as soon as the budget allows, and return its answer.

        Raises:
            Refusal: the server refused it.
            Disconnected: the session is lost; the command may or may not have been executed.
        """
        await self._budget.spend(command.cost)
        if self.lost:
            raise Disconnected from self._cause
        number = next(self._ids)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._sent[number] = command, answer
        if isinstance(command, PlayMove):
            self._moves.setdefault((command.number, command.seq), deque()).append(number)
        # If the socket is closed, `run` ends the session, which fails the answer.
        with suppress(ConnectionClosed):
            await self._socket.send(encode(command, number))
        return await answer

    async def run(self) -> None:
        """Read events until the socket is closed, sending pings."""
        pinging = asyncio.create_task(self._ping())
        try:
            async for frame in self._socket:
                if isinstance(frame, bytes) and (decoded := decode(frame)) is not None:
                    self._take(*decoded)
        except ConnectionClosed as error:
            self._cause = error
        finally:
            self.end()
            pinging.cancel()
            with suppress(asyncio.CancelledError):
                await pinging

    def end(self) -> None:
        """Fail all pending commands with `Disconnected`, and accept no more."""
        self.lost = True
        for _, answer in self._sent.values():
            if not answer.done():
                disconnected = Disconnected()
                disconnected.__cause__ = self._cause
                answer.set_exception(disconnected)
        self._sent.clear()

    def _take(self, re: Re, event: Event) -> None:
        number = self._id_of(re)
        command, answer = self._sent.get(number, (None, None))
        if isinstance(event, Bye):
            self.bye = event
        self._on_event(event, command)
        # Only now: if the handler raises, the session ends, and `end` fails this command, too.
        self._sent.pop(number, None)
        if answer is None or answer.done():
            return
        if isinstance(event, Refused):
            answer.set_exception(refusal_of(event.code, event.text, event.wait))
        else:
            answer.set_result(event)

    def _id_of(self, re: Re) -> int:
        """Return the id of the answered command; of several equal moves, the first."""
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
            # The pong waits behind a large answer on the same socket.
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
