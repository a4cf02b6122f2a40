"""Registrations of nodes. The one of a node that was killed expires."""

from __future__ import annotations

from server.store import keys
from server.store.database import Database

_RENEW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + ARGV[2] * 1000, ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""


class Nodes:
    """The nodes with a current registration."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def renew(self, node: str) -> list[str]:
        """Register a node for the next `keys.NODE_LIFE` seconds, and return all nodes.

        Raises:
            UnavailableError: Redis does not answer.
        """
        names = [keys.NODES, keys.READERS]
        return list(await self._database.run(_RENEW, names, node, keys.NODE_LIFE))

    async def drop(self, node: str) -> None:
        """Delete the registration of a node that stops.

        Raises:
            UnavailableError: Redis does not answer.
        """
        for key in (keys.NODES, keys.READERS):
            await self._database.write(key, "ZREM", key, node)

    async def alive(self, now: int) -> list[str]:
        """Return the nodes whose registrations are current at a Unix time in milliseconds, sorted.

        Raises:
            UnavailableError: Redis does not answer.
        """
        (found,) = await self._alive(now, keys.NODES)
        return sorted(found)

    async def older(self, now: int) -> list[str]:
        """Return those of them that are of a release up to 0.2.0, sorted.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found, readers = await self._alive(now, keys.NODES, keys.READERS)
        return sorted(set(found) - set(readers))

    async def _alive(self, now: int, *names: str) -> list[list[str]]:
        return await self._database.ask(
            lambda redis, key: redis.zrange(key, f"({now}", "+inf", byscore=True), *names
        )
