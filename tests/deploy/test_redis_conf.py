"""`deploy/redis.conf` and `redis-cluster.conf`, with real servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis

from server.store.embedded import PACKED_VALUE, STREAM_NODE
from server.store.programs import redis_server_path
from tests.processes import ROOT, Running, free_port, running


@contextmanager
def configured_redis(
    data: Path, file: str = "redis.conf", port: int = 0
) -> Iterator[tuple[Running, Redis]]:
    """Run a server with a configuration file and its data in `data`.

    Yields:
        The process, and a client connected by a unix socket.
    """
    socket = data / "s"
    options = ["--port", str(port), "--unixsocket", str(socket), "--dir", str(data)]
    with running([redis_server_path(), str(ROOT / "deploy" / file), *options]) as server:
        server.wait_for("ready to accept connections")
        with Redis(unix_socket_path=str(socket), decode_responses=True) as client:
            yield server, client


def test_a_server_has_the_settings_of_the_file(tmp_path: Path) -> None:
    settings = {
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "save": "",
        "maxmemory-policy": "noeviction",
        "stream-node-max-bytes": str(STREAM_NODE),
        "hash-max-ziplist-value": str(PACKED_VALUE),
    }
    with configured_redis(tmp_path) as (_, client):
        for name, value in settings.items():
            assert client.config_get(name) == {name: value}
        assert client.config_get("maxmemory") != {"maxmemory": "0"}


def test_a_killed_server_loses_no_acknowledged_write(tmp_path: Path) -> None:
    with configured_redis(tmp_path) as (server, client):
        client.xadd("journal", {"move": "t3>f0"}, id="0-1")
        server.kill()
    with configured_redis(tmp_path) as (_, client):
        assert client.xrange("journal") == [("0-1", {"move": "t3>f0"})]


def test_a_server_of_a_cluster_has_the_settings_of_both_files(tmp_path: Path) -> None:
    settings = {
        "appendonly": "yes",
        "appendfsync": "always",
        "cluster-enabled": "yes",
        "cluster-node-timeout": "5000",
        "cluster-require-full-coverage": "no",
        "cluster-replica-validity-factor": "0",
    }
    options = "redis-cluster.conf", free_port()
    with configured_redis(tmp_path, *options) as (_, client):
        for name, value in settings.items():
            assert client.config_get(name) == {name: value}
