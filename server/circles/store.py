"""Circles as stored beside their journals: which ones a player is in, or has left."""

from __future__ import annotations

from collections.abc import Collection

from server.base.core.ids import CircleId, PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.circles.core import keys

MAX_LEFT = 200
"""The most circles of a player that are listed, those that were left longest ago being the first
that are not any more."""

_PAST = 2**52
"""The score of a circle that a player has left is by so much less than the time of that."""

_ADD = Script("""
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[3])
""")


class CircleStore:
    """The circles of each player."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, player: PlayerId, circle: CircleId, at: int) -> None:
        """Note that a player is in a circle since a time in Unix milliseconds."""
        given = at, circle, keys.CIRCLE_LIFE_S, MAX_LEFT
        await self._database.run(_ADD, [keys.circles_of(player)], *given)

    async def leave(self, player: PlayerId, circle: CircleId, at: int) -> None:
        """Note that a player has left a circle, in whose tables there still may be something."""
        await self.add(player, circle, at - _PAST)

    async def of(self, player: PlayerId) -> list[CircleId]:
        """Return the circles that a player may be in, in the order of joining."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrangebyscore(key, 0, "+inf"), keys.circles_of(player)
        )
        return [CircleId(each) for each in found]

    async def ever(self, player: PlayerId) -> list[CircleId]:
        """Return the circles that a player may be in or has left."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1), keys.circles_of(player)
        )
        return [CircleId(each) for each in found]

    async def remove(self, player: PlayerId, circles: Collection[CircleId]) -> None:
        """Forget some circles of a player."""
        if circles:
            key = keys.circles_of(player)
            await self._database.write(key, "ZREM", key, *circles)

    async def forget(self, player: PlayerId) -> None:
        """Forget all circles of a player."""
        key = keys.circles_of(player)
        await self._database.write(key, "DEL", key)

    async def extend(self, circle: CircleId) -> None:
        """Let a circle live on, as one that is used, if it is there."""
        key = keys.circle(circle)
        await self._database.write(key, "EXPIRE", key, str(keys.CIRCLE_LIFE_S))
