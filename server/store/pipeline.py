"""One connection to a Redis server, on which commands go out in batches (group commit).

Commands that gather while a batch is in flight go out together in the next one, in one write. Where
replicas are to have what is written, a batch ends with WAIT, and is answered when they have it.

Whatever a server has lost, its connections broke first. So each connection has a number, its
generation, and what was read on one generation may be trusted for as long as it lasts.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import hiredis
import structlog
from redis._parsers import BaseParser
from redis.asyncio import Redis
from redis.asyncio.connection import Connection
from redis.exceptions import NoScriptError

from server.metrics import Metrics
from server.store.connection import FAILURES, TIMEOUT

MOST_WAITING: Final = 10_000
"""Commands that may wait; what comes beyond that is refused as unavailable."""

MOST_AT_ONCE: Final = 1_000
"""Commands of one batch."""

ACKNOWLEDGED_WITHIN: Final = 2.0
"""Seconds for the replicas to say that they have what was written."""

Done = Callable[[Any], None]
"""Called with the reply to a command, or with the exception that stands for it."""

Command = bytes | Callable[[], bytes]
"""A packed command, or what packs it when its batch is sent."""

Argument = str | bytes | int

log = structlog.get_logger()

_generations = itertools.count(1)


class LostError(ConnectionError):
    """The connection broke, or the server did not answer in time: a command may stand or not."""


class TooFewReplicasError(Exception):
    """Too few replicas have what was written."""


class Pipeline(asyncio.Protocol):
    """A connection to one server, made when it is first needed, and again after it was lost.

    Attributes:
        generation: the number of the connection, or 0 while there is none.
        scripts: texts of scripts by name, known to the server under their digests while connected.
    """

    def __init__(self, client: Redis, acks: int, scripts: dict[str, str], metrics: Metrics) -> None:
        self.generation = 0
        self.scripts = scripts
        self._client = client
        self._acks = acks
        self._metrics = metrics
        self._digests: dict[str, str] = {}
        self._transport: asyncio.WriteTransport | None = None
        self._reader: Any = None
        self._waiting: list[tuple[Command, Done]] = []
        self._flight: list[Done] = []
        self._replies: list[Any] = []
        self._expected = 0
        self._sent_at = 0.0
        self._flush_is_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._closed = False
        self._idle = asyncio.Event()

    @property
    def waiting(self) -> int:
        """How many commands are not answered yet."""
        return len(self._waiting) + len(self._flight)

    @property
    def is_full(self) -> bool:
        """Whether too many commands are waiting for one more."""
        return len(self._waiting) + len(self._flight) >= MOST_WAITING

    def send(self, command: Command, done: Done) -> None:
        """Send a packed command with the next batch; `done` gets its reply."""
        if self._closed:
            asyncio.get_running_loop().call_soon(self._hand, done, LostError("It is closed."))
            return
        self._waiting.append((command, done))
        if not self._flush_is_due and not self._expected:
            self._flush_is_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    def script(self, name: str) -> str:
        """Return the digest of a script; it is known on a connection."""
        return self._digests[name]

    async def connect(self) -> None:
        """Connect, unless that is so already.

        Raises:
            OSError, RedisError: the server cannot be reached.
        """
        if self._transport is not None:
            return
        if self._closed:
            raise LostError("It is closed.")
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())
        # One who is cancelled does not cancel it for the others.
        await asyncio.shield(self._connecting)

    async def _connect(self) -> None:
        try:
            connection: Any = self._client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
            try:
                await connection.connect()
                for name, text in self.scripts.items():
                    await connection.send_command("SCRIPT", "LOAD", text)
                    self._digests[name] = await connection.read_response()
            except BaseException:
                await connection.disconnect(nowait=True)
                raise
            self._take_over(connection)
        finally:
            self._connecting = None

    def _take_over(self, connection: Connection) -> None:
        """Have a connection that redis-py has opened and greeted to ourselves."""
        writer = connection._writer  # noqa: SLF001 - redis-py has no other way to hand it over
        assert writer is not None, "it has just been opened"
        if writer.transport.is_closing():
            # It would say so to redis-py's protocol, and to nobody else.
            raise LostError("Connection closed by server.")
        connection._writer = connection._reader = None  # noqa: SLF001
        self._reader = hiredis.Reader(
            replyError=BaseParser.parse_error, encoding="utf-8", errors="surrogateescape"
        )
        self._transport = writer.transport
        self._transport.set_protocol(self)
        self._writer = writer
        self.generation = next(_generations)

    def _flush(self) -> None:
        """Send what waits as one batch."""
        self._flush_is_due = False
        if self._expected or not self._waiting:
            return
        if self._transport is None:
            if self._connecting is None:
                self._connecting = asyncio.create_task(self._connect())
            self._connecting.add_done_callback(self._connected)
            return
        batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
        commands = self._packed(batch)
        self._replies = []
        self._expected = len(commands)
        if self._acks:
            commands.append(pack("WAIT", self._acks, int(ACKNOWLEDGED_WITHIN * 1000)))
            self._expected += 1
        loop = asyncio.get_running_loop()
        self._sent_at = loop.time()
        self._metrics.batches.observe(len(batch))
        if self._timer is None:
            self._timer = loop.call_later(TIMEOUT, self._look_at_time)
        self._transport.write(b"".join(commands))

    def _packed(self, batch: list[tuple[Command, Done]]) -> list[bytes]:
        """Return the commands of a batch as they are sent; their replies are waited for."""
        commands: list[bytes] = []
        self._flight = []
        for command, done in batch:
            try:
                commands.append(command if isinstance(command, bytes) else command())
            except Exception as error:
                # The others of the batch go out all the same.
                log.exception("command_unpacked")
                commands.append(pack("PING"))
                self._flight.append(_failing(done, error))
            else:
                self._flight.append(done)
        return commands

    def _connected(self, connecting: asyncio.Task[None]) -> None:
        """Send what has waited for the connection, or give it up."""
        error = None if connecting.cancelled() else connecting.exception()
        if error is None and not connecting.cancelled():
            self._flush()
        else:
            self._give_up(error or LostError("the connection was not made"))
        if not self.waiting:
            self._idle.set()

    def data_received(self, data: bytes) -> None:
        """Read replies; when a batch is complete, hand them out."""
        reader, replies = self._reader, self._replies
        reader.feed(data)
        while (reply := reader.gets()) is not False:
            replies.append(reply)
        if self._expected and len(replies) >= self._expected:
            self._complete()

    def _complete(self) -> None:
        flight, replies = self._flight, self._replies
        self._flight, self._replies, self._expected = [], [], 0
        self._metrics.round_trips.observe(asyncio.get_running_loop().time() - self._sent_at)
        if self._acks:
            acknowledged = replies.pop()
            if not isinstance(acknowledged, int) or acknowledged < self._acks:
                error = TooFewReplicasError(
                    f"{acknowledged} replicas have it instead of {self._acks}"
                )
                replies = [r if isinstance(r, Exception) else error for r in replies]
        # What these cause goes out with what has gathered, when they are done.
        self._flush_is_due = True
        for done, reply in zip(flight, replies, strict=True):
            if isinstance(reply, NoScriptError):
                self.abort("the server has forgotten a script")
            self._hand(done, reply)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        else:
            self._flush_is_due = False
            self._idle.set()

    @staticmethod
    def _hand(done: Done, reply: Any) -> None:
        try:
            done(reply)
        except Exception:
            # Whatever it was, the others must have their replies.
            log.exception("reply_broken")

    def _look_at_time(self) -> None:
        """Give the connection up if a batch has been in flight for too long."""
        self._timer = None
        if not self._expected:
            return
        loop = asyncio.get_running_loop()
        left = self._sent_at + TIMEOUT - loop.time()
        if left <= 0:
            self.abort("Timeout reading from the server")
        else:
            self._timer = loop.call_later(left, self._look_at_time)

    def abort(self, reason: str) -> None:
        """Break the connection; whatever waits is given up."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
            self._lose(LostError(reason))

    def connection_lost(self, error: Exception | None) -> None:
        """Give up what is in flight and what waits: it was decided on this generation."""
        if self._transport is not None:
            self._transport = None
            self._lose(LostError(str(error) if error else "Connection closed by server."))

    def _lose(self, error: Exception) -> None:
        self.generation = 0
        self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        flight, waiting = self._flight, self._waiting
        self._flight, self._waiting, self._expected = [], [], 0
        for done in flight:
            self._hand(done, error)
        for _, done in waiting:
            self._hand(done, error)
        self._idle.set()

    async def close(self) -> None:
        """Wait until everything is answered, and close the connection."""
        while self.waiting:
            self._idle.clear()
            await self._idle.wait()
        self._closed = True
        if self._connecting is not None:
            with suppress(*FAILURES):
                await self._connecting
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.generation = 0
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()


def _failing(done: Done, error: Exception) -> Done:
    """Return what is called with whatever reply, and hands an error on."""
    return lambda _: done(error)


def pack(*command: Argument) -> bytes:
    """Return a command as it is sent."""
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]
    return packed
