"""`deploy/redis.conf` and `redis-cluster.conf`, with real servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.base.redis.embedded import PACKED_VALUE, STREAM_NODE
from tests.processes import free_port
from tests.redis_programs import PROGRAMS
from tests.redis_servers import Server

SETTINGS = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "save": "",
    "maxmemory": str(1 << 30),
    "maxmemory-policy": "noeviction",
    "stream-node-max-bytes": str(STREAM_NODE),
    "hash-max-ziplist-value": str(PACKED_VALUE),
}

CLUSTER_SETTINGS = SETTINGS | {
    "cluster-enabled": "yes",
    "cluster-node-timeout": "5000",
    "cluster-require-full-coverage": "no",
    "cluster-replica-validity-factor": "0",
}


@PROGRAMS
@pytest.mark.parametrize(
    ("config", "settings"), [("redis.conf", SETTINGS), ("redis-cluster.conf", CLUSTER_SETTINGS)]
)
def test_a_server_has_the_settings_of_the_file(
    tmp_path: Path, program: str, config: str, settings: dict[str, str]
) -> None:
    in_cluster = {"cluster-port": str(free_port())} if config == "redis-cluster.conf" else {}
    server = Server(tmp_path, program=program, config=config, **in_cluster)
    server.start()
    try:
        for name, value in settings.items():
            assert server.ask("CONFIG", "GET", name) == {name: value}
    finally:
        server.kill()
