"""A minimal WebSocket client for load generation, with less overhead than a library."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from deploy.bench import wire
from deploy.bench.processes import LoadError, upgrade
from server.base.wire import session_messages as session
from server.base.wire.messages import Command
from server.play import messages as attempts

T = TypeVar("T")
RETRY_DELAYS = (0.2, 0.5, 1.0, 2.0, 4.0)  # seconds, for commands and connections
RETRYABLE = {"unavailable", "overloaded", "not_started"}  # `not_started`: without Redis's time yet
_SHORT = 126
_BINARY, _PING, _PONG = 0x82, 0x89, 0x8A


def masked(payload: bytes, first: int = _BINARY) -> bytes:
    """Return a payload as a client's frame."""
    # A zero mask avoids the cost of masking.
    length = len(payload)
    if length < _SHORT:
        return bytes((first, 0x80 | length)) + b"\0\0\0\0" + payload
    return bytes((first, 0x80 | _SHORT)) + length.to_bytes(2, "big") + b"\0\0\0\0" + payload


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, port: int, path: str = "/socket") -> None:
        self._request = upgrade(port, path)
        self._buffer = b""
        self._awaited: dict[object, asyncio.Future[Any]] = {}
        self._last_id = 0
        self.opened = self._await("upgrade")  # done after the WebSocket handshake
        self.player = ""  # the player's id once a session is open
        self.token = ""  # the player's credential for later sessions
        self.size = 0  # the length of the last answer to `ask` in bytes
        # Called with each payload as a buffer, start and end. Initially, and again after each
        # `ask`, it resolves the futures of `ask` and `snapshot`.
        self.handle_payload: Callable[[bytes, int, int], None] = self._resolve
        self.write: Callable[[bytes], None]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the upgrade request."""
        # uvloop's transports are not subclasses of asyncio.Transport.
        self.transport = cast("asyncio.Transport", transport)
        self.write = self.transport.write
        self.write(self._request)

    def connection_lost(self, error: Exception | None) -> None:
        """Fail all pending futures with `ConnectionError`."""
        for awaited in self._awaited.values():
            if not awaited.done():
                awaited.set_exception(ConnectionError("closed by the server"))
                awaited.exception()

    def data_received(self, data: bytes) -> None:
        """Parse received frames, and handle their payloads."""
        if self._buffer:
            data = self._buffer + data
        at = 0
        if not self.opened.done():
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:  # noqa: PLR2004 - the header has not ended
                self._buffer = data
                return
            if b" 101 " not in data[:at].partition(b"\r\n")[0]:
                self.transport.abort()
                return
            self.opened.set_result(None)
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

    async def ask(self, command: type[Command], *fields: object) -> Any:
        """Send a command with the next id and these fields, and return its answer.

        A command refused by an overloaded node is retried up to five times.

        Raises:
            LoadError: the server refused it.
            ConnectionError: the server closed the connection.
        """
        self.handle_payload = self._resolve
        for pause in RETRY_DELAYS:
            self._last_id += 1
            answer = self._await(self._last_id)
            self.write(masked(wire.pack(command(self._last_id, *fields))))
            event = await answer
            if not isinstance(event, session.Refused):
                return event
            if event.code not in RETRYABLE:
                break
            await asyncio.sleep(pause)
        raise LoadError(event.code)

    def snapshot(self, code: str) -> asyncio.Future[attempts.Attempt]:
        """Return a future of the next attempt in the room with a code."""
        return self._await(code)

    def _await(self, key: object) -> asyncio.Future[Any]:
        self._awaited[key] = asyncio.get_running_loop().create_future()
        return self._awaited[key]

    def _resolve(self, data: bytes, begin: int, end: int) -> None:
        if wire.kind(data, begin) in {wire.ANSWER, wire.PROGRESSED}:
            return
        re, event = wire.read(data[begin:end])
        if type(re) is int and (answered := self._awaited.pop(re, None)) is not None:
            self.size = end - begin
            answered.set_result(event)
        if isinstance(event, attempts.Attempt):
            expected = self._awaited.pop(event.room, None)
            if expected is not None:
                expected.set_result(event)


async def connect(port: int) -> Client:
    """Open a socket without a session, with a few retries.

    Raises:
        LoadError: the server closed every connection.
    """
    loop = asyncio.get_running_loop()
    for pause in RETRY_DELAYS:
        _, client = await loop.create_connection(lambda: Client(port), "127.0.0.1", port)
        try:
            await client.opened
        except ConnectionError:
            await asyncio.sleep(pause)
        else:
            return client
    raise LoadError("every connection was closed")


async def open_session(port: int, token: str | None = None) -> Client:
    """Open a session as the player with a token, or as a new guest."""
    client = await connect(port)
    welcome: session.Welcome = await client.ask(session.Hello, session.VERSION, token)
    client.player, client.token = welcome.player.id, welcome.token
    return client


async def open_sessions(port: int, count: int) -> list[Client]:
    """Open `count` sessions, each as a new guest."""
    return await map_concurrently(count, lambda _: open_session(port))


async def map_concurrently(
    count: int, make: Callable[[int], Awaitable[T]], at_once: int = 32
) -> list[T]:
    """Return the results of `make(0)`, `make(1)`, …, with at most `at_once` in flight."""
    places = asyncio.Semaphore(at_once)

    async def place(number: int) -> T:
        async with places:
            return await make(number)

    return await asyncio.gather(*map(place, range(count)))
