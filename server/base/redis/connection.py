"""redis-py's clients for one Redis server or a cluster, and the errors that they raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

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

MAX_CONNECTIONS = 32
"""Most connections of a node to one server; a command that needs one more waits for one."""

MAX_CLUSTER_CONNECTIONS = 256
"""Most connections to each server of a cluster; a command that needs one more fails at once."""

TIMEOUT = 5.0
"""Seconds after which Redis counts as unavailable."""

Address = str | Path
"""Where Redis is: a URL, or the socket of a private server, whose path need not fit into a URL."""

Client = Redis | RedisCluster
"""A client that knows the servers. Commands for keys go through `Database`, which batches them."""

FAILURES = (RedisError, RedisClusterException, OSError)
"""Exceptions that redis-py raises when a command fails or gets no reply."""

_CLOSED = "the handler is closed"
"""The message of uvloop's error for a transport that is closed."""

_CLUSTER_SUFFIX = "+cluster"

_QUIET: dict[str, Any] = {
    "driver_info": None,
    "maint_notifications_config": MaintNotificationsConfig(enabled=False),
}
"""Settings of a connection without CLIENT SETINFO and CLIENT MAINT_NOTIFICATIONS.

They would cost three commands for each connection, and the right to call them. Only Redis's
commercial products send such notifications.
"""


def connect(address: Address) -> Client:
    """Return a client for an address; it connects when it is first used.

    Args:
        address: the path of a unix socket, or a URL: `redis://`, `rediss://` or `unix://` for one
            server; `redis+cluster://` or `rediss+cluster://` with one or more servers of a cluster,
            separated by commas: `redis+cluster://h1:7000,h2:7000`.

    Raises:
        ValueError: the URL is invalid.
    """
    settings: dict[str, Any] = {
        "max_connections": MAX_CONNECTIONS,
        "timeout": TIMEOUT,
        "socket_timeout": TIMEOUT,
        "socket_connect_timeout": TIMEOUT,
        # Only the journal retries: it must know whether an append may have been sent twice.
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
    return Redis.from_pool(BlockingConnectionPool.from_url(address, **settings))


def with_password(url: str, password: str) -> str:
    """Return a URL for `connect` with a password, which is for the user that the URL names, if any.

    Raises:
        ValueError: the URL has a password already.
    """
    parts = urlsplit(url)
    user, _, hosts = parts.netloc.rpartition("@")
    if ":" in user:
        raise ValueError("The URL of Redis has a password, and there is a file with one.")
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{hosts}").geturl()


def _connect_cluster(url: str) -> RedisCluster:
    scheme, netloc, path, *_ = urlsplit(url)
    if scheme not in {"redis" + _CLUSTER_SUFFIX, "rediss" + _CLUSTER_SUFFIX} or path not in {
        "",
        "/",
        "/0",
    }:
        raise ValueError("The URL of a cluster must look like redis+cluster://host:port,host:port")
    user, _, hosts = netloc.rpartition("@")
    name, _, password = user.partition(":")
    servers = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if not all(server.hostname for server in servers):
        raise ValueError("The URL of a cluster must name at least one server")
    return RedisCluster(
        startup_nodes=[ClusterNode(str(s.hostname), s.port or 6379) for s in servers],
        username=unquote(name) or None,
        password=unquote(password) or None,
        ssl=scheme.startswith("rediss"),
        max_connections=MAX_CLUSTER_CONNECTIONS,
        # Slots that have an owner are served even while others have none.
        require_full_coverage=False,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # Only reads use this client, and a failed one is retried on the slot's new owner.
        retry=Retry(NoBackoff(), 1),
        decode_responses=True,
        protocol=3,
        **_QUIET,
    )


def owner_of(cluster: RedisCluster, key: str) -> ClusterNode:
    """Return the server that owns a key's slot, by the topology that an initialized client has.

    Raises:
        RedisClusterException: no server owns it.
    """
    server = cluster.get_node_from_key(key)
    if server is None:
        raise RedisClusterException(f"no server owns {key}")
    return server


def server_client(server: ClusterNode) -> Redis:
    """Return a client for one server of a cluster, with a connection pool of its own."""
    settings: dict[str, Any] = server.connection_kwargs | {
        "connection_class": server.connection_class,
        "max_connections": MAX_CONNECTIONS,
        "timeout": TIMEOUT,
        "retry": Retry(NoBackoff(), 0),
    }
    return Redis.from_pool(BlockingConnectionPool(**settings))


@contextmanager
def raising_lost() -> Iterator[None]:
    """Raise redis-py's `ConnectionError` in place of what uvloop raises for a closed connection.

    A write to a connection that has just been closed is a `RuntimeError` in uvloop, which redis-py
    does not expect: asyncio's own transports ignore it, and the next read fails.
    """
    try:
        yield
    except RuntimeError as error:
        if _CLOSED not in str(error):
            raise
        raise ConnectionLostError("Connection closed by server.") from error


@contextmanager
def raising_unavailable() -> Iterator[None]:
    """Raise `UnavailableError` in place of what redis-py raises in the block."""
    try:
        with raising_lost():
            yield
    except FAILURES as error:
        raise UnavailableError(f"{type(error).__name__}: {error}") from error
