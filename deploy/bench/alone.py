"""The services of a node on a Redis of its own, for what no session is needed to measure."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from redis.asyncio import Redis

from server.app import redis_store
from server.base.nodes.registration import Registration
from server.base.redis.bus import Bus
from server.base.redis.clock import RedisClock
from server.base.redis.connection import connect
from server.base.redis.database import Database
from server.base.redis.embedded import embedded_redis
from server.base.seals.core.secret_keys import SecretKeys
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.cli.logs import configure
from server.stores import Store
from server.wings import Services


class Alone(NamedTuple):
    """The services, and what they are built on."""

    redis: Redis
    database: Database
    store: Store
    services: Services


@asynccontextmanager
async def services_alone() -> AsyncIterator[Alone]:
    """Start an empty Redis, and yield services on it that have read its time."""
    configure("console", "warning", "bench")
    with tempfile.TemporaryDirectory(prefix="samedeal") as folder:
        async with embedded_redis(Path(folder)) as socket:
            redis = connect(socket)
            assert isinstance(redis, Redis)
            database = Database(redis, 0)
            secret_keys = SecretKeys([secrets.token_bytes(32)])
            store = redis_store(database, RedisClock(database), secret_keys)
            registration = Registration(store.nodes, store.held)
            services = Services(store, Bus(database), registration, Metrics(), Background())
            await store.clock.sample()
            yield Alone(redis, database, store, services)
            await services.close()
            await database.close()
