"""Connections: addresses of Redis, and its failures as one exception."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
import uvloop
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import SSLConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from server.base.core.refusal import UnavailableError
from server.base.redis.connection import Client, connect, raising_unavailable
from server.base.redis.database import Database
from tests.base.redis.servers import in_flight, until, writes_held_up
from tests.redis_servers import running_server


@pytest.mark.parametrize(
    "error", [RedisConnectionError("gone"), ResponseError("OOM"), OSError("gone"), TimeoutError()]
)
def test_an_error_of_redis_is_raised_as_unavailable(error: Exception) -> None:
    with pytest.raises(UnavailableError, match=type(error).__name__), raising_unavailable():
        raise error


def test_a_write_to_a_connection_that_uvloop_has_closed_is_raised_as_unavailable() -> None:
    async def write() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            _, writer = await asyncio.open_connection(sock=ours)
            writer.transport.abort()
            # uvloop closes it in the next turns of the loop.
            for _ in range(3):
                await asyncio.sleep(0)
            with raising_unavailable():
                writer.write(b"PING")

    with pytest.raises(UnavailableError, match="closed"):
        uvloop.run(write())


@pytest.mark.parametrize("error", [KeyError, RuntimeError])
def test_other_errors_are_raised_unchanged(error: type[Exception]) -> None:
    with pytest.raises(error), raising_unavailable():
        raise error


async def test_a_redis_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    redis = connect(f"unix://{tmp_path}/none.sock")
    with pytest.raises(UnavailableError), raising_unavailable():
        await redis.ping()
    await redis.aclose()


async def test_a_connection_sends_only_what_is_asked_for() -> None:
    """Anything else would be a right that the nodes' user needs."""
    with running_server() as server:
        watcher, redis = connect(server.admin_url), connect(server.url)
        assert isinstance(watcher, Redis)
        await watcher.config_resetstat()
        await redis.ping()
        commands = await watcher.info("commandstats")
        errors = await watcher.info("errorstats")
        await redis.aclose()
        await watcher.aclose()
    # Before Redis 7, subcommands are not counted on their own.
    names = {name.partition("|")[0] for name in commands}
    assert names == {"cmdstat_config", "cmdstat_hello", "cmdstat_ping"}
    assert errors == {}


@pytest.mark.parametrize("url", ["", "http://localhost", "localhost:6379"])
def test_an_address_of_another_scheme_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="scheme"):
        connect(url)


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("redis+cluster://10.0.0.1", ["10.0.0.1:6379"]),
        ("redis+cluster://10.0.0.1:7000,10.0.0.2/", ["10.0.0.1:7000", "10.0.0.2:6379"]),
        ("rediss+cluster://[::1]:7000,[::2]/0", ["::1:7000", "::2:6379"]),
    ],
)  # fmt: skip
def test_the_address_of_a_cluster_lists_some_of_its_servers(url: str, servers: list[str]) -> None:
    cluster = connect(url)
    assert isinstance(cluster, RedisCluster)
    assert sorted(cluster.nodes_manager.startup_nodes) == servers
    for server in cluster.nodes_manager.startup_nodes.values():
        assert (server.connection_class is SSLConnection) == url.startswith("rediss")


@pytest.mark.parametrize(
    ("user", "name", "password"),
    [
        ("", None, None),
        ("ada@", "ada", None),
        (":secret@", None, "secret"),
        ("ada:se%40cr%3Aet%2F@", "ada", "se@cr:et/"),
        ("ada:s@cret@", "ada", "s@cret"),
    ],
)
def test_a_cluster_has_one_user_and_password(
    user: str, name: str | None, password: str | None
) -> None:
    cluster = connect(f"redis+cluster://{user}10.0.0.1:7000,10.0.0.2")
    assert isinstance(cluster, RedisCluster)
    settings = cluster.nodes_manager.connection_kwargs
    assert settings.get("username") == name
    assert settings.get("password") == password


@pytest.mark.parametrize(
    "address",
    [
        "redis+cluster://", "redis+cluster://:7000", "redis+cluster://10.0.0.1,",
        "redis+cluster://10.0.0.1:port", "redis+cluster://10.0.0.1:99999",
        "redis+cluster://10.0.0.1/3", "http+cluster://10.0.0.1", "unix+cluster:///socket",
    ],
)  # fmt: skip
def test_a_malformed_address_of_a_cluster_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"cluster|[Pp]ort"):
        connect(address)


async def test_a_cancelled_command_does_not_shift_the_replies_of_later_ones(
    database: Database, other_redis: Client
) -> None:
    async with writes_held_up(other_redis):
        task = asyncio.ensure_future(database.ask(lambda redis, key: redis.incr(key), "count"))
        await until(lambda: in_flight(other_redis, "incr", "incrby"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    for text in map(str, range(50)):
        assert await database.ask(lambda redis, _: redis.echo(text), "count") == [text]  # noqa: B023
