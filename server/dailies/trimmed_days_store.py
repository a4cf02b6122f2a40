"""The days whose journals have been deleted, as they are stored."""

from __future__ import annotations

from server.base.redis.database import Database
from server.dailies.core import keys


class TrimmedDayStore:
    """The days whose journals have been deleted: some bytes each. They are archived as files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, day: int) -> None:
        """Store that the journals of a day are deleted, before they are."""
        key = keys.TRIMMED_DAYS
        await self._database.write(key, "ZADD", key, day, day)
        await self._database.write(key, "EXPIRE", key, keys.TRIMMED_LIFE_S)

    async def all(self) -> set[int]:
        """Return all such days, among them those that have no journals in any case by now."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1), keys.TRIMMED_DAYS
        )
        return set(map(int, found))
