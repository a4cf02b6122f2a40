"""A WebSocket client without a library: bytes in, payloads out, made to cost little."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from deploy.bench import wire
from deploy.bench.processes import upgrade

T = TypeVar("T")

Command = Callable[..., bytes]
"""A function of `wire` that makes a command, given its id."""

Take = Callable[[bytes, int, int], None]
"""Called with each payload, as the bytes that it is in, where it begins and where it ends."""

PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds before a command is sent again, or a connection tried again, that was not taken."""

LATER = {"unavailable", "overloaded"}
"""Codes of what is worth another try."""

_SHORT = 126
_BINARY, _PING, _PONG, _CLOSE = 0x82, 0x89, 0x8A, 0x88


def masked(payload: bytes, first: int = _BINARY) -> bytes:
    """Return the frame of a client's payload. A mask of zeros is one that costs nothing."""
    length = len(payload)
    if length < _SHORT:
        return bytes((first, 0x80 | length)) + b"\0\0\0\0" + payload
    return bytes((first, 0x80 | _SHORT)) + length.to_bytes(2, "big") + b"\0\0\0\0" + payload


class LostError(Exception):
    """The server has closed the connection."""


class RefusedError(Exception):
    """The server refused a command; the message is the code."""


class Client(asyncio.Protocol):
    """One connection. While `take` is unset, payloads go to those who asked and to `news`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._upgraded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._rest = b""
        self._asked: dict[int, asyncio.Future[wire.Event]] = {}
        self._expected: dict[str, asyncio.Future[wire.Event]] = {}
        self._last = 0
        self.lost = False
        self.take: Take = self._set_up
        self.write: Callable[[bytes], None]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        # The loop's transports need not be subclasses of what they are used as.
        self.transport = cast("asyncio.Transport", transport)
        self.write = self.transport.write
        self.write(upgrade(self._port))

    def connection_lost(self, error: Exception | None) -> None:
        """Let nobody wait any more."""
        self.lost = True
        futures: list[asyncio.Future[Any]] = [self._upgraded]
        futures += [*self._asked.values(), *self._expected.values()]
        for waiting in futures:
            if not waiting.done():
                waiting.set_exception(LostError())
                waiting.exception()

    def data_received(self, data: bytes) -> None:
        """Take payloads out of what was received."""
        if self._rest:
            data = self._rest + data
        at = 0
        if not self._upgraded.done():
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:  # noqa: PLR2004 - the header has not ended
                self._rest = data
                return
            if b" 101 " not in data[:at].partition(b"\r\n")[0]:
                self.transport.abort()
                return
            self._upgraded.set_result(None)
        size = len(data)
        while size - at >= 2:  # noqa: PLR2004 - the shortest frame
            length, begin = data[at + 1], at + 2
            if length >= _SHORT:
                begin += 2 if length == _SHORT else 8
                if size < begin:
                    break
                length = int.from_bytes(data[at + 2 : begin], "big")
            end = begin + length
            if size < end:
                break
            if data[at] == _BINARY:
                self.take(data, begin, end)
            elif data[at] == _PING:
                self.write(masked(data[begin:end], _PONG))
            at = end
        self._rest = data[at:]

    async def opened(self) -> None:
        """Wait until the connection is a socket."""
        await self._upgraded

    async def ask(self, command: Command, *given: object, **named: object) -> wire.Event:
        """Send a command of `wire` with the next id, and return its answer.

        It is sent again, a few times, if the node has too much to do just then.

        Raises:
            RefusedError: it was refused.
            LostError: the connection is gone.
        """
        for pause in PAUSES:
            event = await self._ask(command, *given, **named)
            if event.refusal not in LATER:
                break
            await asyncio.sleep(pause)
        if event.refusal is not None:
            raise RefusedError(event.refusal)
        return event

    async def _ask(self, command: Command, *given: object, **named: object) -> wire.Event:
        self._last += 1
        answer: asyncio.Future[wire.Event] = asyncio.get_running_loop().create_future()
        self._asked[self._last] = answer
        self.write(masked(command(self._last, *given, **named)))
        return await answer

    def expect_cards(self, code: str) -> asyncio.Future[wire.Event]:
        """Return what will be the next snapshot in a room."""
        expected: asyncio.Future[wire.Event] = asyncio.get_running_loop().create_future()
        self._expected[code] = expected
        return expected

    def _set_up(self, data: bytes, begin: int, end: int) -> None:
        event = wire.read(data[begin:end])
        if event.re is not None and (asked := self._asked.pop(event.re, None)) is not None:
            asked.set_result(event)
        if event.kind == wire.SNAPSHOT and event.room is not None:
            expected = self._expected.pop(event.room, None)
            if expected is not None:
                expected.set_result(event)

    def quiet(self) -> None:
        """Set up what there is to be asked again, after a time as a racer."""
        self.take = self._set_up


async def connect(port: int) -> Client:
    """Open a socket, not yet greeted; try a few times.

    Raises:
        LostError: the server does not want it.
    """
    loop = asyncio.get_running_loop()
    for pause in PAUSES:
        _, client = await loop.create_connection(lambda: Client(port), "127.0.0.1", port)
        try:
            await client.opened()
        except LostError:
            await asyncio.sleep(pause)
        else:
            return client
    raise LostError


async def gathered(count: int, make: Callable[[int], Awaitable[T]], at_once: int = 32) -> list[T]:
    """Return what `make(0)`, `make(1)` … give, so many of them under way at once."""
    numbers = iter(range(count))
    found: dict[int, T] = {}

    async def one_after_another() -> None:
        for number in numbers:
            found[number] = await make(number)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, count)):
                group.create_task(one_after_another())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [found[number] for number in range(count)]
