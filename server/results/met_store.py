"""Storage of each player's opponents in races."""

from __future__ import annotations

from collections.abc import Sequence

from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.players.core import keys as players_keys
from server.results.core import keys

_MEET = Script("""
for at = 4, #ARGV do redis.call('ZADD', KEYS[1], 'GT', ARGV[1], ARGV[at]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
""")


class MetStore:
    """Each player's opponents in races: at most 100, 40 bytes each."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, player: PlayerId, others: Sequence[PlayerId], at: int) -> None:
        """Add a player's opponents at a time in Unix milliseconds; the latest are kept."""
        key = keys.met(player)
        await self._database.run(
            _MEET, [key], at, keys.MAX_MET, players_keys.PLAYER_LIFE_S, *others
        )

    async def read(self, player: PlayerId) -> list[PlayerId]:
        """Return a player's opponents, at most `keys.MAX_MET`, latest first."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrevrange(key, 0, -1), keys.met(player)
        )
        return [PlayerId(each) for each in found]
