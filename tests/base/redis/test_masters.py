"""A master and its replicas: nodes find the master, and follow a promotion."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
import structlog
from redis.asyncio import Redis

from server.base.core.refusal import UnavailableError
from server.base.redis import masters
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect, raising_unavailable
from server.base.redis.database import Database
from tests.base.redis.servers import database_at, until, work_of
from tests.base.redis.servers import running as working
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


async def value(database: Database) -> list[Any]:
    """Return the value of this key, as read by each server that has it."""
    return await database.ask(lambda redis, key: redis.hget(key, "x"), "nodes")


async def refusal_of(*servers: Server) -> str:
    async with database_at(url_of(*servers)) as database:
        with pytest.raises(UnavailableError) as raised, raising_unavailable():
            await database.client.ping()
    return str(raised.value)


async def test_the_master_is_found_anywhere_in_the_list(servers: list[Server]) -> None:
    one, two, three = servers
    for order in ((one, two, three), (two, one), (three, two, one), (one,)):
        async with database_at(url_of(*order)) as database:
            assert await is_written(database, "here")
    assert one.ask("HGET", "nodes", "x") == "here"


async def test_a_list_of_only_a_replica_is_refused_with_a_sentence(servers: list[Server]) -> None:
    assert f":{servers[1].port} is a replica." in await refusal_of(servers[1])


async def test_without_a_master_the_error_gives_each_servers_role(servers: list[Server]) -> None:
    one, two, _ = servers
    one.kill()
    said = await refusal_of(one, two)
    assert "No server is a master." in said
    assert f"127.0.0.1:{two.port} is a replica." in said
    assert f"127.0.0.1:{one.port}" in said


async def test_two_masters_are_refused(servers: list[Server]) -> None:
    promote(servers[1])
    assert re.search(r"and .* are masters\. Only one may be", await refusal_of(*servers))


async def test_a_silent_server_does_not_delay_the_connection(servers: list[Server]) -> None:
    servers[1].signal(SIGSTOP)
    try:
        async with database_at(url_of(servers[1], servers[0])) as database:
            # It would fail if it took a second to connect.
            await RedisClock(database).sample()
            assert await is_written(database, "here")
    finally:
        servers[1].signal(SIGCONT)


async def test_when_no_server_answers_the_error_says_so(
    servers: list[Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masters, "ANSWER_WITHIN", 0.1)
    for server in servers:
        server.signal(SIGSTOP)
    try:
        assert (await refusal_of(*servers)).count("does not answer.") == len(servers)
    finally:
        for server in servers:
            server.signal(SIGCONT)


@pytest.mark.usefixtures("quick_redis")
async def test_a_node_follows_a_replica_promoted_after_its_masters_death(
    servers: list[Server],
) -> None:
    one, two, three = servers
    async with database_at(url_of(*servers), 1) as database:
        assert await is_written(database, "before")
        one.kill()
        assert not await is_written(database, "lost")
        promote(two)
        assert not await is_written(database, "without a replica")
        replicate(three, two)
        await until(lambda: is_written(database, "after"))
        assert await value(database) == ["after"]
    assert three.ask("HGET", "nodes", "x") == "after"


async def test_all_connections_leave_a_demoted_master(servers: list[Server]) -> None:
    one, two, _ = servers
    heard: list[bytes | None] = []
    redis = connect(url_of(*servers))
    assert isinstance(redis, Redis)
    database = Database(redis)
    bus = Bus(database)
    bus.subscribe("names", heard.append)
    async with working(work_of(bus)):
        assert await is_written(database, "before")
        assert await value(database) == ["before"]
        await redis.time()
        await until(lambda: len(heard) >= 1)
        with structlog.testing.capture_logs() as logs:
            # Redis pauses writes until the replica has all of them, and swaps the roles.
            one.ask("FAILOVER", "TO", "127.0.0.1", two.port)
            await until(lambda: two.ask("ROLE")[0] == "master")
            await until(lambda: is_written(database, "after"))
            await until(lambda: len(heard) >= 2)
        assert await value(database) == ["after"]
        # The old master keeps no client except the operator's.
        await until(lambda: all(each["user"] != "samedeal" for each in one.ask("CLIENT LIST")))
        bus.publish("names", b"hello")
        await until(lambda: len(heard) >= 3)
    await database.close()
    assert "store_back" in [line["event"] for line in logs]
    assert heard == [None, None, b"hello"]


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
        async with database_at(url_of(*servers), 1) as another:
            assert await value(another) == ["still"]
        await database.close()
