"""Redis as the rest of the store uses it: reads go straight to it, writes through here.

Writes that gather while a pipeline is in flight go out together in the next one, and one pipeline
at a time is in flight to each server (group commit). A write is answered when it stands: on its
server, and on as many replicas as the operator asks for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode, PipelineCommand
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    ResponseError,
    TryAgainError,
)

from server.core.refusal import UnavailableError, UnsuitableError
from server.store.connection import FAILURES, Client, answering, owner_of

OLDEST: Final = (6, 2)
"""The oldest version of Redis that will do."""

OLDEST_CLUSTER: Final = (7, 0)
"""The oldest version of a cluster that will do: the first with sharded pub/sub."""

MOST_WAITING: Final = 10_000
"""Writes that may wait for the pipelines; one more is refused as unavailable."""

MOST_AT_ONCE: Final = 1_000
"""Writes of one pipeline."""

PATIENCE: Final = 5.0
"""Seconds for which a write follows its slot from server to server."""

ACKNOWLEDGED_WITHIN: Final = 2.0
"""Seconds for the replicas to say that they have what was written."""

_AGAIN_AFTER = 0.02
_KEEP_FIRST = """
local kept = redis.call('GET', KEYS[1]) or ARGV[1]
redis.call('SET', KEYS[1], kept)
if ARGV[2] ~= '' then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return kept
"""

Argument = str | int

log = structlog.get_logger()


@dataclass(slots=True)
class _Write:
    """A command that waits to be sent, or for its answer.

    Attributes:
        until: when it gives up following its slot, by the monotonic clock.
        asking: whether its server takes it only when told that it was sent there.
    """

    key: str
    command: tuple[Argument, ...]
    future: asyncio.Future[Any]
    until: float
    asking: bool = False


@dataclass(slots=True)
class _Lane:
    """The writes that wait for one server. `server` is `None` outside of a cluster."""

    server: ClusterNode | None
    waiting: deque[_Write] = field(default_factory=deque)


class Database:
    """One Redis, or a Redis Cluster.

    Attributes:
        client: what reads.
        acks: how many replicas must have a write before it counts as standing.
    """

    def __init__(self, client: Client, acks: int = 0) -> None:
        self.client = client
        self.acks = acks
        self._lanes: dict[str, _Lane] = {}
        self._writers: set[asyncio.Task[None]] = set()
        self._waiting = 0

    async def write(self, key: str, *command: Argument) -> Any:
        """Run a command that writes to a key, and return its answer; then it stands.

        Raises:
            UnavailableError: it is not known whether it stands.
        """
        if self._waiting >= MOST_WAITING:
            raise UnavailableError("too many writes are waiting")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting += 1
        try:
            with answering():
                server = await self._server_of(key)
            until = time.monotonic() + PATIENCE
            self._queue(server, _Write(key, command, future, until))
            return await future
        finally:
            self._waiting -= 1

    async def run(self, script: str, names: list[str], *arguments: Argument) -> Any:
        """Run a script that writes to keys of one slot, and return its answer; then it stands.

        Raises:
            UnavailableError: it is not known whether it stands.
        """
        return await self.write(names[0], "EVAL", script, len(names), *names, *arguments)

    async def keep_first(self, key: str, value: str, seconds: int | None = None) -> str:
        """Keep a value under a key unless there is one, and return the one that is kept.

        It is written again in any case: what another node has written a moment ago stands on
        the replicas as well when this returns. `seconds` is how long it is kept from now on.

        Raises:
            UnavailableError: it is not known whether it stands.
        """
        return str(await self.run(_KEEP_FIRST, [key], value, "" if seconds is None else seconds))

    async def check(self) -> None:
        """Return if this Redis can do what is asked of it.

        Raises:
            UnsuitableError: it cannot.
            UnavailableError: it does not answer.
        """
        oldest = OLDEST
        with answering():
            if isinstance(self.client, RedisCluster):
                oldest = OLDEST_CLUSTER
                await self.client.initialize()
                servers = self.client.get_primaries()
                infos: Any = await self.client.info("server", target_nodes=servers)
                versions = [info["redis_version"] for info in infos.values()]
            else:
                versions = [(await self.client.info("server"))["redis_version"]]
        for version in versions:
            if tuple(int(part) for part in version.split(".")[:2]) < oldest:
                needed = ".".join(map(str, oldest))
                raise UnsuitableError(f"This is Redis {version}; {needed} or newer is needed.")

    async def close(self) -> None:
        """Wait until everything that was to be written is answered, and close the connections."""
        while self._writers:
            await asyncio.wait(self._writers)
        await self.client.aclose()

    async def _server_of(self, key: str) -> ClusterNode | None:
        """Return the server of a cluster that owns a key, as far as is known here."""
        if not isinstance(self.client, RedisCluster):
            return None
        await self.client.initialize()
        return owner_of(self.client, key)

    def _queue(self, server: ClusterNode | None, write: _Write) -> None:
        """Let a write wait for a server."""
        name = "" if server is None else server.name
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = _Lane(server)
            writer = asyncio.create_task(self._drain(name, lane))
            self._writers.add(writer)
            writer.add_done_callback(self._writers.discard)
        lane.waiting.append(write)

    async def _drain(self, name: str, lane: _Lane) -> None:
        """Send what waits for a server, until nothing does."""
        while lane.waiting:
            count = min(len(lane.waiting), MOST_AT_ONCE)
            batch = [lane.waiting.popleft() for _ in range(count)]
            try:
                await self._commit(lane.server, batch)
            except Exception as error:
                # Whatever it was, those who wait must hear of it.
                log.exception("writes_broken")
                _fail(batch, f"{type(error).__name__}: {error}")
        del self._lanes[name]

    async def _commit(self, server: ClusterNode | None, batch: list[_Write]) -> None:
        """Send a batch as one pipeline, and answer everyone in it."""
        commands: list[tuple[Argument, ...]] = []
        for write in batch:
            if write.asking:
                commands.append(("ASKING",))
            commands.append(write.command)
        if self.acks:
            commands.append(("WAIT", self.acks, int(ACKNOWLEDGED_WITHIN * 1000)))
        try:
            answers = await self._send(server, commands)
        except FAILURES as error:
            answers = [error] * len(commands)
        acknowledged = answers.pop() if self.acks else 0
        # What ASKING is answered says nothing.
        answers = [a for a, c in zip(answers, commands, strict=False) if c != ("ASKING",)]
        moved: list[tuple[_Write, AskError | TryAgainError]] = []
        for write, answer in zip(batch, answers, strict=True):
            if isinstance(answer, AskError | TryAgainError) and time.monotonic() < write.until:
                moved.append((write, answer))
            elif isinstance(answer, BaseException):
                _fail([write], f"{type(answer).__name__}: {answer}")
            elif not isinstance(acknowledged, int) or acknowledged < self.acks:
                _fail([write], f"{acknowledged} replicas have it instead of {self.acks}")
            elif not write.future.done():
                write.future.set_result(answer)
        if server is not None:
            if any(_is_loss(answer) for answer in answers):
                await self._look_around()
            await self._follow(moved)

    async def _send(
        self, server: ClusterNode | None, commands: list[tuple[Argument, ...]]
    ) -> list[Any]:
        """Send commands on one connection, and return their answers or what is wrong with them."""
        if server is not None:
            sent = [PipelineCommand(number, *each) for number, each in enumerate(commands)]
            await server.execute_pipeline(sent)
            return [each.result for each in sent]
        assert isinstance(self.client, Redis)
        async with self.client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            return list(await pipeline.execute(raise_on_error=False))

    async def _follow(self, moved: list[tuple[_Write, AskError | TryAgainError]]) -> None:
        """Send writes after their slots, which are on the way to another server or there."""
        assert isinstance(self.client, RedisCluster)
        if any(isinstance(error, TryAgainError) for _, error in moved):
            # Some of its keys are here and some there: soon they are all there.
            await asyncio.sleep(_AGAIN_AFTER)
        for write, error in moved:
            try:
                if isinstance(error, MovedError):
                    await self.client.nodes_manager.move_slot(error)
                write.asking = isinstance(error, AskError) and not isinstance(error, MovedError)
                server = (
                    self.client.get_node(error.host, error.port)
                    if isinstance(error, AskError)
                    else owner_of(self.client, write.key)
                )
            except FAILURES as failure:
                _fail([write], f"{type(failure).__name__}: {failure}")
                continue
            if server is None:
                # It has joined a moment ago.
                await self._look_around()
                server = owner_of(self.client, write.key)
                write.asking = False
            self._queue(server, write)

    async def _look_around(self) -> None:
        """Ask the cluster anew which server owns what."""
        assert isinstance(self.client, RedisCluster)
        try:
            await self.client.nodes_manager.initialize()
        except FAILURES as error:
            log.warning("cluster_unseen", error=f"{type(error).__name__}: {error}")


def _is_loss(answer: object) -> bool:
    """Return whether an answer is that there was none, or that the cluster is not whole."""
    if isinstance(answer, ResponseError):
        return isinstance(answer, ClusterDownError)
    return isinstance(answer, BaseException)


def _fail(writes: list[_Write], reason: str) -> None:
    """Tell those who wait that it is not known what stands."""
    for write in writes:
        if not write.future.done():
            write.future.set_exception(UnavailableError(reason))
