"""A minimal WebSocket client for load generation: less overhead than a library's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from deploy.bench import wire
from deploy.bench.processes import upgrade

T = TypeVar("T")

Command = Callable[..., bytes]
"""A function of `wire` that makes a command, given its id."""

PayloadHandler = Callable[[bytes, int, int], None]
"""Called with each payload: the buffer that contains it, and its begin and end there."""

RETRY_DELAYS = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds before each retry of a refused command or connection."""

RETRYABLE = {"unavailable", "overloaded"}
"""Codes of refusals that are retried."""

_SHORT = 126
_BINARY, _PING, _PONG, _CLOSE = 0x82, 0x89, 0x8A, 0x88


def masked(payload: bytes, first: int = _BINARY) -> bytes:
    """Return a payload as a client's frame. The mask is zero, so that masking costs nothing."""
    length = len(payload)
    if length < _SHORT:
        return bytes((first, 0x80 | length)) + b"\0\0\0\0" + payload
    return bytes((first, 0x80 | _SHORT)) + length.to_bytes(2, "big") + b"\0\0\0\0" + payload


class LostError(Exception):
    """The server closed the connection."""


class RefusedError(Exception):
    """The server refused a command; the message is the code."""


class Client(asyncio.Protocol):
    """One connection.

    Attributes:
        handle_payload: called with each payload; by default, it resolves the futures of `ask` and
            `expect_snapshot`.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._upgraded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._buffer = b""
        self._pending: dict[int, asyncio.Future[wire.Event]] = {}
        self._expected: dict[str, asyncio.Future[wire.Event]] = {}
        self._last_id = 0
        self.handle_payload: PayloadHandler = self._resolve
        self.write: Callable[[bytes], None]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the upgrade request."""
        # uvloop's transports are not subclasses of asyncio.Transport.
        self.transport = cast("asyncio.Transport", transport)
        self.write = self.transport.write
        self.write(upgrade(self._port))

    def connection_lost(self, error: Exception | None) -> None:
        """Fail every pending future with `LostError`."""
        futures: list[asyncio.Future[Any]] = [self._upgraded]
        futures += [*self._pending.values(), *self._expected.values()]
        for waiting in futures:
            if not waiting.done():
                waiting.set_exception(LostError())
                waiting.exception()

    def data_received(self, data: bytes) -> None:
        """Parse the frames received so far, and handle their payloads."""
        if self._buffer:
            data = self._buffer + data
        at = 0
        if not self._upgraded.done():
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:  # noqa: PLR2004 - the header has not ended
                self._buffer = data
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
                self.handle_payload(data, begin, end)
            elif data[at] == _PING:
                self.write(masked(data[begin:end], _PONG))
            at = end
        self._buffer = data[at:]

    async def opened(self) -> None:
        """Wait until the WebSocket handshake is done.

        Raises:
            LostError: the server closed the connection.
        """
        await self._upgraded

    async def ask(self, command: Command, *given: object, **named: object) -> wire.Event:
        """Send a command of `wire` with the next id, and return its answer.

        A command refused by an overloaded node is retried, up to five times in all.

        Raises:
            RefusedError: the server refused it.
            LostError: the server closed the connection.
        """
        for pause in RETRY_DELAYS:
            event = await self._ask(command, *given, **named)
            if event.refusal not in RETRYABLE:
                break
            await asyncio.sleep(pause)
        if event.refusal is not None:
            raise RefusedError(event.refusal)
        return event

    async def _ask(self, command: Command, *given: object, **named: object) -> wire.Event:
        self._last_id += 1
        answer: asyncio.Future[wire.Event] = asyncio.get_running_loop().create_future()
        self._pending[self._last_id] = answer
        self.write(masked(command(self._last_id, *given, **named)))
        return await answer

    def expect_snapshot(self, code: str) -> asyncio.Future[wire.Event]:
        """Return a future of the next snapshot of an attempt in a room, given the room's code."""
        expected: asyncio.Future[wire.Event] = asyncio.get_running_loop().create_future()
        self._expected[code] = expected
        return expected

    def _resolve(self, data: bytes, begin: int, end: int) -> None:
        event = wire.read(data[begin:end])
        if event.re is not None and (pending := self._pending.pop(event.re, None)) is not None:
            pending.set_result(event)
        if event.kind == wire.SNAPSHOT and event.room is not None:
            expected = self._expected.pop(event.room, None)
            if expected is not None:
                expected.set_result(event)

    def reset_handler(self) -> None:
        """Set `handle_payload` back to its default, which `ask` needs."""
        self.handle_payload = self._resolve


async def connect(port: int) -> Client:
    """Open a socket, without a session; retry a few times.

    Raises:
        LostError: the server closed every connection.
    """
    loop = asyncio.get_running_loop()
    for pause in RETRY_DELAYS:
        _, client = await loop.create_connection(lambda: Client(port), "127.0.0.1", port)
        try:
            await client.opened()
        except LostError:
            await asyncio.sleep(pause)
        else:
            return client
    raise LostError


async def map_concurrently(
    count: int, make: Callable[[int], Awaitable[T]], at_once: int = 32
) -> list[T]:
    """Return the results of `make(0)`, `make(1)`, …, with at most `at_once` in flight."""
    numbers = iter(range(count))
    found: dict[int, T] = {}

    async def worker() -> None:
        for number in numbers:
            found[number] = await make(number)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, count)):
                group.create_task(worker())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [found[number] for number in range(count)]
