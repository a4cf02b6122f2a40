"""One connection to a Redis server, with commands sent in batches (group commit).

Commands issued while a batch is in flight form the next batch, sent in one write. Without one in
flight, those of one pass of the event loop do, unless the caller expects no others in that pass. If
writes must be acknowledged by replicas, each batch ends with WAIT, and its replies are passed on
after the reply to WAIT.

A server that loses data loses its connections first. Each connection therefore has a number, its
generation, and data read over a connection is valid while that connection lasts.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import (
    ClusterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
)
from redis.exceptions import ConnectionError as ConnectionLostError
from redis.exceptions import TimeoutError as TimeoutLostError

from server.base.redis.connection import FAILURES, TIMEOUT
from server.base.redis.handshake import open_connection, pack
from server.base.work.metrics import Metrics
from server.base.work.outages import Outage

MAX_WAITING: Final = 10_000
"""Maximum commands without a reply; more are refused as unavailable."""

MAX_BATCH: Final = 1_000
"""Maximum commands in one batch."""

ACKNOWLEDGED_WITHIN: Final = 2.0
"""Seconds that WAIT waits for the replicas."""

QUIET: Final = 10.0
"""Seconds without a failure until writes and acknowledgements count as working again.

Each node renews its registration every 5 seconds, so writes are attempted continuously.
"""

_REFUSING_ERRORS: Final = (OutOfMemoryError, ReadOnlyError, ClusterDownError)
_REFUSING_WORDS: Final = ("OOM", "READONLY", "MISCONF", "NOREPLICAS")
"""Error replies of a server that currently accepts no writes. Scripts may embed them in a text."""

Done = Callable[[Any], None]
"""Called with the reply to a command, or with an exception if it failed or its reply was lost."""

Command = bytes | Callable[[], bytes]
"""A packed command, or a function that returns one when the batch is sent."""

_LOST: Final = (OSError, ConnectionLostError, TimeoutLostError)

log = structlog.get_logger()

_generations = itertools.count(1)


class LostError(ConnectionError):
    """The connection broke or timed out: commands without a reply may have been executed."""


class TooFewReplicasError(Exception):
    """Fewer replicas than required have acknowledged a batch."""


class Pipeline(asyncio.Protocol):
    """A connection to one server, opened on first use and reopened after a loss.

    It logs when the server is lost and back, when it refuses writes, and when replicas are missing.
    Callers need not log an error caused by one of these (see `is_reported`).

    `demoted` is called when the server turns out to be a replica; all connections to it must then
    be dropped.

    Attributes:
        outage: whether the server is lost, possibly shared with another connection to it.
        generation: the number of the connection, or 0 without a connection.
    """

    def __init__(
        self,
        client: Redis,
        acks: int,
        metrics: Metrics,
        server: str = "",
        outage: Outage | None = None,
        *,
        demoted: Callable[[], None] = lambda: None,
    ) -> None:
        named = {"server": server} if server else {}
        self.outage = outage or Outage("store_lost", "store_back", fields=named)
        self._refusing = Outage("writes_refused", "writes_accepted", quiet=QUIET, fields=named)
        self._unreplicated = Outage("replicas_missing", "replicas_back", quiet=QUIET, fields=named)
        self.generation = 0
        self._client = client
        self._acks = acks
        self._metrics = metrics
        self._demoted = demoted
        # Set with the transport: finding the running loop is a system call in Python 3.11.
        self._loop: asyncio.AbstractEventLoop
        self._transport: asyncio.WriteTransport | None = None
        self._reader: Any = None
        self._waiting: list[tuple[Command, Done]] = []
        self._in_flight: list[tuple[Command, Done]] = []
        self._replies: list[Any] = []
        self._expected = 0
        self._sent_at = 0.0
        self._flush_scheduled = False
        self._timer: asyncio.TimerHandle | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._closed = False
        self._idle = asyncio.Event()

    @property
    def waiting(self) -> int:
        """The number of commands without a reply."""
        return len(self._waiting) + len(self._in_flight)

    @property
    def is_ready(self) -> bool:
        """Whether it is connected and accepts commands."""
        return self.generation != 0 and not self.is_full

    @property
    def is_full(self) -> bool:
        """Whether no more commands can be sent for now."""
        return len(self._waiting) + len(self._in_flight) >= MAX_WAITING

    @property
    def is_idle(self) -> bool:
        """Whether it is connected, and no command waits or is in flight."""
        # A connection that has just been closed is still known until it is reported as lost.
        transport = self._transport
        return (
            not self._expected
            and not self._flush_scheduled
            and not self._waiting
            and transport is not None
            and not transport.is_closing()
        )

    def send_at_once(self, command: bytes, done: Done) -> None:
        """Send a command immediately, as a batch of its own; the pipeline must be idle.

        This saves a pass of the event loop, but commands of the same pass wait for its reply.
        """
        self._in_flight = [(command, done)]
        self._write(command, 1)

    def send(self, command: Command, done: Done) -> None:
        """Send a command with the next batch, connecting first if needed.

        Args:
            command: the packed command.
            done: called later, exactly once.
        """
        if self._closed:
            error = LostError("The connection is closed.")
            asyncio.get_running_loop().call_soon(self._call, done, error)
            return
        self._waiting.append((command, done))
        # While a batch is in flight, its completion sends the next one.
        if not self._flush_scheduled and not self._expected:
            self._flush_scheduled = True
            asyncio.get_running_loop().call_soon(self._flush)

    async def connect(self) -> None:
        """Connect, unless already connected.

        Raises:
            OSError, RedisError: the server cannot be reached.
        """
        if self._transport is not None:
            return
        if self._closed:
            raise LostError("The connection is closed.")
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())
        # The shield prevents one cancelled caller from cancelling it for the others.
        await asyncio.shield(self._connecting)

    async def _connect(self) -> None:
        try:
            self._transport, self._reader = await open_connection(self._client, self)
            self._loop = asyncio.get_running_loop()
        except FAILURES as error:
            self._report_lost(error)
            raise
        finally:
            self._connecting = None
        self.generation = next(_generations)
        self.outage.succeed()

    def _flush(self) -> None:
        """Send waiting commands as one batch, unless one is in flight."""
        self._flush_scheduled = False
        if self._expected or not self._waiting:
            return
        if self._transport is None:
            if self._connecting is None:
                self._connecting = asyncio.create_task(self._connect())
            self._connecting.add_done_callback(self._connected)
            return
        batch, self._waiting = self._waiting, []
        if len(batch) > MAX_BATCH:
            batch, self._waiting = batch[:MAX_BATCH], batch[MAX_BATCH:]
        self._in_flight = batch
        commands: list[bytes] = []
        for number, (command, _) in enumerate(batch):
            commands.append(command if type(command) is bytes else self._packed(number))
        self._write(b"".join(commands), len(batch))

    def _write(self, commands: bytes, count: int) -> None:
        """Write the commands of the batch that is now in flight."""
        assert self._transport is not None, "it is connected"
        self._replies, self._expected = [], count
        if self._acks:
            # WAIT covers all earlier writes on this connection.
            commands += pack("WAIT", self._acks, int(ACKNOWLEDGED_WITHIN * 1000))
            self._expected += 1
        loop = self._loop
        self._sent_at = loop.time()
        self._metrics.batches.observe(count)
        if self._timer is None:
            self._timer = loop.call_later(TIMEOUT, self._check_timeout)
        self._transport.write(commands)

    def _packed(self, number: int) -> bytes:
        """Return a command of the batch that is not packed yet."""
        command, done = self._in_flight[number]
        assert not isinstance(command, bytes), "it is not packed"
        try:
            return command()
        except Exception as error:
            # The rest of the batch is sent, with a PING in place of this command.
            log.exception("command_pack_failed")
            self._in_flight[number] = command, _failing_with(done, error)
            return pack("PING")

    def _connected(self, connecting: asyncio.Task[None]) -> None:
        """Send the commands that waited for the connection, or fail them."""
        error = None if connecting.cancelled() else connecting.exception()
        if error is None and not connecting.cancelled():
            self._flush()
        else:
            self._fail_all(error or LostError("Connecting was cancelled."))
        if not self.waiting:
            self._idle.set()

    def data_received(self, data: bytes) -> None:
        """Parse replies, and pass them on once the whole batch has arrived."""
        reader, replies = self._reader, self._replies
        reader.feed(data)
        while (reply := reader.gets()) is not False:
            replies.append(reply)
        if self._expected and len(replies) >= self._expected:
            self._complete()

    def _complete(self) -> None:
        in_flight, replies = self._in_flight, self._replies
        self._in_flight, self._replies, self._expected = [], [], 0
        self._metrics.round_trips.observe(self._loop.time() - self._sent_at)
        if self._acks:
            acknowledged = replies.pop()
            if not isinstance(acknowledged, int) or acknowledged < self._acks:
                error = TooFewReplicasError(
                    f"{acknowledged} replicas have it instead of {self._acks}"
                )
                replies = [r if isinstance(r, Exception) else error for r in replies]
                self._unreplicated.fail(error=str(error))
            else:
                self._unreplicated.succeed()
        # Commands sent by the callbacks join the waiting ones in one batch.
        self._flush_scheduled = True
        self._refusing.succeed()
        for number, (_, done) in enumerate(in_flight):
            reply = replies[number]
            if isinstance(reply, ResponseError):
                self._check(reply)
            try:
                done(reply)
            except Exception as error:
                _report(error)
        if self._waiting:
            self._loop.call_soon(self._flush)
        else:
            self._flush_scheduled = False
            self._idle.set()

    def _check(self, reply: ResponseError) -> None:
        """Handle an error that concerns the connection or all writes."""
        if isinstance(reply, NoScriptError):
            self.abort("The server no longer has a script.")
        elif _refuses_writes(reply):
            self._refusing.fail(error=f"{type(reply).__name__}: {reply}")
            if "READONLY" in str(reply) or isinstance(reply, ReadOnlyError):
                self._demoted()

    @staticmethod
    def _call(done: Done, reply: Any) -> None:
        try:
            done(reply)
        except Exception as error:
            _report(error)

    def _check_timeout(self) -> None:
        """Abort the connection if the batch in flight is older than `TIMEOUT` seconds."""
        self._timer = None
        if not self._expected:
            return
        left = self._sent_at + TIMEOUT - self._loop.time()
        if left <= 0:
            self.abort("Timeout reading from the server")
        else:
            self._timer = self._loop.call_later(left, self._check_timeout)

    def abort(self, reason: str) -> None:
        """Drop the connection, and fail all commands without a reply.

        Args:
            reason: the message of their `LostError`.
        """
        # Cleared first, so that `connection_lost` does not report the loss again.
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
            self._on_lost(LostError(reason))

    def connection_lost(self, error: Exception | None) -> None:
        """Fail all commands, including waiting ones, which rely on data of this generation."""
        if self._transport is not None:
            self._transport = None
            self._on_lost(LostError(str(error) if error else "Connection closed by server."))

    def _on_lost(self, error: Exception) -> None:
        self._report_lost(error)
        self.generation = 0
        self._fail_all(error)

    def _report_lost(self, error: Exception) -> None:
        if not self._closed:
            self.outage.fail(error=f"{type(error).__name__}: {error}")

    def _fail_all(self, error: BaseException) -> None:
        in_flight, waiting = self._in_flight, self._waiting
        self._in_flight, self._waiting, self._expected = [], [], 0
        for _, done in (*in_flight, *waiting):
            self._call(done, error)
        self._idle.set()

    async def close(self) -> None:
        """Wait until every command has its reply, then close the connection."""
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


def _report(error: Exception) -> None:
    """Report the failure of a callback, which must not prevent the others."""
    asyncio.get_running_loop().call_exception_handler(
        {"message": "The callback of a reply failed.", "exception": error}
    )


def is_reported(reply: object) -> bool:
    """Return whether a failure follows from an outage that a pipeline has already logged."""
    return isinstance(reply, (*_LOST, TooFewReplicasError)) or _refuses_writes(reply)


def _refuses_writes(reply: object) -> bool:
    return isinstance(reply, _REFUSING_ERRORS) or (
        isinstance(reply, ResponseError) and any(word in str(reply) for word in _REFUSING_WORDS)
    )


def _failing_with(done: Done, error: Exception) -> Done:
    """Return a callback that ignores its reply and passes on an error instead."""
    return lambda _: done(error)
