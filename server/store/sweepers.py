"""Sweepers: the nodes that share out what is to be done without being asked."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from server.store import keys
from server.store.database import Database

_RENEW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if ARGV[3] ~= '' then redis.call('SET', KEYS[2], '', 'EX', ARGV[3]) end
return {redis.call('EXISTS', KEYS[2]), unpack(redis.call('ZRANGE', KEYS[1], 0, -1))}
"""


class Share(NamedTuple):
    """Who sweeps, by name and in order, and whether anybody has played lately, on any node."""

    names: list[str]
    busy: bool


class Sweepers:
    """The nodes that sweep. One that is killed is forgotten by itself.

    Attributes:
        name: this node's among them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.name = secrets.token_hex(8)

    async def renew(self, *, busy: bool) -> Share:
        """Be one of them for `keys.SWEEPER_LIFE` seconds from now; say if anybody played here.

        Raises:
            UnavailableError: Redis does not answer.
        """
        busy_for = keys.BUSY_LIFE if busy else ""
        names = [keys.SWEEPERS, keys.BUSY]
        found, *alive = await self._database.run(
            _RENEW, names, self.name, keys.SWEEPER_LIFE, busy_for
        )
        return Share(sorted(alive), bool(found))

    async def drop(self) -> None:
        """Be none of them any more.

        Raises:
            UnavailableError: Redis does not answer.
        """
        await self._database.write(keys.SWEEPERS, "ZREM", keys.SWEEPERS, self.name)
