"""The probe checks whether Redis takes writes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
import structlog

from server.base.core import keys
from server.base.redis import probe as module
from server.base.redis.connection import Client, connect
from server.base.redis.database import Database
from server.base.redis.probe import FRESH_FOR, Probe
from tests.base.redis.servers import FAULTS, Act, asks, calls, running, servers_of, until, work_of
from tests.conftest import CLUSTER
from tests.redis_servers import MASTERS, Server, running_cluster, running_server
from tests.redis_servers import until as until_so


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a redis-server that the test can stop."""
    with running_server(appendfsync="no") as server:
        yield server


@asynccontextmanager
async def probing(url: str, acks: int = 0) -> AsyncIterator[Probe]:
    database = Database(connect(url), acks)
    # The first request to a cluster also reads its topology.
    await database.check()
    probe = Probe(database)
    async with running(work_of(probe)):
        yield probe
    await database.close()


async def until_it(probe: Probe, *, succeeds: bool) -> None:
    """Wait until the probe succeeds, or fails."""
    await until(lambda: probe.succeeds() is succeeds)


@pytest.mark.parametrize(
    ("breaks", "mends"),
    [
        *FAULTS,
        (asks("CONFIG SET min-replicas-to-write 1"), asks("CONFIG SET min-replicas-to-write 0")),
        (asks("CLIENT PAUSE 60000 WRITE"), asks("CLIENT UNPAUSE")),
    ],
)
async def test_it_fails_while_redis_refuses_writes(
    server: Server, breaks: Act, mends: Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROBE_EVERY", 0.02)
    monkeypatch.setattr(module, "FRESH_FOR", 0.3)
    async with probing(server.url) as probe:
        await until_it(probe, succeeds=True)
        breaks(server)
        await until_it(probe, succeeds=False)
        mends(server)
        await until_it(probe, succeeds=True)


async def test_it_fails_while_replicas_are_missing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.base.redis.pipeline.ACKNOWLEDGED_WITHIN", 0.01)
    async with probing(server.url, acks=1) as probe:
        await probe.once()
        assert not probe.succeeds()


async def test_a_write_counts_for_two_seconds(database: Database) -> None:
    now = 1_000.0
    await database.check()
    probe = Probe(database, lambda: now)
    assert not probe.succeeds()
    await probe.once()
    assert probe.succeeds()
    now += FRESH_FOR - 0.01
    assert probe.succeeds()
    now += 0.01
    assert not probe.succeeds()


async def test_it_writes_once_to_each_server_and_leaves_nothing(
    database: Database, redis: Client
) -> None:
    await database.check()
    servers = database.key_of_each_server([keys.barrier(keys.outbox(n)) for n in range(256)])
    before = await calls(redis, "set")
    probe = Probe(database)
    await probe.once()
    assert await calls(redis, "set") - before == len(servers)
    names = list(probe._marks)
    assert len(names) == len(servers)
    for key in names:
        assert 0 < await redis.ttl(key) <= keys.MARK_LIFE_S
    async with running(work_of(probe)):
        pass
    await database.check()
    for key in names:
        assert not await redis.exists(key)


async def test_a_mark_older_than_the_acknowledged_one_is_a_loss_logged_once(
    database: Database, redis: Client
) -> None:
    now = 1_000.0
    await database.check()
    probe = Probe(database, lambda: now)

    async def write(times: int = 1) -> None:
        nonlocal now
        for _ in range(times):
            now += 1
            await probe.once()

    await write(3)
    key, *others = probe._marks
    with structlog.testing.capture_logs() as logs:
        await redis.set(key, "1003.5")
        await write(2)
        assert logs == [], "a write without a reply is not a lost write"
        await redis.set(key, "1001.0")
        await write()
        # It stays until the loss has been detected.
        assert await redis.get(key) == "1001.0"
        await write(2)
        await redis.delete(key)
        await write(3)
    told = [(line["seconds"], line["whole"]) for line in logs if line["event"] == "data_lost"]
    assert told == [(4, False), (7, True)]
    assert database.metrics.lost_seconds == 11
    assert await redis.get(key) == repr(now)
    assert all([await redis.get(other) == repr(now) for other in others])


@CLUSTER
async def test_it_succeeds_without_one_of_three_masters_but_not_without_two(
    redis_url: str, redis: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROBE_EVERY", 0.02)
    monkeypatch.setattr(module, "FRESH_FOR", 0.3)
    async with probing(redis_url) as probe, servers_of(redis) as (first, second, _):
        await until_it(probe, succeeds=True)

        def only_two() -> bool:
            since = time.monotonic() - module.FRESH_FOR
            return sum(at > since for at in probe._written.values()) == 2

        try:
            await first.client_pause(60_000, all=False)
            await until(only_two)
            assert probe.succeeds()
            await second.client_pause(60_000, all=False)
            await until_it(probe, succeeds=False)
            await second.client_unpause()
            await until_it(probe, succeeds=True)
        finally:
            await first.client_unpause()
            await second.client_unpause()


def _has(replica: Server, key: str) -> bool:
    with replica.client() as client:
        client.execute_command("READONLY")
        return bool(client.exists(key))


@CLUSTER
async def test_a_failover_to_a_lagging_replica_is_a_loss() -> None:
    now = 1_000.0
    with running_cluster() as cluster:
        database = Database(connect(cluster.url))
        await database.check()
        probe = Probe(database, lambda: now)
        await probe.once()
        key = next(iter(probe._marks))
        master = cluster.master_of(key)
        number = cluster.servers.index(master)
        replica = cluster.servers[number + MASTERS]
        until_so(lambda: _has(replica, key))
        replica.kill()
        for _ in range(4):
            now += 1
            await probe.once()
        master.kill()
        replica.start()

        async def lost() -> bool:
            nonlocal now
            now += 1
            await probe.once()
            return database.metrics.lost_seconds > 0

        await until(lost)
        assert database.metrics.lost_seconds == 4
        assert "4 s of writes" in database.losses.text
        await database.close()
