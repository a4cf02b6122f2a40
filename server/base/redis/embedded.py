"""The embedded Redis: a private server that runs as long as this process, and is kept running.

It listens only on a unix socket in the data directory, and appends every write to a file there. A
guard (`guard.py`) between it and this process ends it when this process ends, however that happens.
Two locks keep the directory to one node, and to one server: of the second, the server and its guard
hold copies, so that the next one waits until the last one is gone.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from server.base.redis import append_only, guard
from server.base.redis.programs import EmbeddedServerError, Program, at_hand, log_program
from server.base.redis.written_by import note_writer, program_for
from server.base.work.background import hear

START_TIMEOUT = 30.0
"""Seconds in which a server must answer, if only that it is loading its file, or must have stopped.
Loading may take as long as it takes."""

TELL_LOADING_EVERY = 5.0
"""Seconds between two lines of the log that say how much of its file a server has loaded."""

STABLE_AFTER = 30.0
"""A server that dies after running for this many seconds is started again without a pause."""

FIRST_PAUSE, MAX_PAUSE = 0.25, 30.0
"""The pause in seconds before one is started again that has died before; doubled each time, and the
longest one."""

STREAM_NODE = 768
"""Bytes of a node of a stream, `stream-node-max-bytes`. Redis allocates a whole one for the first
entry: with its default of 4,096, a journal of one entry takes 4.4 KB, and with this 1.1; one of
100 entries takes an eighth less, and one of 300 as much. With 512, long ones would take more."""

PACKED_VALUE = 128
"""Bytes of the longest value of a hash that is stored packed, `hash-max-ziplist-value` (which newer
servers call `hash-max-listpack-value`, and know by both names): the sealed seed of a deal is longer
than Redis's default of 64, and made each deal take 790 bytes in place of 380."""

MEMORY_SHARE = 0.5
"""Share of the memory there is that the server may take: while it rewrites its file, a copy of it
shares the memory with it, and what is written meanwhile is there twice."""

LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where a container reads how many bytes of memory it may take, with control groups of version 2
and of version 1. If that is not limited, it is a word, or more than any machine has."""

SOCKET = "redis.sock"
"""The server's socket, in the data directory."""

_LOG = "redis.log"
_MAX_SOCKET_PATH = 100
"""Longest path of a unix socket, in bytes, that every system supports."""

log = structlog.get_logger()


class DataInUseError(EmbeddedServerError):
    """Another process runs a server on this data."""


@asynccontextmanager
async def embedded_redis(data: Path, memory: int | None = None) -> AsyncIterator[Path]:
    """Run a server on the files in the directory `data`, and yield its socket, for `connect`.

    If it dies, it is started again; whether it answers is for the caller to find out. One that
    cannot be started again is tried again for ever, with growing pauses, and each failure logged.

    Args:
        data: the directory.
        memory: bytes that it may take, 0 for no limit; `default_memory` if `None`.

    Raises:
        DataInUseError: another process uses the directory.
        EmbeddedServerError: there is no server that can read the data, it does not start, the data
            are damaged, the directory is somebody else's, or its path is too long.
    """
    with _lock_in(data) as lock:
        data = data.resolve()
        if len(os.fsencode(data / SOCKET)) > _MAX_SOCKET_PATH:
            raise EmbeddedServerError(f"The path of the data directory is too long: {data}")
        if not _is_locked_by_us(lock):
            raise DataInUseError(f"Another server uses the data in {data}.")
        server = _Server(data, default_memory() if memory is None else memory)
        await server.start()
        supervision = asyncio.create_task(server.supervise(), name="embedded_redis")
        supervision.add_done_callback(hear)
        try:
            yield server.socket
        finally:
            supervision.cancel()
            await asyncio.gather(supervision, return_exceptions=True)
            await server.end()


@asynccontextmanager
async def shared_redis(data: Path) -> AsyncIterator[Path]:
    """Yield the socket of the server on `data`: the one that runs, or one for this block.

    While it is one for this block, no other server can be started on the directory.

    Raises:
        EmbeddedServerError: there is no such directory, the server that uses it does not answer,
            or as for `embedded_redis`.
    """
    if not data.is_dir():
        raise EmbeddedServerError(f"There is no data in {data}.")
    async with AsyncExitStack() as stack:
        try:
            # What is there has to fit, whatever its own node was told.
            socket = await stack.enter_async_context(embedded_redis(data, memory=0))
        except DataInUseError:
            socket = data.resolve() / SOCKET
            try:
                await _until_loaded(socket)
            except TimeoutError as error:
                raise EmbeddedServerError(f"The server on {data} does not answer.") from error
        yield socket


def default_memory(limits: Sequence[Path] = LIMITS) -> int:
    """Return how many bytes the server may take unless something else is said.

    Args:
        limits: files of which each may hold a limit that is lower than what the machine has.
    """
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in limits:
        with suppress(OSError, ValueError):
            there = min(there, int(file.read_text()))
    return int(there * MEMORY_SHARE)


class _Server:
    """The server on a directory that this process has locked.

    Attributes:
        socket: where it listens.
    """

    def __init__(self, data: Path, memory: int) -> None:
        self._data = data
        self._memory = memory
        self._guard: Process | None = None
        self._since = 0.0
        self.socket = data / SOCKET

    async def start(self) -> None:
        """Start it, once the last one is gone, and wait until it has loaded its file.

        Raises:
            EmbeddedServerError: as for `embedded_redis`.
        """
        with (self._data / "redis.lock").open("w") as lock:
            await self._wait_for_last_one(lock)
            self.socket.unlink(missing_ok=True)
            program = await asyncio.to_thread(self._prepare)
            self._guard = await self._run(program, lock)
        self._since = time.monotonic()
        try:
            await self._wait_until_ready(self._guard, program)
            await asyncio.to_thread(note_writer, self._data, program)
        except BaseException:
            await self.end()
            raise

    async def supervise(self) -> None:
        """Start it again whenever it dies, until this is cancelled."""
        pause = 0.0
        while True:
            if self._guard is not None:
                code = await self._guard.wait()
                self._guard = None
                stable = time.monotonic() - self._since > STABLE_AFTER
                pause = 0.0 if stable else _longer(pause)
                log.error("embedded_redis_died", **_how_it_ended(code), pause=pause)
            await asyncio.sleep(pause)
            try:
                await self.start()
            except Exception as error:
                # Whatever it was, moves are refused until there is a server again.
                pause = _longer(pause)
                known = isinstance(error, EmbeddedServerError | OSError)
                trace = None if known else error
                log.error(  # noqa: TRY400 - a traceback only of what is not expected
                    "embedded_redis_not_started", error=str(error), pause=pause, exc_info=trace
                )
            else:
                log.warning("embedded_redis_restarted")

    async def end(self) -> None:
        """Let it write its file and end, and wait for that."""
        if self._guard is not None:
            assert self._guard.stdin is not None, "it is a pipe"
            self._guard.stdin.close()
            await self._guard.wait()
            self._guard = None

    def _prepare(self) -> Program:
        """Choose the program, and repair the files if need be; in a thread, as it may take long."""
        program = program_for(self._data, at_hand())
        log_program(program)
        append_only.cut_off_nulls(self._data)
        return program

    async def _run(self, program: Program, lock: IO[str]) -> Process:
        """Run a server in a session of its own, so that Ctrl-C does not stop it before us.

        It inherits the lock. All its paths are relative, so that no name of a directory can be
        taken for something else.
        """
        options = {
            "port": "0",
            "unixsocket": SOCKET,
            "unixsocketperm": "700",
            "dir": ".",
            "appendonly": "yes",
            # With `everysec`, what is acknowledged while the disk is busy is lost if it is killed.
            "appendfsync": "always",
            "save": "",
            "maxmemory": str(self._memory),
            "maxmemory-policy": "noeviction",
            "stream-node-max-bytes": str(STREAM_NODE),
            "hash-max-ziplist-value": str(PACKED_VALUE),
            "logfile": _LOG,
            "daemonize": "no",
        }
        arguments = [text for key, value in options.items() for text in (f"--{key}", value)]
        guarding = [sys.executable, "-I", "-S", guard.__file__, program.path]
        return await asyncio.create_subprocess_exec(
            *guarding,
            *arguments,
            stdin=PIPE,
            stdout=DEVNULL,
            stderr=DEVNULL,
            cwd=self._data,
            start_new_session=True,
            pass_fds=(lock.fileno(),),
        )

    async def _wait_until_ready(self, guarding: Process, program: Program) -> None:
        loaded = asyncio.create_task(_until_loaded(self.socket))
        ended = asyncio.create_task(guarding.wait())
        try:
            await asyncio.wait({loaded, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not loaded.done():
                damage = await asyncio.to_thread(append_only.damage, self._data)
                said = f"{program} exited before it was ready; {self._data / _LOG} says why."
                raise EmbeddedServerError(damage or said)
            await loaded
        except TimeoutError as error:
            said = f"{program} did not answer; {self._data / _LOG} says why."
            raise EmbeddedServerError(said) from error
        finally:
            loaded.cancel()
            ended.cancel()
            await asyncio.gather(loaded, ended, return_exceptions=True)

    async def _wait_for_last_one(self, lock: IO[str]) -> None:
        """Wait until no server of an earlier run is left; end one that has lost its guard, too."""
        try:
            async with asyncio.timeout(START_TIMEOUT):
                while not _is_locked_by_us(lock):
                    await self._ask_to_end()
                    await asyncio.sleep(0.02)
        except TimeoutError as error:
            raise EmbeddedServerError("The redis-server of the last run does not stop.") from error

    async def _ask_to_end(self) -> None:
        redis = _client(self.socket, START_TIMEOUT)
        try:
            # One that is ending does not answer any more.
            with suppress(RedisError, OSError):
                await redis.shutdown(save=False, nosave=True)
        finally:
            await redis.aclose()


def _longer(pause: float) -> float:
    return min(MAX_PAUSE, pause * 2 or FIRST_PAUSE)


def _how_it_ended(code: int) -> dict[str, object]:
    """Return the exit code of a server, or the signal that ended it, from that of its guard."""
    number = -code if code < 0 else code - 128
    try:
        return {"signal": signal.Signals(number).name}
    except ValueError:
        return {"code": code}


def _lock_in(data: Path) -> IO[str]:
    """Make the data directory if there is none, and open the file in it that nodes lock.

    Raises:
        EmbeddedServerError: this user may not write there.
    """
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        return (data / "lock").open("w")
    except PermissionError as error:
        user = os.geteuid()
        raise EmbeddedServerError(
            f"The user {user} may not write to the data directory {data}. Give it to that user "
            f"(chown -R {user} {data}), or choose another one by SAMEDEAL_DATA or --data."
        ) from error


def _is_locked_by_us(lock: IO[str]) -> bool:
    """Return whether nobody else has locked a file; then this process has."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _client(socket: Path, timeout: float) -> Redis:
    """Return a client that does not retry. `timeout` is in seconds."""
    return Redis(
        unix_socket_path=str(socket),
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
    )


async def _until_loaded(socket: Path) -> None:
    """Wait until the server on a socket has loaded its file, and tell how far it is.

    Raises:
        TimeoutError: it has not answered at all for `START_TIMEOUT` seconds.
    """
    begun = answered = told = time.monotonic()
    while (found := await _persistence(socket)) is None or found["loading"]:
        now = time.monotonic()
        if found is None:
            if now - answered > START_TIMEOUT:
                raise TimeoutError
        else:
            answered = now
            if now - told >= TELL_LOADING_EVERY:
                told = now
                percent = round(float(found["loading_loaded_perc"]))
                log.info("embedded_redis_loading", percent=percent, seconds=round(now - begun))
        await asyncio.sleep(0.02)


async def _persistence(socket: Path) -> Mapping[str, Any] | None:
    """Return what the server on a socket says of its files, or `None` if none answers."""
    redis = _client(socket, START_TIMEOUT)
    try:
        # It is answered while a file is loaded, unlike most commands.
        return await redis.info("persistence")
    except (RedisError, OSError):
        return None
    finally:
        await redis.aclose()
