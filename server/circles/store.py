"""The index of each player's current and former circles."""

from __future__ import annotations

from collections.abc import Collection

from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.circles.core import keys
from server.circles.core.ids import CircleId

MAX_LEFT = 200  # the most circles listed per player; those left longest ago are dropped first
_PAST = 2**52  # subtracted from the time of leaving to give a former circle a negative score

_ADD = Script("""
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[3])
""")


class CircleStore:
    """The current and former circles of each player."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, player: PlayerId, circle: CircleId, at: int) -> None:
        """Record that a player has been in a circle since a time in Unix milliseconds."""
        given = at, circle, keys.CIRCLE_LIFE_S, MAX_LEFT
        await self._database.run(_ADD, [keys.circles_of(player)], *given)

    async def leave(self, player: PlayerId, circle: CircleId, at: int) -> None:
        """Record that a player left a circle, whose tables may still include them."""
        await self.add(player, circle, at - _PAST)

    async def of(self, player: PlayerId) -> list[CircleId]:
        """Return the circles a player may be in, in the order of joining."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrangebyscore(key, 0, "+inf"), keys.circles_of(player)
        )
        return [CircleId(each) for each in found]

    async def ever(self, player: PlayerId) -> list[CircleId]:
        """Return the circles a player may be in or may have left."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1), keys.circles_of(player)
        )
        return [CircleId(each) for each in found]

    async def remove(self, player: PlayerId, circles: Collection[CircleId]) -> None:
        """Remove circles from a player's list."""
        if circles:
            key = keys.circles_of(player)
            await self._database.write(key, "ZREM", key, *circles)

    async def forget(self, player: PlayerId) -> None:
        """Delete a player's list."""
        key = keys.circles_of(player)
        await self._database.write(key, "DEL", key)

    async def extend(self, circle: CircleId) -> None:
        """Renew the lifetime of a circle's journal, if it exists."""
        key = keys.circle(circle)
        await self._database.write(key, "EXPIRE", key, str(keys.CIRCLE_LIFE_S))
