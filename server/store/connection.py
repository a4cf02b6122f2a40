"""The connection to Redis: one server, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException, RedisError

from server.core.refusal import UnavailableError

CONNECTIONS = 32
"""The most connections of one node to one server; what needs another one waits."""

CLUSTER_CONNECTIONS = 256
"""The most to each server of a cluster; there, what needs another one is refused at once."""

TIMEOUT = 5.0
"""Seconds after which Redis counts as not answering."""

Client = Redis | RedisCluster
"""What reads. Writes go through `Database`, which knows when they stand."""

FAILURES = (RedisError, RedisClusterException, OSError)
"""What redis-py raises when Redis does not do as it is asked."""

_CLUSTER = "+cluster"


def connect(url: str) -> Client:
    """Return a client for an address; it connects when first used.

    The address is `redis://`, `rediss://` or `unix://`, or `redis+cluster://` or
    `rediss+cluster://` with some servers of the cluster: `redis+cluster://h1:7000,h2:7000`.

    Raises:
        ValueError: the address is none.
    """
    if urlsplit(url).scheme.endswith(_CLUSTER):
        return _connect_cluster(url)
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=CONNECTIONS,
        timeout=TIMEOUT,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # Nothing is retried below the journal: a repeated append must be seen to be one.
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
        protocol=3,
    )
    return Redis.from_pool(pool)


def _connect_cluster(url: str) -> RedisCluster:
    scheme, netloc, path, *_ = urlsplit(url)
    if scheme not in {"redis" + _CLUSTER, "rediss" + _CLUSTER} or path not in {"", "/", "/0"}:
        raise ValueError("A cluster is given as redis+cluster://host:port,host:port")
    user, _, hosts = netloc.rpartition("@")
    name, _, password = user.partition(":")
    servers = [urlsplit(f"//{host}") for host in hosts.split(",")]
    if not all(server.hostname for server in servers):
        raise ValueError("A cluster needs the address of one of its servers at least")
    return RedisCluster(
        startup_nodes=[ClusterNode(str(s.hostname), s.port or 6379) for s in servers],
        username=unquote(name) or None,
        password=unquote(password) or None,
        ssl=scheme.startswith("rediss"),
        max_connections=CLUSTER_CONNECTIONS,
        # What is left of a cluster that lacks a part goes on.
        require_full_coverage=False,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        # Reads alone come this way, and one that failed is sent to whoever took over.
        retry=Retry(NoBackoff(), 1),
        decode_responses=True,
        protocol=3,
    )


def owner_of(cluster: RedisCluster, key: str) -> ClusterNode:
    """Return the server that owns a key, as far as the client knows; it has been initialized.

    Raises:
        RedisClusterException: none does.
    """
    server = cluster.get_node_from_key(key)
    if server is None:
        raise RedisClusterException(f"no server owns {key}")
    return server


def alone(server: ClusterNode) -> Redis:
    """Return a client of one server of a cluster, with connections of its own."""
    settings: dict[str, Any] = server.connection_kwargs | {
        "connection_class": server.connection_class,
        "max_connections": CONNECTIONS,
        "timeout": TIMEOUT,
        "retry": Retry(NoBackoff(), 0),
    }
    return Redis.from_pool(BlockingConnectionPool(**settings))


@contextmanager
def answering() -> Iterator[None]:
    """Turn what redis-py raises inside into `UnavailableError`."""
    try:
        yield
    except FAILURES as error:
        raise UnavailableError(f"{type(error).__name__}: {error}") from error
