"""Registrations of sweepers, among which the partitions are divided."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from server.base.core import keys
from server.base.redis.database import Database
from server.base.redis.scripts import Script

_RENEW = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2] * 1000, ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if ARGV[3] ~= '' then redis.call('SET', KEYS[2], '', 'EX', ARGV[3]) end
return {redis.call('EXISTS', KEYS[2]), unpack(redis.call('ZRANGE', KEYS[1], 0, -1))}
""")


class Share(NamedTuple):
    """The active sweepers."""

    names: list[str]
    busy: bool  # whether players were active in the last `keys.BUSY_LIFE_S` seconds, on any node


class SweeperStore:
    """The nodes that sweep. The entry of a killed node expires."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.name = secrets.token_hex(8)  # the random name of this node's sweeper

    async def renew(self, *, busy: bool) -> Share:
        """Register this sweeper for the next `keys.SWEEPER_LIFE_S` seconds; return all sweepers.

        `busy` states whether players were active on this node since the last call.
        """
        busy_for = keys.BUSY_LIFE_S if busy else ""
        names = [keys.SWEEPERS, keys.BUSY]
        found, *alive = await self._database.run(
            _RENEW, names, self.name, keys.SWEEPER_LIFE_S, busy_for
        )
        return Share(sorted(alive), bool(found))

    async def drop(self) -> None:
        """Delete this sweeper's entry."""
        await self._database.write(keys.SWEEPERS, "ZREM", keys.SWEEPERS, self.name)
