"""A master and its replicas: nodes find the master, and follow a promotion."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest
import structlog
from redis.asyncio import Redis

from server.base.core.refusal import UnavailableError
from server.base.redis import masters
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect, raising_unavailable
from server.base.redis.database import Database
from tests.base.redis.servers import running as working
from tests.base.redis.servers import until, work_of
from tests.processes import ROOT, free_port, running
from tests.redis_programs import default_program
from tests.redis_servers import Server, promote, replicate, running_server
from tests.redis_users import as_node, secrets


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Run a master and two replicas, in this order."""
    with ExitStack() as stack:
        found = [stack.enter_context(running_server()) for _ in range(3)]
        for replica in found[1:]:
            replicate(replica, found[0])
        yield found


def url_of(*servers: Server) -> str:
    return as_node("redis://" + ",".join(f"127.0.0.1:{server.port}" for server in servers))


async def is_written(database: Database, value: str) -> bool:
    """Return whether a key can be set."""
    try:
        await database.write("nodes", "HSET", "nodes", "x", value)
    except UnavailableError:
        return False
    return True


async def test_the_master_is_found_anywhere_in_the_list(servers: list[Server]) -> None:
    one, two, three = servers
    for order in ((one, two, three), (two, one), (three, two, one), (one,)):
        database = Database(connect(url_of(*order)))
        assert await is_written(database, "here")
        await database.close()
    assert one.ask("HGET", "nodes", "x") == "here"


async def test_a_list_of_only_a_replica_is_refused_with_a_sentence(servers: list[Server]) -> None:
    redis = connect(url_of(servers[1]))
    wanted = rf":{servers[1].port} is a replica\."
    with pytest.raises(UnavailableError, match=wanted), raising_unavailable():
        await redis.ping()
    await redis.aclose()


async def test_without_a_master_the_error_gives_each_servers_role(servers: list[Server]) -> None:
    one, two, _ = servers
    one.kill()
    redis = connect(url_of(one, two))
    with pytest.raises(UnavailableError) as raised, raising_unavailable():
        await redis.ping()
    assert "No server is a master." in str(raised.value)
    assert f"127.0.0.1:{two.port} is a replica." in str(raised.value)
    assert f"127.0.0.1:{one.port}" in str(raised.value)
    await redis.aclose()


async def test_two_masters_are_refused(servers: list[Server]) -> None:
    promote(servers[1])
    redis = connect(url_of(*servers))
    wanted = r"and .* are masters\. Only one may be"
    with pytest.raises(UnavailableError, match=wanted), raising_unavailable():
        await redis.ping()
    await redis.aclose()


async def test_a_silent_server_does_not_delay_the_connection(servers: list[Server]) -> None:
    servers[1].signal(SIGSTOP)
    database = Database(connect(url_of(servers[1], servers[0])))
    try:
        # It would fail if it took a second to connect.
        await RedisClock(database).sample()
        assert await is_written(database, "here")
    finally:
        servers[1].signal(SIGCONT)
    await database.close()


async def test_when_no_server_answers_the_error_says_so(
    servers: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masters, "ANSWER_WITHIN", 0.1)
    for server in servers:
        server.signal(SIGSTOP)
    redis = connect(url_of(*servers))
    try:
        with pytest.raises(UnavailableError) as raised, raising_unavailable():
            await redis.ping()
    finally:
        for server in servers:
            server.signal(SIGCONT)
    assert str(raised.value).count("does not answer.") == len(servers)
    await redis.aclose()


@pytest.mark.usefixtures("quick_redis")
async def test_a_node_follows_a_replica_promoted_after_its_masters_death(
    servers: list[Server],
) -> None:
    one, two, three = servers
    database = Database(connect(url_of(*servers)), 1)
    assert await is_written(database, "before")
    one.kill()
    assert not await is_written(database, "lost")
    promote(two)
    assert not await is_written(database, "without a replica")
    replicate(three, two)
    await until(lambda: is_written(database, "after"))
    assert await database.ask(lambda redis, key: redis.hget(key, "x"), "nodes") == ["after"]
    assert three.ask("HGET", "nodes", "x") == "after"
    await database.close()


async def test_all_connections_leave_a_demoted_master(
    servers: list[Server],
) -> None:
    one, two, _ = servers
    heard: list[bytes | None] = []
    redis = connect(url_of(*servers))
    assert isinstance(redis, Redis)
    database = Database(redis)
    bus = Bus(database)
    bus.subscribe("names", heard.append)
    async with working(work_of(bus)):
        assert await is_written(database, "before")
        assert await database.ask(lambda found, key: found.hget(key, "x"), "nodes") == ["before"]
        await redis.time()
        await until(lambda: _has(heard, 1))
        with structlog.testing.capture_logs() as logs:
            # Redis pauses writes until the replica has all of them, and swaps the roles.
            one.ask("FAILOVER", "TO", "127.0.0.1", two.port)
            await until(lambda: _is_master(two))
            await until(lambda: is_written(database, "after"))
            await until(lambda: _has(heard, 2))
        assert await database.ask(lambda found, key: found.hget(key, "x"), "nodes") == ["after"]
        # The old master keeps no client except the operator's.
        await until(lambda: _has_no_client(one))
        bus.publish("names", b"hello")
        await until(lambda: _has(heard, 3))
    await database.close()
    assert "store_back" in [line["event"] for line in logs]
    assert heard == [None, None, b"hello"]


async def _has(heard: list[bytes | None], count: int) -> bool:
    return len(heard) >= count


async def _is_master(server: Server) -> bool:
    return bool(server.ask("ROLE")[0] == "master")


async def _has_no_client(server: Server) -> bool:
    clients = server.ask("CLIENT LIST")
    return not any(client["user"] == "samedeal" for client in clients)


async def test_a_node_follows_sentinel(tmp_path: Path) -> None:
    """Sentinel promotes a replica, and makes the old master one when it is back."""
    with ExitStack() as stack:
        servers = []
        for number in range(3):
            server = Server(tmp_path / str(number))
            # Sentinel has a server record its role in this file.
            own = tmp_path / f"{number}.conf"
            own.write_text((ROOT / "deploy/redis.conf").read_text())
            server._command[1] = str(own)
            server.start()
            stack.callback(server.kill)
            servers.append(server)
        one, *others = servers
        for replica in others:
            replicate(replica, one)
        settings = tmp_path / "sentinel.conf"
        settings.write_text(
            f"port {free_port()}\nbind 127.0.0.1\ndir {tmp_path}\n"
            f"sentinel monitor samedeal 127.0.0.1 {one.port} 1\n"
            "sentinel auth-user samedeal admin\n"
            f"sentinel auth-pass samedeal {secrets().passwords['admin']}\n"
            "sentinel down-after-milliseconds samedeal 3000\n"
            "sentinel failover-timeout samedeal 20000\n"
        )
        sentinel = stack.enter_context(running([default_program(), str(settings), "--sentinel"]))
        await asyncio.to_thread(sentinel.wait_for, "+slave")
        database = Database(connect(url_of(*servers)), 1)
        assert await is_written(database, "before")
        one.kill()
        await asyncio.to_thread(sentinel.wait_for, "+switch-master")
        await until(lambda: is_written(database, "after"))
        one.start()
        # For ten seconds Sentinel leaves it a master, and nodes refuse two masters.
        await asyncio.to_thread(sentinel.wait_for, "+convert-to-slave")
        await until(lambda: is_written(database, "still"))
        # A newly started node finds the same master.
        another = Database(connect(url_of(*servers)), 1)
        assert await another.ask(lambda redis, key: redis.hget(key, "x"), "nodes") == ["still"]
        await another.close()
        await database.close()
