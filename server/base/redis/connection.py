"""redis-py clients for a single Redis, a master with replicas, or a cluster; their errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from redis.asyncio import (
    BlockingConnectionPool,
    Redis,
    RedisCluster,
    UnixDomainSocketConnection,
)
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as ConnectionLostError
from redis.exceptions import RedisClusterException, RedisError
from redis.maint_notifications import MaintNotificationsConfig

from server.base.core.refusal import UnavailableError
from server.base.redis.masters import Address, MasterConnection, MasterSSLConnection

MAX_CONNECTIONS = 32
"""Maximum connections of a node to one server. Further commands wait for a free one."""

MAX_CLUSTER_CONNECTIONS = 256
"""Maximum connections to each server of a cluster. Further commands fail immediately."""

TIMEOUT = 5.0
"""Seconds until Redis counts as unavailable."""

Location = str | Path
"""The location of Redis: a URL, or a private server's socket, whose path need not fit into a URL.
"""

Client = Redis | RedisCluster
"""A client that knows the servers. Commands for keys go through `Database`, which batches them."""

FAILURES = (RedisError, RedisClusterException, OSError)
"""Exceptions raised by redis-py when a command fails or gets no reply."""

_CLOSED = "the handler is closed"
"""The message of uvloop's error for a closed transport."""

_CLUSTER_SUFFIX = "+cluster"

DEFAULT_PORT: Final = 6379

_FIRST_DATABASE: Final = {"", "/", "/0"}
"""The allowed paths of URLs."""

_OTHER_DATABASE: Final = (
    "The URL of Redis, or of a cluster, names another database than 0. A server's databases share "
    "its channels and memory, so two sites would interfere with each other: give each site its own "
    "server"
)

_TLS_OPTIONS: Final = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
"""URL options for TLS: files with the trusted authorities and the client's certificate and key."""

_QUIET: dict[str, Any] = {
    "driver_info": None,
    "maint_notifications_config": MaintNotificationsConfig(enabled=False),
}
"""Settings of a connection without CLIENT SETINFO and CLIENT MAINT_NOTIFICATIONS.

They would cost three commands per connection, and require the permission to run them. Only Redis's
commercial products send such notifications.
"""


def connect(address: Location) -> Client:
    """Return a client for an address. It connects on first use.

    Args:
        address: the path of a unix socket, or a URL: `unix://`; `redis://` or `rediss://` (TLS)
            with one server, or with a master and its replicas in any order, separated by commas:
            `redis://h1:6379,h2:6379`; `redis+cluster://` or `rediss+cluster://` with one or more
            servers of a cluster. The query may contain redis-py settings, such as
            `?ssl_ca_certs=FILE`.

    Raises:
        ValueError: the URL is invalid.
    """
    settings: dict[str, Any] = {
        "max_connections": MAX_CONNECTIONS,
        "timeout": TIMEOUT,
        "socket_timeout": TIMEOUT,
        "socket_connect_timeout": TIMEOUT,
        # Only the journal retries, since it must know whether an append may have been sent twice.
        "retry": Retry(NoBackoff(), 0),
        "decode_responses": True,
        "protocol": 3,
        **_QUIET,
    }
    if isinstance(address, Path):
        settings |= {"connection_class": UnixDomainSocketConnection, "path": str(address)}
        return Redis.from_pool(BlockingConnectionPool(**settings))
    if urlsplit(address).scheme.endswith(_CLUSTER_SUFFIX):
        return _connect_cluster(address)
    if urlsplit(address).scheme not in {"redis", "rediss"}:
        pool = BlockingConnectionPool.from_url(address, **settings)
        if pool.connection_kwargs.get("db"):
            raise ValueError(_OTHER_DATABASE)
        return Redis.from_pool(pool)
    servers, given = _parsed(address)
    kind = MasterSSLConnection if given.pop("ssl") else MasterConnection
    settings |= {"connection_class": kind, "servers": servers, **given}
    return Redis.from_pool(BlockingConnectionPool(**settings))


def with_password(url: str, password: str) -> str:
    """Add a password to a URL for `connect`, for the URL's user if it names one.

    Raises:
        ValueError: the URL already has a password.
    """
    parts = urlsplit(url)
    user, _, hosts = parts.netloc.rpartition("@")
    if ":" in user:
        raise ValueError("The URL of Redis contains a password, and so does a file: use only one.")
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{hosts}").geturl()


def _parsed(url: str) -> tuple[tuple[Address, ...], dict[str, Any]]:
    """Return a URL's servers, and its redis-py settings: user, password and TLS.

    Raises:
        ValueError: it names no server, a database other than 0, or an option not related to TLS.
    """
    parts = urlsplit(url)
    if parts.path not in _FIRST_DATABASE:
        raise ValueError(_OTHER_DATABASE)
    user, _, hosts = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    named = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if not all(each.hostname for each in named):
        raise ValueError("The URL of Redis, or of a cluster, must name at least one server")
    tls = parts.scheme.startswith("rediss")
    options = {option: values[0] for option, values in parse_qs(parts.query).items()}
    if unknown := [each for each in options if not (tls and each in _TLS_OPTIONS)]:
        raise ValueError(
            f"The URL of Redis has the option {unknown[0]!r}. There are only "
            f"{', '.join(_TLS_OPTIONS)}, of rediss://"
        )
    if missing := [path for path in options.values() if not Path(path).is_file()]:
        raise ValueError(f"There is no file {missing[0]}, named in the URL of Redis")
    servers = tuple((str(each.hostname), each.port or DEFAULT_PORT) for each in named)
    return servers, {
        "username": unquote(name) or None,
        "password": unquote(password) or None,
        "ssl": tls,
        **options,
    }


def _connect_cluster(url: str) -> RedisCluster:
    if urlsplit(url).scheme not in {"redis" + _CLUSTER_SUFFIX, "rediss" + _CLUSTER_SUFFIX}:
        raise ValueError("The URL of a cluster must look like redis+cluster://host:port,host:port")
    servers, given = _parsed(url)
    return RedisCluster(
        startup_nodes=[ClusterNode(host, port) for host, port in servers],
        max_connections=MAX_CLUSTER_CONNECTIONS,
        # Serve slots with an owner even while others have none.
        require_full_coverage=False,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # Only reads use this client. A failed read is retried on the slot's new owner.
        retry=Retry(NoBackoff(), 1),
        decode_responses=True,
        protocol=3,
        **_QUIET,
        **given,
    )


def owner_of(cluster: RedisCluster, key: str) -> ClusterNode:
    """Return the server that owns a key's slot, according to an initialized client's topology.

    Raises:
        RedisClusterException: no server owns it.
    """
    server = cluster.get_node_from_key(key)
    if server is None:
        raise RedisClusterException(f"no server owns {key}")
    return server


def server_client(server: ClusterNode) -> Redis:
    """Return a client with its own connection pool for one server of a cluster."""
    settings: dict[str, Any] = server.connection_kwargs | {
        "connection_class": server.connection_class,
        "max_connections": MAX_CONNECTIONS,
        "timeout": TIMEOUT,
        "retry": Retry(NoBackoff(), 0),
    }
    return Redis.from_pool(BlockingConnectionPool(**settings))


@contextmanager
def raising_lost() -> Iterator[None]:
    """Translate uvloop's error for a closed connection into redis-py's `ConnectionError`.

    Writing to a connection that has just been closed raises `RuntimeError` in uvloop, which
    redis-py does not expect: asyncio's own transports ignore the write, and the next read fails.
    """
    try:
        yield
    except RuntimeError as error:
        if _CLOSED not in str(error):
            raise
        raise ConnectionLostError("Connection closed by server.") from error


@contextmanager
def raising_unavailable() -> Iterator[None]:
    """Translate redis-py's exceptions in the block into `UnavailableError`."""
    try:
        with raising_lost():
            yield
    except FAILURES as error:
        raise UnavailableError(f"{type(error).__name__}: {error}") from error
