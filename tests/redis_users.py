"""Redis users as in production, for tests: nodes have the same rights."""

from __future__ import annotations

import atexit
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from redis import Redis

from server.base.redis.connection import with_password
from tests.processes import ROOT, program

NODES = "samedeal"
"""The nodes' user."""


class Secrets(NamedTuple):
    """Secrets created by `deploy/make-secrets.sh`.

    Attributes:
        folder: their folder.
        passwords: by user.
        rights: each user's rights, as arguments of ACL SETUSER.
    """

    folder: Path
    passwords: dict[str, str]
    rights: dict[str, list[str]]


def make_secrets(folder: Path) -> Secrets:
    """Create secrets in a folder, as an operator does, and return them."""
    subprocess.run(  # noqa: S603 - a script of ours
        [program("sh"), str(ROOT / "deploy/make-secrets.sh"), str(folder)], check=True
    )
    lines = (folder / "redis-users.acl").read_text().splitlines()
    rights = {name: rules for _, name, *rules in map(str.split, lines)}
    files = {name: folder / f"redis-{name}" for name in rights}
    passwords = {name: file.read_text() for name, file in files.items() if file.exists()}
    return Secrets(folder, passwords, rights)


@cache
def secrets() -> Secrets:
    """Return this test process's secrets; their files exist until it exits."""
    folder = tempfile.TemporaryDirectory(prefix="samedeal")
    atexit.register(folder.cleanup)
    return make_secrets(Path(folder.name))


def as_user(name: str, url: str) -> str:
    """Return a Redis address with a user's name and password."""
    scheme, _, rest = url.partition("://")
    hosts = rest.rpartition("@")[2]
    return with_password(f"{scheme}://{name}@{hosts}", secrets().passwords[name])


def as_node(url: str) -> str:
    """Return a Redis address with the nodes' user and password."""
    return as_user(NODES, url)


def refused(redis: Redis) -> list[Any]:
    """Return its users' refused commands: entries of the ACL LOG."""
    found: list[Any] = redis.acl_log()
    return found
