"""Servers that the store's tests run on: the bundled Valkey, and a Redis on the PATH."""

from __future__ import annotations

import os
from functools import cache

import pytest

from server.base.redis.programs import at_hand


@cache
def programs() -> dict[str, str]:
    """Return the path of one server of each kind, by `redis` or `valkey`."""
    found: dict[str, str] = {}
    for program in at_hand():
        found.setdefault(program.name, program.path)
    return found


@cache
def default_program() -> str:
    """Return the path of the default server, or of the one named by `STORE`."""
    return os.environ.get("STORE") or at_hand()[0].path


PROGRAMS = pytest.mark.parametrize(
    "program",
    [
        pytest.param(programs().get("valkey"), id="valkey"),
        pytest.param(programs().get("redis"), id="redis", marks=pytest.mark.redis),
    ],
)
"""Runs a test on each kind of server."""
