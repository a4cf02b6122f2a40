"""Redis as the rest of the store uses it: what is asked of it, and what is written to it.

Writes go out in batches, one in flight to each server (`server/store/pipeline.py`), and are
answered when they stand: on their server, and on as many replicas as the operator asks for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog
from redis.asyncio import RedisCluster
from redis.asyncio.client import Pipeline as Questions
from redis.exceptions import AskError, MovedError, NoScriptError, TryAgainError

from server.core.refusal import UnavailableError, UnsuitableError
from server.metrics import Metrics
from server.store.connection import FAILURES, Client, raising_unavailable
from server.store.pipeline import Argument, Pipeline, TooFewReplicasError, pack
from server.store.servers import Server, Servers, suggests_failover

OLDEST: Final = (6, 2)
"""The oldest version of Redis that will do."""

OLDEST_CLUSTER: Final = (7, 0)
"""The oldest version of a cluster that will do: the first with sharded pub/sub."""

PATIENCE: Final = 5.0
"""Seconds for which a write follows its slot from server to server."""

_AGAIN_AFTER = 0.02
_KEEP_FIRST = """
local kept = redis.call('GET', KEYS[1]) or ARGV[1]
redis.call('SET', KEYS[1], kept)
if ARGV[2] ~= '' then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return kept
"""

Failed = Callable[[], None]
"""Called when it is not known whether a command was run that nobody waits for."""

Question = Callable[[Questions, str], object]
"""Puts a question about a key into a pipeline."""

Places = dict[str, tuple[Server, bool]]
"""Where keys are, and whether that server must be told that it was sent there."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that could be had, and where from.

    Attributes:
        generation: of the connection that it came by; 0 if the key's slot was on its way from one
            server to another, and what was read is not to be trusted for longer.
    """

    value: Any
    generation: int


class OtherGenerationError(Exception):
    """The connection is another one than that on which something was decided."""


class Database:
    """One Redis, or a Redis Cluster.

    Attributes:
        client: what is asked which servers there are.
        acks: how many replicas must have a write before it counts as standing.
        metrics: the numbers of the node.
        is_standalone: whether this is one Redis and no cluster.
    """

    def __init__(
        self,
        client: Client,
        acks: int = 0,
        scripts: dict[str, str] | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.client = client
        self.acks = acks
        self.metrics = Metrics() if metrics is None else metrics
        self.metrics.queues["redis"] = lambda: self.waiting
        self._servers = Servers(client)
        self._scripts = scripts or {}
        self._pipelines: dict[str, Pipeline] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._sending: set[asyncio.Task[None]] = set()
        self._only = self._pipeline(None) if self._servers.is_standalone else None
        self.is_standalone = self._only is not None

    @property
    def waiting(self) -> int:
        """How many commands of all pipelines are not answered yet."""
        return sum(pipeline.waiting for pipeline in self._pipelines.values())

    def pipeline_of(self, key: str) -> Pipeline | None:
        """Return the pipeline to the server that owns a key; `None` before it is known which."""
        if self._only is not None:
            return self._only
        server = self._servers.known_owner(key)
        return None if server is None else self._pipeline(server)

    def generation(self, key: str) -> int:
        """Return the generation of the connection to a key's server, or 0 without a connection."""
        pipeline = self.pipeline_of(key)
        return 0 if pipeline is None else pipeline.generation

    def send(self, key: str, *command: Argument, failed: Failed | None = None) -> None:
        """Run a command that concerns a key without waiting: that it failed is logged.

        It takes a task of its own only if its server is not known, or is another one by now.
        `failed` is called if it is not known to have been run.
        """
        pipeline = self.pipeline_of(key)
        if self._closing:
            _call(failed)
        elif pipeline is None:
            self._send_later(key, command, failed)
        elif pipeline.is_full:
            log.warning("send_lost", command=command[0])
            _call(failed)
        else:
            pipeline.send(pack(*command), partial(self._sent_alone, key, command, failed))

    def _sent_alone(
        self, key: str, command: tuple[Argument, ...], failed: Failed | None, reply: Any
    ) -> None:
        if isinstance(reply, AskError | TryAgainError):
            self._send_later(key, command, failed)
        elif isinstance(reply, Exception):
            log.warning("send_failed", error=f"{type(reply).__name__}: {reply}")
            _call(failed)
            if suggests_failover(reply):
                # What is sent next is to reach whoever has taken over.
                self.refresh_topology_soon()

    def _send_later(self, key: str, command: tuple[Argument, ...], failed: Failed | None) -> None:
        task = asyncio.create_task(self._follow_alone(key, command, failed))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _follow_alone(
        self, key: str, command: tuple[Argument, ...], failed: Failed | None
    ) -> None:
        try:
            await self.write(key, *command)
        except UnavailableError as error:
            log.warning("send_failed", error=str(error))
            _call(failed)

    async def write(self, key: str, *command: Argument) -> Any:
        """Run a command that writes to a key, and return its answer; then it stands.

        Raises:
            UnavailableError: it is not known whether it stands.
        """
        return (await self.reply(key, *command)).value

    async def reply(
        self, key: str, *command: Argument, generation: int | None = None, reads: bool = False
    ) -> Reply:
        """Run a command that concerns a key in the next batch, and return its reply.

        It follows the key's slot from server to server for a while. With a `generation` it is run
        only if the connection is still that one. A command that only `reads` is sent again to
        whoever has taken over from a server that was lost.

        Raises:
            OtherGenerationError: it is not, and nothing was run.
            UnavailableError: it is not known whether it was carried out.
        """
        packed = pack(*command)
        until = time.monotonic() + PATIENCE
        asking = redirected = False
        with raising_unavailable():
            server = await self._servers.owner(key)
            while True:
                pipeline = self._pipeline(server)
                if pipeline.is_full:
                    raise UnavailableError("too many writes are waiting")
                found = await _failure_to_connect(pipeline)
                known = pipeline.generation
                if found is None:
                    if generation is not None and not redirected and generation != known:
                        raise OtherGenerationError("The connection is another one.")
                    found = await _sent(pipeline, packed, asking=asking)
                if isinstance(found, AskError | TryAgainError) and time.monotonic() < until:
                    # A slot on its way has lost nothing. One that is elsewhere may have: its old
                    # owner may have been given up.
                    redirected = redirected or not isinstance(found, MovedError)
                    if isinstance(found, TryAgainError):
                        # Some of its keys are here and some there: soon they are all there.
                        await asyncio.sleep(_AGAIN_AFTER)
                    server, asking = await self._servers.follow(key, found)
                    continue
                if suggests_failover(found):
                    await self.refresh_topology(server)
                    if reads and server is not None:
                        # Whoever has taken over is asked once.
                        reads, asking = False, False
                        server = await self._servers.owner(key)
                        continue
                if isinstance(found, TooFewReplicasError | NoScriptError):
                    raise UnavailableError(str(found))
                if isinstance(found, Exception):
                    raise found
                return Reply(found, 0 if redirected else known)

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
        with raising_unavailable():
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
        with raising_unavailable():
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
        # What is lost from here on is not looked for: that would open connections again.
        self._closing = True
        while self._tasks or self._sending:
            await asyncio.wait(self._tasks | self._sending)
        for pipeline in self._pipelines.values():
            await pipeline.close()
        await self._servers.close()

    async def refresh_topology(self, lost: Server = None) -> None:
        """Ask a cluster anew which server owns what; one that was lost is asked last."""
        await self._servers.refresh_topology(lost)

    def refresh_topology_soon(self) -> None:
        """Ask a cluster anew which server owns what, without waiting for it."""
        if not self._servers.is_standalone and not self._tasks and not self._closing:
            task = asyncio.create_task(self._servers.refresh_topology())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _pipeline(self, server: Server) -> Pipeline:
        name = "" if server is None else server.name
        pipeline = self._pipelines.get(name)
        if pipeline is None:
            client = self._servers.client_of(server)
            pipeline = self._pipelines[name] = Pipeline(
                client, self.acks, self._scripts, self.metrics
            )
        return pipeline

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
            if server is not None and suggests_failover(answer):
                await self.refresh_topology(server)
                return True
        return False


def _next(found: Iterator[Any], *, asking: bool) -> Any:
    """Return the next answer; what ASKING is answered says nothing."""
    if asking:
        next(found)
    return next(found)


async def _failure_to_connect(pipeline: Pipeline) -> Exception | None:
    """Connect; return what is wrong if that cannot be."""
    try:
        await pipeline.connect()
    except FAILURES as error:
        return error
    return None


def _call(failed: Failed | None) -> None:
    if failed is not None:
        failed()


async def _sent(pipeline: Pipeline, command: bytes, *, asking: bool) -> Any:
    """Return the reply to a command, or the exception that stands for it."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def done(reply: Any) -> None:
        if not future.done():
            future.set_result(reply)

    if asking:
        pipeline.send(pack("ASKING"), _ignore)
    pipeline.send(command, done)
    return await future


def _ignore(_: Any) -> None:
    """Do nothing: what ASKING is answered says nothing."""
