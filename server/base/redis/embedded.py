"""The embedded Redis: a supervised private server that runs as long as this process.

It listens only on a unix socket in the data directory, and appends every write to a file there. A
guard process (`guard.py`) between the server and this process ends the server whenever this process
ends, for any reason. Two locks restrict the directory to one node and one server. The server and
its guard hold copies of the second lock, so the next server waits until the last one is gone.
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
from server.base.work.background import check_outcome

START_TIMEOUT = 30.0
"""Seconds within which a server must answer, even if only that it is loading, or must have stopped.
Loading itself has no limit."""

TELL_LOADING_EVERY = 5.0
"""Seconds between log lines about the progress of loading."""

STABLE_AFTER = 30.0
"""Minimum uptime in seconds of a server that is restarted without a pause when it dies."""

FIRST_PAUSE, MAX_PAUSE = 0.25, 30.0
"""The first and the longest pause in seconds before a restart. The pause doubles each time."""

STREAM_NODE = 768
"""Bytes of a stream node, `stream-node-max-bytes`. Redis allocates a whole one for the first entry:
a journal of one entry takes 4.4 KB with Redis's default of 4,096, and 1.1 KB with this value. A
journal of 100 entries takes an eighth less, one of 300 the same. With 512, long journals would take
more."""

PACKED_VALUE = 128
"""Bytes of the longest hash value that is stored packed, `hash-max-ziplist-value` (newer servers
call it `hash-max-listpack-value`, and accept both names). A deal's sealed seed is longer than
Redis's default of 64, which made each deal take 790 bytes instead of 380."""

MEMORY_SHARE = 0.5
"""The share of the machine's memory available to the server. While it rewrites its file, it shares
its memory with a copy of itself, and data written meanwhile exists twice."""

LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files with a container's memory limit in bytes, for control groups of version 2 and 1. Without a
limit, they contain a word or more than any machine has."""

SOCKET = "redis.sock"
"""The server's socket in the data directory."""

_LOG = "redis.log"
_MAX_SOCKET_PATH = 100
"""Longest path of a unix socket, in bytes, supported by every system."""

log = structlog.get_logger()


class DataInUseError(EmbeddedServerError):
    """Another process runs a server on this data."""


@asynccontextmanager
async def embedded_redis(data: Path, memory: int | None = None) -> AsyncIterator[Path]:
    """Run a server on the files in the directory `data`, and yield its socket for `connect`.

    A server that dies is restarted; a caller may find it unavailable meanwhile. Failed restarts are
    logged and retried without end, with growing pauses.

    Args:
        data: the directory.
        memory: its memory limit in bytes, 0 for none; `default_memory` if `None`.

    Raises:
        DataInUseError: another process uses the directory.
        EmbeddedServerError: no installed server can read the data, the server does not start, the
            data is damaged, or the directory belongs to another user or has too long a path.
    """
    with _open_lock_file(data) as lock:
        data = data.resolve()
        if len(os.fsencode(data / SOCKET)) > _MAX_SOCKET_PATH:
            raise EmbeddedServerError(f"The path of the data directory is too long: {data}")
        if not _is_locked_by_us(lock):
            raise DataInUseError(f"Another server uses the data in {data}.")
        server = _Server(data, default_memory() if memory is None else memory)
        await server.start()
        supervision = asyncio.create_task(server.supervise(), name="embedded_redis")
        supervision.add_done_callback(check_outcome)
        try:
            yield server.socket
        finally:
            supervision.cancel()
            await asyncio.gather(supervision, return_exceptions=True)
            await server.end()


@asynccontextmanager
async def shared_redis(data: Path) -> AsyncIterator[Path]:
    """Yield the socket of the server running on `data`, or of one started for this block.

    A server started for the block prevents any other server on the directory.

    Raises:
        EmbeddedServerError: the directory does not exist, its running server does not answer, or as
            for `embedded_redis`.
    """
    if not data.is_dir():
        raise EmbeddedServerError(f"There is no data in {data}.")
    async with AsyncExitStack() as stack:
        try:
            # The existing data must fit, whatever its node's memory limit was.
            socket = await stack.enter_async_context(embedded_redis(data, memory=0))
        except DataInUseError:
            socket = data.resolve() / SOCKET
            try:
                await _until_loaded(socket)
            except TimeoutError as error:
                raise EmbeddedServerError(f"The server on {data} does not answer.") from error
        yield socket


def default_memory(limits: Sequence[Path] = LIMITS) -> int:
    """Return the server's default memory limit in bytes.

    Args:
        limits: files that may contain a limit below the machine's memory.
    """
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in limits:
        with suppress(OSError, ValueError):
            there = min(there, int(file.read_text()))
    return int(there * MEMORY_SHARE)


class _Server:
    """The server on a directory locked by this process. It listens on `socket`."""

    def __init__(self, data: Path, memory: int) -> None:
        self._data = data
        self._memory = memory
        self._guard: Process | None = None
        self._since = 0.0
        self.socket = data / SOCKET

    async def start(self) -> None:
        """Start the server once the last one is gone, and wait until it has loaded its file.

        Raises:
            EmbeddedServerError: as for `embedded_redis`.
        """
        # The server inherits the lock, and holds it after this block.
        with (self._data / "redis.lock").open("w") as lock:
            await self._wait_for_last_server(lock)
            self.socket.unlink(missing_ok=True)
            program = await asyncio.to_thread(self._prepare)
            self._guard = await self._run(program, lock)
        self._since = time.monotonic()
        try:
            await self._wait_until_ready(self._guard, program)
            await asyncio.to_thread(note_writer, self._data, program)
        except BaseException:
            # Also after a cancellation: no server must be left behind.
            await self.end()
            raise

    async def supervise(self) -> None:
        """Restart the server whenever it dies, until cancelled."""
        pause = 0.0
        while True:
            if self._guard is not None:
                code = await self._guard.wait()
                self._guard = None
                stable = time.monotonic() - self._since > STABLE_AFTER
                pause = 0.0 if stable else _next_pause(pause)
                log.error("embedded_redis_died", **_exit_fields(code), pause=pause)
            await asyncio.sleep(pause)
            try:
                await self.start()
            except Exception as error:
                # Retry after any error, since moves are refused until there is a server again.
                pause = _next_pause(pause)
                known = isinstance(error, EmbeddedServerError | OSError)
                trace = None if known else error
                log.error(  # noqa: TRY400 - a traceback only for unexpected errors
                    "embedded_redis_not_started", error=str(error), pause=pause, exc_info=trace
                )
            else:
                log.warning("embedded_redis_restarted")

    async def end(self) -> None:
        """Let the server write its file and end, and wait for it."""
        if self._guard is not None:
            assert self._guard.stdin is not None, "it is a pipe"
            self._guard.stdin.close()
            await self._guard.wait()
            self._guard = None

    def _prepare(self) -> Program:
        """Choose the program, and repair the files if necessary. Slow: run it in a thread."""
        program = program_for(self._data, at_hand())
        log_program(program)
        append_only.cut_off_nulls(self._data)
        return program

    async def _run(self, program: Program, lock: IO[str]) -> Process:
        """Run a server in its own session, so that Ctrl-C does not stop it before this process.

        The server inherits the lock.
        """
        # All paths are relative, so that a directory's name cannot be mistaken for an option.
        options = {
            "port": "0",
            "unixsocket": SOCKET,
            "unixsocketperm": "700",
            "dir": ".",
            "appendonly": "yes",
            # With `everysec`, a kill loses writes acknowledged while the disk was busy.
            "appendfsync": "always",
            # The append-only file is the only persistence.
            "save": "",
            "maxmemory": str(self._memory),
            "maxmemory-policy": "noeviction",
            "stream-node-max-bytes": str(STREAM_NODE),
            "hash-max-ziplist-value": str(PACKED_VALUE),
            "logfile": _LOG,
            "daemonize": "no",
        }
        arguments = [text for key, value in options.items() for text in (f"--{key}", value)]
        # Isolated and without site-packages (-I -S), since that starts faster.
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

    async def _wait_for_last_server(self, lock: IO[str]) -> None:
        """Wait until the server of an earlier run has ended; stop one that has lost its guard."""
        try:
            async with asyncio.timeout(START_TIMEOUT):
                while not _is_locked_by_us(lock):
                    await self._ask_to_end()
                    await asyncio.sleep(0.02)
        except TimeoutError as error:
            raise EmbeddedServerError("The server of the last run does not stop.") from error

    async def _ask_to_end(self) -> None:
        redis = _client(self.socket, START_TIMEOUT)
        try:
            # A server that is ending no longer answers.
            with suppress(RedisError, OSError):
                await redis.shutdown(save=False, nosave=True)
        finally:
            await redis.aclose()


def _next_pause(pause: float) -> float:
    return min(MAX_PAUSE, pause * 2 or FIRST_PAUSE)


def _exit_fields(code: int) -> dict[str, object]:
    """Return a server's exit code or signal, given its guard's exit code."""
    # A guard reports the signal that ended its server as 128 plus the signal's number.
    number = -code if code < 0 else code - 128
    try:
        return {"signal": signal.Signals(number).name}
    except ValueError:
        return {"code": code}


def _open_lock_file(data: Path) -> IO[str]:
    """Create the data directory if needed, and open its lock file for nodes.

    Raises:
        EmbeddedServerError: this user cannot write there.
    """
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        return (data / "lock").open("w")
    except PermissionError as error:
        user = os.geteuid()
        raise EmbeddedServerError(
            f"The user {user} may not write to the data directory {data}. Change its owner "
            f"(chown -R {user} {data}), or set another one with SAMEDEAL_DATA or --data."
        ) from error


def _is_locked_by_us(lock: IO[str]) -> bool:
    """Lock a file for this process, and return whether that succeeded."""
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
    """Wait until the server on a socket has loaded its file, logging the progress.

    Raises:
        TimeoutError: it has not answered for `START_TIMEOUT` seconds.
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
    """Return a server's persistence information, or `None` if it does not answer."""
    redis = _client(socket, START_TIMEOUT)
    try:
        # Unlike most commands, it is answered while a file is loaded.
        return await redis.info("persistence")
    except (RedisError, OSError):
        return None
    finally:
        await redis.aclose()
