"""`deploy/redis.conf`: a real server accepts it, and keeps what it acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis

from server.store.embedded import redis_server_path
from tests.processes import ROOT, Running, running


@contextmanager
def configured_redis(data: Path) -> Iterator[tuple[Running, Redis]]:
    """Run a server with the file, its data in `data`, and nothing listening but a unix socket."""
    socket = data / "s"
    options = ["--port", "0", "--unixsocket", str(socket), "--dir", str(data)]
    with running([redis_server_path(), str(ROOT / "deploy/redis.conf"), *options]) as server:
        server.wait_for("ready to accept connections")
        with Redis(unix_socket_path=str(socket), decode_responses=True) as client:
            yield server, client


def test_a_server_runs_with_what_the_file_says(tmp_path: Path) -> None:
    said = {
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    with configured_redis(tmp_path) as (_, client):
        for name, value in said.items():
            assert client.config_get(name) == {name: value}


def test_a_killed_server_has_kept_what_it_acknowledged(tmp_path: Path) -> None:
    with configured_redis(tmp_path) as (server, client):
        client.xadd("journal", {"move": "t3>f0"}, id="0-1")
        server.kill()
    with configured_redis(tmp_path) as (_, client):
        assert client.xrange("journal") == [("0-1", {"move": "t3>f0"})]
