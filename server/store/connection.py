"""The connection to Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from server.core.refusal import UnavailableError

CONNECTIONS = 32
"""The most connections of one node; what needs another one waits."""

TIMEOUT = 5.0
"""Seconds after which Redis counts as not answering."""


def connect(url: str) -> Redis:
    """Return a client for `redis://`, `rediss://` or `unix://`; it connects when first used.

    Nothing is retried below the journal: a repeated append must be seen to be one.

    Raises:
        ValueError: the address is none.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=CONNECTIONS,
        timeout=TIMEOUT,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
        protocol=3,
    )
    return Redis.from_pool(pool)


@contextmanager
def answering() -> Iterator[None]:
    """Turn what redis-py raises inside into `UnavailableError`."""
    try:
        yield
    except (RedisError, OSError) as error:
        raise UnavailableError(f"{type(error).__name__}: {error}") from error
