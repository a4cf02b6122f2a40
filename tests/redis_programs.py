"""The servers that the tests of the store run on: as a rule Redis, and Valkey from a package."""

from __future__ import annotations

from functools import cache

import pytest

from server.base.redis.database import MIN_CLUSTER_VERSION
from server.base.redis.programs import Program, at_hand


@cache
def new_enough() -> list[Program]:
    """Return the servers that can read `deploy/redis.acl`, those on the PATH first."""
    return [program for program in at_hand() if program.version >= MIN_CLUSTER_VERSION]


@cache
def programs() -> dict[str, str]:
    """Return the path of one server of each kind, by `redis` or `valkey`."""
    found: dict[str, str] = {}
    for program in new_enough():
        found.setdefault(program.name, program.path)
    return found


def default_program() -> str:
    """Return the path of the server that tests use unless they say which."""
    assert new_enough(), "Tests need a redis-server of version 7 or newer: install Redis."
    return new_enough()[0].path


PROGRAMS = pytest.mark.parametrize("program", programs().values(), ids=list(programs()))
"""Runs a test on each kind of server."""
