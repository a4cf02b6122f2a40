"""Connections: Redis's addresses, and its failures as one exception."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
import uvloop
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.connection import SSLConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError

from server.base.core.refusal import UnavailableError
from server.base.redis.connection import Client, connect, raising_unavailable, with_password
from server.base.redis.database import Database
from server.base.redis.handshake import open_connection
from tests.base.outbound.receiver import certified
from tests.base.redis.servers import database_at, in_flight, until, writes_held_up
from tests.processes import free_port
from tests.redis_programs import programs
from tests.redis_servers import running_server
from tests.redis_users import as_node


@pytest.mark.parametrize(
    "error", [RedisConnectionError("gone"), ResponseError("OOM"), OSError("gone"), TimeoutError()]
)
def test_an_error_of_redis_is_raised_as_unavailable(error: Exception) -> None:
    with pytest.raises(UnavailableError, match=type(error).__name__), raising_unavailable():
        raise error


def test_a_write_to_a_connection_closed_by_uvloop_is_raised_as_unavailable() -> None:
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


async def test_an_unreachable_redis_is_unavailable(tmp_path: Path) -> None:
    async with database_at(f"unix://{tmp_path}/none.sock") as database:
        with pytest.raises(UnavailableError), raising_unavailable():
            await database.client.ping()


async def test_a_connection_sends_only_the_requested_commands() -> None:
    """Any other command would be a right that the nodes' user needs."""
    with running_server() as server:
        watcher, redis = connect(server.admin_url), connect(server.url)
        assert isinstance(watcher, Redis)
        await watcher.config_resetstat()
        await redis.ping()
        commands = await watcher.info("commandstats")
        errors = await watcher.info("errorstats")
        await redis.aclose()
        await watcher.aclose()
    # Before Redis 7, subcommands are not counted separately.
    names = {name.partition("|")[0] for name in commands}
    assert names == {"cmdstat_config", "cmdstat_hello", "cmdstat_ping"}
    assert errors == {}


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("redis://localhost", (("localhost", 6379),)),
        ("redis://ada@10.0.0.1:7000,10.0.0.2/", (("10.0.0.1", 7000), ("10.0.0.2", 6379))),
        ("rediss://[::1]:7000,[::2]/0", (("::1", 7000), ("::2", 6379))),
    ],
)  # fmt: skip
def test_the_address_of_a_redis_lists_a_master_and_its_replicas(
    url: str, servers: tuple[tuple[str, int], ...]
) -> None:
    redis = connect(url)
    assert isinstance(redis, Redis)
    pool = redis.connection_pool
    assert pool.connection_kwargs["servers"] == servers
    assert issubclass(pool.connection_class, SSLConnection) == url.startswith("rediss")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("redis://localhost/1", "another database than 0"),
        ("redis+cluster://localhost/1", "another database than 0"),
        ("unix:///socket?db=1", "another database than 0"),
        ("redis://localhost?db=1", "the option 'db'"),
        ("redis://localhost?ssl_ca_certs=ca.pem", "of rediss://"),
        ("rediss://localhost?ssl_cert_reqs=none", "There are only ssl_ca_certs"),
        ("rediss://localhost?ssl_ca_certs=none.pem", "no file none.pem"),
        ("redis://", "at least one server"),
        ("redis://localhost,", "at least one server"),
        ("redis://localhost:port", "[Pp]ort"),
        *((url, "scheme") for url in ("", "http://localhost", "localhost:6379")),
    ],
)
def test_an_unusable_address_is_refused_with_a_sentence(url: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        connect(url)


def test_the_address_of_a_cluster_can_name_authorities(tmp_path: Path) -> None:
    (file := tmp_path / "ca.pem").touch()
    cluster = connect(f"rediss+cluster://10.0.0.1?ssl_ca_certs={file}")
    assert isinstance(cluster, RedisCluster)
    (server,) = cluster.nodes_manager.startup_nodes.values()
    assert server.connection_kwargs["ssl_ca_certs"] == str(file)


@pytest.mark.deep
async def test_tls_trusts_the_authority_named_in_the_address(tmp_path: Path) -> None:
    certified("localhost", tmp_path)
    file, port = str(tmp_path / "localhost.pem"), str(free_port())
    options = dict.fromkeys(("tls-cert-file", "tls-key-file", "tls-ca-cert-file"), file)
    options |= {"tls-port": port, "tls-auth-clients": "no"}
    # The bundled Valkey has no TLS.
    with running_server(program=programs()["redis"], **options):
        user = as_node(f"rediss://localhost:{port}/0")
        async with database_at(f"{user}?ssl_ca_certs={file}") as trusting:
            await trusting.client.ping()
            await trusting.write("nodes", "HSET", "nodes", "x", "1")
        async with database_at(user) as wary:
            with pytest.raises(UnavailableError, match="certificate"), raising_unavailable():
                await wary.client.ping()
            with pytest.raises(UnavailableError, match="certificate"):
                await wary.write("nodes", "HSET", "nodes", "x", "1")


async def test_a_password_without_a_user_is_the_default_users() -> None:
    with running_server() as server:
        server.ask("ACL", "SETUSER", "default", "on", ">pass/word")
        url = with_password(f"redis://127.0.0.1:{server.port}", "pass/word")
        async with database_at(url) as database:
            await database.client.ping()
            assert await database.write("key", "INCR", "key") == 1


async def test_a_wrong_password_is_reported_as_such() -> None:
    with running_server() as server:
        async with database_at(f"redis://samedeal:wrong@127.0.0.1:{server.port}") as database:
            with pytest.raises(UnavailableError, match="AuthenticationError"):
                await database.write("key", "INCR", "key")


async def test_a_connection_has_the_name_given_in_the_address(data: Path) -> None:
    with running_server(unixsocket=f"{data}/socket") as server:
        async with database_at(as_node(f"unix://{data}/socket?client_name=ada")) as database:
            await database.write("nodes", "HSET", "nodes", "x", "1")
            assert "ada" in {client["name"] for client in server.ask("CLIENT LIST")}


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


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        # Of Redis 5, which repeats the arguments.
        (
            b"-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `a`, `secret`, ",
            "does not know HELLO",
        ),
        # The server speaks TLS or HTTP.
        (b"\x15\x03\x01", "reply type byte"),
    ],
)
async def test_a_failed_handshake_has_its_cause_without_the_password(
    answer: bytes, error: str
) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        # One for each command.
        writer.write((answer + b"\r\n") * 100)
        await reader.read()
        writer.close()

    async with await asyncio.start_server(reply, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        client = Redis.from_url(f"redis://a:secret@127.0.0.1:{port}")
        with pytest.raises(RedisError, match=error) as raised:
            await open_connection(client, asyncio.Protocol())
        assert "secret" not in str(raised.value)
        await client.aclose()
