"""Registrations of nodes. A killed node's registration expires."""

from __future__ import annotations

from server.base.core import keys
from server.base.redis.database import Database
from server.base.redis.scripts import Script

_RENEW = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
""")


class NodeStore:
    """The nodes with a current registration."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def renew(self, node: str) -> list[str]:
        """Register a node for the next `keys.NODE_LIFE_S` seconds, and return all nodes."""
        return list(await self._database.run(_RENEW, [keys.NODES], node, keys.NODE_LIFE_S))

    async def drop(self, node: str) -> None:
        """Delete the registration of a node that stops."""
        await self._database.write(keys.NODES, "ZREM", keys.NODES, node)

    async def alive(self, now: int) -> list[str]:
        """Return the nodes registered at a Unix time in milliseconds, sorted."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, f"({now}", "+inf", byscore=True), keys.NODES
        )
        return sorted(found)
