"""Reads and writes of keys, on one Redis or a cluster.

Commands go out in batches (`server/base/redis/pipeline.py`), over two connections to each server:
one for writes, and one for reads, which do not wait for replicas. A write is acknowledged once its
server and the configured number of replicas have it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.client import Pipeline as ReadPipeline
from redis.exceptions import AskError, MovedError, NoScriptError, TryAgainError

from server.base.core.refusal import UnavailableError, UnsuitableError
from server.base.redis.connection import FAILURES, Client, raising_unavailable
from server.base.redis.handshake import pack
from server.base.redis.losses import Losses
from server.base.redis.pipeline import Pipeline, TooFewReplicasError, is_reported
from server.base.redis.scripts import Argument, Script
from server.base.redis.servers import Server, Servers, suggests_failover
from server.base.work.background import check_outcome
from server.base.work.metrics import Metrics
from server.base.work.pacing import Pacer

MIN_VERSION: Final = (7, 0)
"""The oldest supported version of Redis: the first with sharded pub/sub and with separate read and
write permissions on keys."""

REDIRECT_TIMEOUT: Final = 5.0
"""How long a command follows redirections of its slot, in seconds."""

_TRY_AGAIN_DELAY = 0.02
"""Seconds before a command is sent again after a TRYAGAIN."""

_ASKING: Final = pack("ASKING")

_KEEP_FIRST = Script("""
local kept = redis.call('GET', KEYS[1]) or ARGV[1]
redis.call('SET', KEYS[1], kept)
if ARGV[2] ~= '' then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return kept
""")

Failed = Callable[[], None]
"""Called if an unawaited command was not executed, or may not have been."""

ReadCommand = Callable[[ReadPipeline, str], object]
"""Adds one command that reads a key to a redis-py pipeline."""

Keyed = tuple[str, Sequence[Argument]]
"""A command, after the key that selects the server."""

Locations = dict[str, tuple[Server, bool]]
"""For each key, the server to query, and whether an ASKING must precede the command."""

log = structlog.get_logger()


class Reply(NamedTuple):
    """A reply and its connection.

    Attributes:
        value: the command's result.
        generation: the generation of the connection; 0 if the key's slot was being moved between
            servers, so that later commands cannot rely on the value.
    """

    value: Any
    generation: int


class OtherGenerationError(Exception):
    """The connection has been replaced since the command's state was read."""


class Database:
    """One Redis, or a Redis Cluster.

    Attributes:
        client: the redis-py client, which also knows a cluster's topology.
        acks: the number of replicas that must have a write before it is acknowledged.
        losses: the acknowledged data lost by the store.
        metrics: the node's metrics.
        is_standalone: whether this is a single Redis server rather than a cluster.
        pacer: resumes the tasks that wait for replies.
    """

    def __init__(
        self,
        client: Client,
        acks: int = 0,
        metrics: Metrics | None = None,
    ) -> None:
        self.client = client
        self.acks = acks
        self.metrics = Metrics() if metrics is None else metrics
        self.losses = Losses(self.metrics)
        self.metrics.queues["redis"] = lambda: self.waiting
        self._servers = Servers(client)
        self._pipelines: dict[str, Pipeline] = {}
        self._readers: dict[str, Pipeline] = {}
        self._refresh_tasks: set[asyncio.Task[None]] = set()
        self.pacer = Pacer()
        self._closing = False
        self._send_tasks: set[asyncio.Task[None]] = set()
        self._single = self._pipeline(None) if self._servers.is_standalone else None
        self.is_standalone = self._single is not None

    @property
    def lost_at(self) -> float:
        """The monotonic time when a server was last lost or unreachable."""
        return max((each.outage.failed_at for each in self._pipelines.values()), default=-math.inf)

    @property
    def newest_generation(self) -> int:
        """The generation of the newest connection to any server, or 0 if there is none."""
        return max((each.generation for each in self._pipelines.values()), default=0)

    @property
    def waiting(self) -> int:
        """The number of commands without a reply in all pipelines."""
        return sum(pipeline.waiting for pipeline in self._pipelines.values())

    def pipeline_of(self, key: str) -> Pipeline | None:
        """Return the pipeline to a key's server, or `None` if the owner is unknown."""
        if self._single is not None:
            return self._single
        server = self._servers.known_owner(key)
        return None if server is None else self._pipeline(server)

    def key_of_each_server(self, names: Sequence[str]) -> dict[str, str]:
        """Return one of the given keys for each server that owns any of them, by server name.

        The result is empty for a cluster with an unknown topology. A key takes 3 µs.
        """
        if self._single is not None:
            return {"": names[0]}
        found: dict[str, str] = {}
        for name in names:
            if (server := self._servers.known_owner(name)) is not None:
                found.setdefault(server.name, name)
        return found

    def generation(self, key: str) -> int:
        """Return the generation of the connection to a key's server, or 0 if not connected."""
        pipeline = self.pipeline_of(key)
        return 0 if pipeline is None else pipeline.generation

    def send(self, key: str, *command: Argument, failed: Failed | None = None) -> None:
        """Send a command without waiting for its reply, and log a failure.

        A task is started only if the key's server is unknown or has changed.

        Args:
            key: the key that selects the server.
            command: the command's name and arguments.
            failed: called if the command was not executed, or may not have been.
        """
        pipeline = self.pipeline_of(key)
        if self._closing:
            _notify(failed)
        elif pipeline is None:
            self._send_in_task(key, command, failed)
        elif pipeline.is_full:
            log.warning("send_dropped", command=command[0])
            _notify(failed)
        else:
            pipeline.send(pack(*command), partial(self._on_reply, key, command, failed))

    def _on_reply(
        self, key: str, command: tuple[Argument, ...], failed: Failed | None, reply: Any
    ) -> None:
        if isinstance(reply, AskError | TryAgainError):
            self._send_in_task(key, command, failed)
        elif isinstance(reply, Exception):
            tell = log.debug if is_reported(reply) else log.warning
            tell("send_failed", command=command[0], error=f"{type(reply).__name__}: {reply}")
            _notify(failed)
            if suggests_failover(reply):
                # Direct later commands to the server that has taken over.
                self.refresh_topology_soon()

    def _send_in_task(self, key: str, command: tuple[Argument, ...], failed: Failed | None) -> None:
        task = asyncio.create_task(self._send_with_redirects(key, command, failed))
        self._send_tasks.add(task)
        task.add_done_callback(self._send_tasks.discard)
        task.add_done_callback(check_outcome)

    async def _send_with_redirects(
        self, key: str, command: tuple[Argument, ...], failed: Failed | None
    ) -> None:
        try:
            await self.write(key, *command)
        except UnavailableError as error:
            log.debug("send_failed", command=command[0], error=str(error))
            _notify(failed)

    async def write(self, key: str, *command: Argument) -> Any:
        """Run a command that writes to a key, and return its reply once acknowledged."""
        found = await self._reply_directly(pack(*command))
        return (found or await self.reply(key, *command)).value

    async def reply(
        self, key: str, *command: Argument, generation: int | None = None, reads: bool = False
    ) -> Reply:
        """Send a command with the next batch, and return its reply.

        Redirections are followed for `REDIRECT_TIMEOUT` seconds.

        Args:
            key: the key that selects the server.
            command: the command's name and arguments.
            generation: run the command only on the connection with this generation.
            reads: whether the command has no effect, and can therefore be retried once after a
                failover.

        Raises:
            OtherGenerationError: the connection has another generation; nothing was executed.
        """
        packed = pack(*command)
        if generation is None and (found := await self._reply_directly(packed)) is not None:
            return found
        until = time.monotonic() + REDIRECT_TIMEOUT
        asking = redirected = False
        with raising_unavailable():
            server = await self._servers.owner(key)
            while True:
                pipeline = self._pipeline(server)
                if pipeline.is_full:
                    raise UnavailableError("too many commands are waiting")
                reply = await _try_connect(pipeline)
                known = pipeline.generation
                if reply is None:
                    if generation is not None and not redirected and generation != known:
                        raise OtherGenerationError("The connection has been replaced.")
                    *_, reply = await self._round_trips(pipeline, [*[_ASKING] * asking, packed])
                if isinstance(reply, AskError | TryAgainError) and time.monotonic() < until:
                    # A slot that is being moved loses no writes. One with a new owner (MOVED) may
                    # have lost some in a failover, so the generation still has to match.
                    redirected = redirected or not isinstance(reply, MovedError)
                    if isinstance(reply, TryAgainError):
                        # The command's keys are still split between two servers.
                        await asyncio.sleep(_TRY_AGAIN_DELAY)
                    server, asking = await self._servers.follow(key, reply)
                    continue
                if suggests_failover(reply):
                    await self.refresh_topology(server)
                    if reads and server is not None:
                        # Retry once, on the server that has taken over.
                        reads, asking = False, False
                        server = await self._servers.owner(key)
                        continue
                if isinstance(reply, NoScriptError) and time.monotonic() < until:
                    # Nothing was executed, and the next connection loads the scripts again.
                    continue
                if isinstance(reply, Exception):
                    raise _exception_of(reply)
                return Reply(reply, 0 if redirected else known)

    async def _reply_directly(self, packed: bytes) -> Reply | None:
        """Return the reply of a single Redis like `reply`, if the command can be sent directly.

        Returns:
            `None` if nothing was executed: this is a cluster, or the server is disconnected,
            overloaded or lacks the script.
        """
        single = self._single
        if single is None or not single.is_ready:
            return None
        known = single.generation
        found = await self._round_trip(single, packed)
        if not isinstance(found, Exception):
            return Reply(found, known)
        if isinstance(found, NoScriptError):
            return None
        with raising_unavailable():
            raise _exception_of(found)

    async def read_batched(self, key: str, *command: Argument) -> Any:
        """Run a command that reads a key with the next batch, and return its reply.

        It costs the event loop 11 µs, half of `ask`, but fails whenever writes do. Use it for reads
        that prepare a write.

        Raises:
            UnavailableError: Redis does not answer, or too few replicas have the data.
        """
        return (await self.reply(key, *command, reads=True)).value

    async def read_both(
        self, key: str, one: Sequence[Argument], other: Sequence[Argument]
    ) -> tuple[Reply, Reply]:
        """Run two commands that read a key, like `reply` with `reads`, in one round trip."""
        single = self._single
        if single is not None and single.is_ready:
            known = single.generation
            found = await self._round_trips(single, [pack(*one), pack(*other)])
            if not any(isinstance(each, Exception) for each in found):
                return Reply(found[0], known), Reply(found[1], known)
        return await asyncio.gather(
            self.reply(key, *one, reads=True), self.reply(key, *other, reads=True)
        )

    def read_both_soon(
        self,
        one: Sequence[Argument],
        other: Sequence[Argument],
        done: Callable[[Reply, Reply], None],
        failed: Failed,
    ) -> bool:
        """Run two commands like `read_both` without a task, and return whether that has begun.

        Args:
            one: a command that reads a key.
            other: another one that reads the same key.
            done: called with the replies.
            failed: called if a reply is an error.
        """
        single = self._single
        if single is None or not single.is_ready:
            return False
        known, replies = single.generation, []

        def reply(found: Any) -> None:
            replies.append(found)
            if len(replies) < 2:  # noqa: PLR2004
                return
            if any(isinstance(each, Exception) for each in replies):
                failed()
            else:
                done(Reply(replies[0], known), Reply(replies[1], known))

        single.send(pack(*one), reply)
        single.send(pack(*other), reply)
        return True

    async def write_then_read(
        self, writes: Sequence[Keyed], key: str, *command: Argument
    ) -> tuple[list[Any], Any]:
        """Run commands that write, then one that reads a key, and return their replies.

        On a single Redis they take one round trip. The writes must be idempotent: if the server
        has lost its scripts, they are sent again. All have succeeded or failed before an error is
        raised.
        """
        single = self._single
        if single is not None and single.is_ready:
            packed = [pack(*each) for _, each in writes]
            *written, read = await self._round_trips(single, [*packed, pack(*command)])
            failures = [each for each in (*written, read) if isinstance(each, Exception)]
            if not failures:
                return written, read
            if not any(isinstance(each, NoScriptError) for each in failures):
                with raising_unavailable():
                    raise _exception_of(failures[0])
        written = await asyncio.gather(
            *(self.write(name, *each) for name, each in writes), return_exceptions=True
        )
        for each in written:
            if isinstance(each, BaseException):
                raise each
        return written, await self.read_batched(key, *command)

    def run(self, script: Script, names: list[str], *arguments: Argument) -> Awaitable[Any]:
        """Run a script that writes, and return its reply once acknowledged.

        `names` are its keys, at least one, all in one slot.
        """
        return self.write(names[0], *script.call(names, *arguments))

    async def keep_first(self, key: str, value: str, seconds: int | None = None) -> str:
        """Set a key unless it has a value, and return the value that it then has.

        An existing value is written again, so that the replicas acknowledge it even if another node
        has only just set it. The key expires in `seconds`, unless that is `None`.
        """
        return str(await self.run(_KEEP_FIRST, [key], value, "" if seconds is None else seconds))

    async def ask(self, command: ReadCommand, *names: str) -> list[Any]:
        """Run one read command for each key, and return the replies in the order of the keys.

        The replies may include writes that are not acknowledged yet.

        Raises:
            UnavailableError: a server did not answer.
        """
        reader = self._ready_reader()
        if reader is not None:
            return await self._ask_directly(reader, command, names)
        until = time.monotonic() + REDIRECT_TIMEOUT
        with raising_unavailable():
            found: dict[str, Any] = {}
            remaining: Locations = {
                name: (await self._servers.owner(name), False) for name in names
            }
            retried = False
            while remaining:
                replies = await self._ask_servers(command, remaining)
                if not retried and await self._refresh_if_lost(replies, remaining):
                    # Retry once, on the servers that have taken over.
                    retried = True
                    remaining = {
                        name: (await self._servers.owner(name), False) for name in remaining
                    }
                    continue
                asked, remaining = remaining, {}
                for name in asked:
                    reply = replies[name]
                    if isinstance(reply, AskError | TryAgainError) and time.monotonic() < until:
                        remaining[name] = await self._servers.follow(name, reply)
                    elif isinstance(reply, BaseException):
                        raise reply
                    else:
                        found[name] = reply
                if any(isinstance(replies[name], TryAgainError) for name in remaining):
                    await asyncio.sleep(_TRY_AGAIN_DELAY)
        return [found[name] for name in names]

    def _ready_reader(self) -> Pipeline | None:
        """Return the read connection to a single Redis if it is open, else `None`."""
        reader = self._readers.get("") if self.is_standalone else None
        return reader if reader is not None and reader.is_ready else None

    async def _ask_directly(
        self, reader: Pipeline, command: ReadCommand, names: Sequence[str]
    ) -> list[Any]:
        """Read keys like `ask`, on a server that cannot redirect."""
        client = self._servers.client_of(None)
        with raising_unavailable():
            built = client.pipeline(transaction=False)
            for name in names:
                command(built, name)
            stack = built.command_stack
            replies = await self._round_trips(reader, [pack(*given) for given, _ in stack])
            for reply in replies:
                if isinstance(reply, Exception):
                    raise reply
        return [
            _parsed(client, given[0], reply, options)
            for reply, (given, options) in zip(replies, stack, strict=True)
        ]

    async def ask_script(self, script: Script, key: str, *arguments: str | int) -> Any:
        """Run a script that reads one key, and return its reply.

        Raises:
            UnavailableError: the server did not answer.
        """
        given = list(map(str, arguments))
        reader = self._ready_reader()
        if reader is not None:
            found = await self._round_trip(reader, pack(*script.call([key], *given)))
            if not isinstance(found, Exception):
                return found
            if not isinstance(found, NoScriptError):
                with raising_unavailable():
                    raise found

        def run(redis: ReadPipeline, name: str) -> object:
            return redis.evalsha(script.digest, 1, name, *given)

        try:
            (found,) = await self.ask(run, key)
        except UnavailableError as error:
            if not isinstance(error.__cause__, NoScriptError):
                raise
            # The connection has been dropped, and the next one loads the scripts again.
            (found,) = await self.ask(run, key)
        return found

    async def check(self) -> None:
        """Check that every server has a supported version and evicts nothing.

        Raises:
            UnsuitableError: a server is too old, or drops keys when its memory is full.
        """
        for info in await self.infos("memory"):
            policy = info["maxmemory_policy"]
            if info["maxmemory"] and policy != "noeviction":
                raise UnsuitableError(
                    f"This Redis evicts keys when its memory is full (maxmemory-policy {policy}), "
                    "which would lose games. Set it to noeviction."
                )
        for info in await self.infos("server"):
            # Valkey reports it too: the version of Redis that it is compatible with.
            version = info["redis_version"]
            if tuple(int(part) for part in version.split(".")[:2]) < MIN_VERSION:
                needed = ".".join(map(str, MIN_VERSION))
                raise UnsuitableError(f"This is Redis {version}; {needed} or newer is needed.")

    async def infos(self, section: str) -> list[dict[str, Any]]:
        """Return a section of `INFO` from the server, or from each master of a cluster."""
        with raising_unavailable():
            if not isinstance(self.client, RedisCluster):
                return [await self.client.info(section)]
            await self.client.initialize()
            servers = self.client.get_primaries()
            found: Any = await self.client.info(section, target_nodes=servers)
            return list(found.values())

    async def close(self) -> None:
        """Wait until every command has its reply, then close the connections."""
        # A topology refresh would open connections again.
        self._closing = True
        while self._refresh_tasks or self._send_tasks:
            await asyncio.wait(self._refresh_tasks | self._send_tasks)
        for pipeline in (*self._pipelines.values(), *self._readers.values()):
            await pipeline.close()
        await self._servers.close()
        self.losses.log_entries()

    async def refresh_topology(self, lost: Server = None) -> None:
        """Reload a cluster's topology, querying a `lost` server last."""
        await self._servers.refresh_topology(lost)

    def refresh_topology_soon(self) -> None:
        """Reload a cluster's topology in the background."""
        if not self._servers.is_standalone and not self._refresh_tasks and not self._closing:
            task = asyncio.create_task(self._servers.refresh_topology())
            self._refresh_tasks.add(task)
            task.add_done_callback(self._refresh_tasks.discard)
            task.add_done_callback(check_outcome)

    def _reader(self, server: Server) -> Pipeline:
        """Return the read connection to a server. Reads do not wait for replicas."""
        name = "" if server is None else server.name
        reader = self._readers.get(name)
        if reader is None:
            client, outage = self._servers.client_of(server), self._pipeline(server).outage
            reader = self._readers[name] = Pipeline(client, 0, self.metrics, name, outage)
        return reader

    def _drop_demoted(self) -> None:
        """Drop all connections to a demoted single Redis, so that new ones find the master."""
        # The replicas of a cluster never refuse a command as a replica: they redirect it.
        if self._single is None or not self._single.generation:
            # Another reply of the same batch has already caused this.
            return
        for each in (*self._pipelines.values(), *self._readers.values()):
            each.abort("The server is a replica now.")
        # The pool includes the bus's connection; the bus then subscribes again.
        task = asyncio.create_task(self._servers.client_of(None).connection_pool.disconnect())
        self._send_tasks.add(task)
        task.add_done_callback(self._send_tasks.discard)
        task.add_done_callback(check_outcome)

    def _pipeline(self, server: Server) -> Pipeline:
        name = "" if server is None else server.name
        pipeline = self._pipelines.get(name)
        if pipeline is None:
            client = self._servers.client_of(server)
            pipeline = self._pipelines[name] = Pipeline(
                client, self.acks, self.metrics, name, demoted=self._drop_demoted
            )
        return pipeline

    async def _ask_servers(self, command: ReadCommand, remaining: Locations) -> dict[str, Any]:
        """Run the command for each key, concurrently; return replies or errors by key."""
        by_server: dict[str, list[str]] = {}
        for name, (server, _) in remaining.items():
            by_server.setdefault("" if server is None else server.name, []).append(name)

        async def ask_one(names: list[str]) -> dict[str, Any]:
            server, _ = remaining[names[0]]
            client = self._servers.client_of(server)
            # redis-py only builds the commands and parses the replies. Sending through its
            # connection pool would cost the event loop four times as much.
            built = client.pipeline(transaction=False)
            for name in names:
                if remaining[name][1]:
                    built.execute_command("ASKING")
                command(built, name)
            reader = self._reader(server)
            if reader.is_full:
                return dict.fromkeys(names, UnavailableError("too many commands are waiting"))
            error = await _try_connect(reader)
            if error is not None:
                return dict.fromkeys(names, error)
            sent = [pack(*given) for given, _ in built.command_stack]
            replies = iter(
                [
                    _parsed(client, given[0], reply, options)
                    for reply, (given, options) in zip(
                        await self._round_trips(reader, sent), built.command_stack, strict=True
                    )
                ]
            )
            return {name: _next_reply(replies, asking=remaining[name][1]) for name in names}

        groups = list(by_server.values())
        if len(groups) == 1:
            return await ask_one(groups[0])
        parts = await asyncio.gather(*map(ask_one, groups))
        return {name: reply for part in parts for name, reply in part.items()}

    async def _round_trip(self, pipeline: Pipeline, command: bytes) -> Any:
        """Send a command, and return its reply, which may be an exception."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        pipeline.send(command, partial(self.pacer.call, partial(_settle, future)))
        return await future

    async def _round_trips(self, pipeline: Pipeline, commands: list[bytes]) -> list[Any]:
        """Send commands one after the other, and return their replies, which may be exceptions."""
        if not commands:
            return []
        future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        replies: list[Any] = []

        def done(reply: Any) -> None:
            replies.append(reply)
            if len(replies) == len(commands):
                self.pacer.call(partial(_settle, future), replies)

        for command in commands:
            pipeline.send(command, done)
        return await future

    async def _refresh_if_lost(self, replies: dict[str, Any], remaining: Locations) -> bool:
        """Reload the topology if a server of a cluster was lost, and return whether one was."""
        for name, reply in replies.items():
            server, _ = remaining[name]
            if server is not None and suggests_failover(reply):
                await self.refresh_topology(server)
                return True
        return False


def _next_reply(replies: Iterator[Any], *, asking: bool) -> Any:
    """Return the next reply, skipping the one to ASKING."""
    if asking:
        next(replies)
    return next(replies)


async def _try_connect(pipeline: Pipeline) -> Exception | None:
    """Connect, and return the error on failure."""
    try:
        await pipeline.connect()
    except FAILURES as error:
        return error
    return None


def _notify(failed: Failed | None) -> None:
    if failed is not None:
        failed()


def _exception_of(reply: Exception) -> Exception:
    """Return the exception to raise for an error reply."""
    if isinstance(reply, TooFewReplicasError | NoScriptError):
        return UnavailableError(str(reply))
    return reply


def _settle(future: asyncio.Future[Any], reply: Any) -> None:
    """Pass a reply to its caller, unless that was cancelled."""
    if not future.done():
        future.set_result(reply)


def _parsed(client: Redis, name: str | bytes, reply: Any, options: Mapping[str, Any]) -> Any:
    """Parse a command's reply like redis-py, with these options."""
    parse = client.response_callbacks.get(name)
    if parse is None or isinstance(reply, Exception):
        return reply
    return parse(reply, **{key: each for key, each in options.items() if key != "keys"})
