"""Tests run Redis as operators do, from the shipped configuration."""

from __future__ import annotations

import re
from pathlib import Path

from server.base.redis.embedded import embedded_redis
from tests.conftest import client_of
from tests.processes import ROOT
from tests.redis_servers import Server
from tests.redis_users import NODES

STARTS = re.compile(
    r"""embedded_redis\(|shared_redis\(|redis_server_path\(|["'](?:redis|valkey)-server["']"""
)
"""Words that start or find a server."""

OTHERWISE = {
    "tests/codecs/__main__.py": "the private store of a command",
    "tests/deploy/composed.py": "runs the command of the compose file",
    "tests/base/redis/test_append_only.py": "the private store",
    "tests/base/redis/test_embedded.py": "the private store",
    "tests/base/redis/test_programs.py": "the private store",
    "tests/base/redis/test_written_by.py": "the private store",
    "tests/machine.py": "lists programs; starts only browsers",
    "tests/rehearsal/base_images.py": "builds the stand-in for an image",
    "tests/test_certify.py": "the private store",
    "tests/test_signals.py": "the private store",
    "tests/test_workers.py": "the private store",
}
"""Reasons why a test file starts a server by other means than `tests/redis_servers.py`."""

DURABLE = ("appendonly", "appendfsync", "no-appendfsync-on-rewrite", "save", "maxmemory-policy")
"""Settings that decide whether acknowledged writes can be lost."""


def test_no_other_test_starts_a_redis() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("*.py")
        if STARTS.search(path.read_text()) and path.name != "test_redis_as_shipped.py"
    }
    assert found == OTHERWISE.keys()


async def test_the_private_store_is_as_durable(data: Path, tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    async with embedded_redis(data) as socket, client_of(socket) as private:
        for name in DURABLE:
            assert await private.config_get(name) == server.ask("CONFIG", "GET", name)
    server.kill()


def test_tests_start_the_shipped_redis(tmp_path: Path) -> None:
    server = Server(tmp_path)
    command = " ".join(server._command)
    assert command.split()[1] == "deploy/redis.conf"
    assert "/redis-users.acl" in command
    assert f"//{NODES}:" in server.url
    assert "--appendonly" not in command
    assert "--appendfsync" not in command
