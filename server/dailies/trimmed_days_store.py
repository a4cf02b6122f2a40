"""Storage of the days with deleted journals."""

from __future__ import annotations

from server.base.redis.database import Database
from server.dailies.core import keys


class TrimmedDayStore:
    """Stores the days with deleted journals, a few bytes each. These days are archived as files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, day: int) -> None:
        """Record that the journals of a day are deleted; called before the deletion."""
        key = keys.TRIMMED_DAYS
        await self._database.write(key, "ZADD", key, day, day)
        await self._database.write(key, "EXPIRE", key, keys.TRIMMED_LIFE_S)

    async def all(self) -> set[int]:
        """Return all such days, including days whose journals would have expired by now."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1), keys.TRIMMED_DAYS
        )
        return set(map(int, found))
