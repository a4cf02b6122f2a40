"""Storage of the daily sets: a hash with a field for each change."""

from __future__ import annotations

from collections.abc import Iterable

from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.results.core import keys
from server.results.core.daily_sets import DailySets

_FIXED, _LATEST = "fixed", "latest"

_FIX = Script("""
local fixed = redis.call('HGET', KEYS[1], 'fixed')
if fixed and tonumber(fixed) >= tonumber(ARGV[1]) then return end
redis.call('HSET', KEYS[1], 'fixed', ARGV[1])
if redis.call('HGET', KEYS[1], 'latest') ~= ARGV[2] then
  redis.call('HSET', KEYS[1], 'latest', ARGV[2], ARGV[1], ARGV[2])
end
""")


class DailySetStore:
    """The daily sets of all days."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> DailySets:
        """Return the sets of all days; empty in a new store."""
        (found,) = await self._database.ask(lambda redis, key: redis.hgetall(key), keys.DAILY_SETS)
        fields = dict(found)
        fixed = int(fields.pop(_FIXED, -1))
        fields.pop(_LATEST, None)
        changes = sorted((int(day), frozenset(games.split())) for day, games in fields.items())
        return DailySets(tuple(changes), fixed)

    async def fix(self, day: int, games: Iterable[str]) -> None:
        """Store the games of a day's set, unless this day's or a later day's set is stored."""
        text = " ".join(sorted(games))
        await self._database.run(_FIX, [keys.DAILY_SETS], day, text)
