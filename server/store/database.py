"""Redis as the rest of the store uses it: what is asked of it, and what is written to it.

Writes that gather while a pipeline is in flight go out together in the next one, and one pipeline
at a time is in flight to each server (group commit). A write is answered when it stands: on its
server, and on as many replicas as the operator asks for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from redis.asyncio import RedisCluster
from redis.asyncio.client import Pipeline
from redis.exceptions import AskError, TryAgainError

from server.core.refusal import UnavailableError, UnsuitableError
from server.store.connection import FAILURES, Client, answering
from server.store.servers import Elsewhere, Server, Servers, is_loss

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

Argument = str | int | bytes

Question = Callable[[Pipeline, str], object]
"""Puts a question about a key into a pipeline."""

Places = dict[str, tuple[Server, bool]]
"""Where keys are, and whether that server must be told that it was sent there."""

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
    """The writes that wait for one server."""

    server: Server
    waiting: deque[_Write] = field(default_factory=deque)


class Database:
    """One Redis, or a Redis Cluster.

    Attributes:
        client: what is asked which servers there are.
        acks: how many replicas must have a write before it counts as standing.
    """

    def __init__(self, client: Client, acks: int = 0) -> None:
        self.client = client
        self.acks = acks
        self._servers = Servers(client)
        self._lanes: dict[str, _Lane] = {}
        self._writers: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._sending: set[asyncio.Task[None]] = set()

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
                server = await self._servers.owner(key)
            until = time.monotonic() + PATIENCE
            self._queue(server, _Write(key, command, future, until))
            return await future
        finally:
            self._waiting -= 1

    def send(self, key: str, *command: Argument) -> None:
        """Run a command that concerns a key without waiting: that it failed is logged."""
        task = asyncio.create_task(self._send_alone(key, *command))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send_alone(self, key: str, *command: Argument) -> None:
        try:
            await self.write(key, *command)
        except UnavailableError as error:
            log.warning("send_lost", command=command[0], error=str(error))

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

    async def ask(self, question: Question, *names: str) -> list[Any]:
        """Ask something about each of some keys, and return the answers in their order.

        They tell what is written at this instant; it need not stand yet.

        Raises:
            UnavailableError: there is no answer.
        """
        until = time.monotonic() + PATIENCE
        with answering():
            answers: dict[str, Any] = {}
            left: Places = {name: (await self._servers.owner(name), False) for name in names}
            looked = False
            while left:
                found = await self._ask(question, left)
                if not looked and await self._is_lost(found, left):
                    # Whoever has taken over is asked once.
                    looked = True
                    left = {name: (await self._servers.owner(name), False) for name in left}
                    continue
                asked, left = left, {}
                for name in asked:
                    answer = found[name]
                    if isinstance(answer, AskError | TryAgainError) and time.monotonic() < until:
                        left[name] = await self._servers.follow(name, answer)
                    elif isinstance(answer, BaseException):
                        raise answer
                    else:
                        answers[name] = answer
                if any(isinstance(found[name], TryAgainError) for name in left):
                    await asyncio.sleep(_AGAIN_AFTER)
        return [answers[name] for name in names]

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
        while self._writers or self._sending:
            await asyncio.wait(self._writers | self._sending)
        await self._servers.close()

    async def look_around(self, lost: Server = None) -> None:
        """Ask a cluster anew which server owns what; one that was lost is asked last."""
        await self._servers.look_around(lost)
        if lost is None or lost.name not in self._lanes:
            return
        # What waits for a server that another one has taken over from waits no longer.
        lane = self._lanes[lost.name]
        waiting, lane.waiting = lane.waiting, deque()
        for write in waiting:
            write.asking = False
            try:
                self._queue(await self._servers.owner(write.key), write)
            except FAILURES as error:
                _fail([write], error)

    def _queue(self, server: Server, write: _Write) -> None:
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
                _fail(batch, error)
        del self._lanes[name]

    async def _commit(self, server: Server, batch: list[_Write]) -> None:
        """Send a batch as one pipeline, and answer everyone in it."""
        answers, acknowledged = await self._send(server, batch)
        moved: list[tuple[_Write, Elsewhere]] = []
        for write, answer in zip(batch, answers, strict=True):
            if isinstance(answer, AskError | TryAgainError) and time.monotonic() < write.until:
                moved.append((write, answer))
            elif isinstance(answer, BaseException):
                _fail([write], answer)
            elif not isinstance(acknowledged, int) or acknowledged < self.acks:
                _fail([write], f"{acknowledged} replicas have it instead of {self.acks}")
            elif not write.future.done():
                write.future.set_result(answer)
        if any(is_loss(answer) for answer in answers):
            await self.look_around(server)
        if any(isinstance(error, TryAgainError) for _, error in moved):
            # Some of its keys are here and some there: soon they are all there.
            await asyncio.sleep(_AGAIN_AFTER)
        for write, error in moved:
            try:
                target, write.asking = await self._servers.follow(write.key, error)
            except FAILURES as failure:
                _fail([write], failure)
            else:
                self._queue(target, write)

    async def _send(self, server: Server, batch: list[_Write]) -> tuple[list[Any], object]:
        """Return what each of a batch is answered, and how many replicas have it all."""
        try:
            async with self._servers.client_of(server).pipeline(transaction=False) as pipeline:
                for write in batch:
                    if write.asking:
                        pipeline.execute_command("ASKING")
                    pipeline.execute_command(*write.command)
                if self.acks:
                    pipeline.execute_command("WAIT", self.acks, int(ACKNOWLEDGED_WITHIN * 1000))
                found = iter(await pipeline.execute(raise_on_error=False))
        except FAILURES as error:
            return [error] * len(batch), 0
        answers = [_next(found, asking=write.asking) for write in batch]
        return answers, next(found) if self.acks else 0

    async def _ask(self, question: Question, left: Places) -> dict[str, Any]:
        """Ask each server about its keys; return the answers, or what is wrong, by key."""
        by_server: dict[str, list[str]] = {}
        for name, (server, _) in left.items():
            by_server.setdefault("" if server is None else server.name, []).append(name)

        async def ask_one(names: list[str]) -> dict[str, Any]:
            server, _ = left[names[0]]
            try:
                async with self._servers.client_of(server).pipeline(transaction=False) as pipeline:
                    for name in names:
                        if left[name][1]:
                            pipeline.execute_command("ASKING")
                        question(pipeline, name)
                    found = iter(await pipeline.execute(raise_on_error=False))
            except FAILURES as error:
                return dict.fromkeys(names, error)
            return {name: _next(found, asking=left[name][1]) for name in names}

        parts = await asyncio.gather(*(ask_one(names) for names in by_server.values()))
        return {name: answer for part in parts for name, answer in part.items()}

    async def _is_lost(self, found: dict[str, Any], left: Places) -> bool:
        """Return whether a server of a cluster is lost, having looked who takes its place."""
        for name, answer in found.items():
            server, _ = left[name]
            if server is not None and is_loss(answer):
                await self.look_around(server)
                return True
        return False


def _next(found: Iterator[Any], *, asking: bool) -> Any:
    """Return the next answer; what ASKING is answered says nothing."""
    if asking:
        next(found)
    return next(found)


def _fail(writes: list[_Write], reason: str | BaseException) -> None:
    """Tell those who wait that it is not known what stands."""
    if isinstance(reason, BaseException):
        reason = f"{type(reason).__name__}: {reason}"
    for write in writes:
        if not write.future.done():
            write.future.set_exception(UnavailableError(reason))
