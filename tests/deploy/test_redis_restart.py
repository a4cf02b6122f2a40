"""Redis as shipped loses nothing when it is killed and restarted, restored or promoted.

The data come from games on nodes, so that the store's scripts have written them.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from server.rooms.core import commands
from tests.deploy.test_restore import play
from tests.redis_programs import PROGRAMS, programs
from tests.redis_servers import MASTERS, Cluster, Server, running_cluster, running_server, until

LASTING = 60_000
"""Milliseconds of remaining lifetime for a key to be compared; others may expire meanwhile."""


class Site(NamedTuple):
    """A Redis directory with played games, as its server left it."""

    program: str
    data: Path
    contents: dict[str, Any]


def contents(*servers: Server) -> dict[str, Any]:
    """Return the servers' contents: each key that does not expire soon, with its value."""
    found: dict[str, Any] = {}
    for server in servers:
        with server.client() as redis:
            for key in sorted(map(str, redis.scan_iter(count=1000))):
                if not 0 <= int(str(redis.pttl(key))) < LASTING:
                    found[key] = _value(redis, key)
    return found


def _value(redis: Any, key: str) -> Any:
    match redis.type(key):
        case "string":
            return redis.get(key)
        case "hash":
            return redis.hgetall(key)
        case "zset":
            return redis.zrange(key, 0, -1, withscores=True)
        case "set":
            return redis.smembers(key)
        case "stream":
            return redis.xrange(key)
        case kind:
            raise AssertionError(f"{key} is a {kind}")


def play_on(url: str) -> None:
    """Play on a node of this release, with short countdowns."""
    with pytest.MonkeyPatch.context() as shorter:
        shorter.setattr(commands, "COUNTDOWN_MS", 50)
        asyncio.run(play(url))


@contextmanager
def server_on(
    data: Path, program: str, users: Path | None = None, **options: str
) -> Iterator[Server]:
    given = {} if users is None else {"aclfile": str(users)}
    server = Server(data, program=program, **given, **options)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module", params=programs().values(), ids=list(programs()))
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    data = tmp_path_factory.mktemp("redis")
    with server_on(data, request.param) as server:
        play_on(server.url)
        assert server.refused() == []
        found = contents(server)
    assert len(found) > 30
    return Site(request.param, data, found)


@pytest.fixture
def site(played: Site, tmp_path: Path) -> Site:
    return played._replace(data=Path(shutil.copytree(played.data, tmp_path / "redis")))


def test_a_killed_or_stopped_server_keeps_everything(site: Site) -> None:
    with server_on(site.data, site.program) as server:
        assert contents(server) == site.contents
        server.end()
    with server_on(site.data, site.program) as server:
        assert contents(server) == site.contents
        assert server.refused() == []


@PROGRAMS
def test_a_promoted_replica_keeps_everything_across_a_restart(program: str, tmp_path: Path) -> None:
    with (
        running_server(program=program) as master,
        server_on(tmp_path / "redis", program) as replica,
    ):
        replica.ask("REPLICAOF", "127.0.0.1", master.port)
        until(lambda: replica.ask("ROLE")[3] == "connected")
        play_on(master.url)
        written = master.ask("INFO", "replication")["master_repl_offset"]
        until(lambda: replica.ask("INFO", "replication")["slave_repl_offset"] >= written)
        before = contents(master)
        master.kill()
        replica.ask("REPLICAOF", "NO", "ONE")
        assert contents(replica) == before
        replica.kill()
        replica.start()
        assert contents(replica) == before
        assert replica.refused() == []


def replaced(cluster: Cluster, lost: Server) -> bool:
    """Return whether all other servers see a new owner of a lost master's slots."""
    masters = cluster.masters()
    left = [server for server in cluster.servers if server is not lost]
    owners = [{shard[2][1] for shard in server.ask("CLUSTER", "SLOTS")} for server in left]
    return len(masters) == MASTERS and all(
        each == {server.port for server in masters} for each in owners
    )


@PROGRAMS
def test_a_cluster_with_replaced_masters_keeps_everything_across_a_restart(program: str) -> None:
    with running_cluster(program=program) as cluster:
        play_on(cluster.url)
        masters = cluster.masters()
        before = contents(*masters)
        assert [server.refused() for server in cluster.servers] == [[]] * len(cluster.servers)
        lost = masters[0]
        lost.kill()
        until(lambda: replaced(cluster, lost))
        assert contents(*cluster.masters()) == before
        lost.start()
        cluster.until_whole()
        for server in cluster.servers:
            server.kill()
        for server in cluster.servers:
            server.start()
        cluster.until_whole()
        assert contents(*cluster.masters()) == before
        assert [server.refused() for server in cluster.servers] == [[]] * len(cluster.servers)
