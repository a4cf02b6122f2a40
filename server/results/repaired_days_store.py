"""Storage of the days lost to server faults."""

from __future__ import annotations

from server.base.redis.database import Database
from server.results.core import keys


class RepairedDayStore:
    """The repaired days, of a game or of all games: a few bytes each."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, game: str, day: int) -> None:
        """Record that a day of a game, or of all games, was lost to a server fault."""
        key = keys.REPAIRED_DAYS
        await self._database.write(key, "HSET", key, f"{game}:{day}", "")

    async def all(self) -> list[tuple[str, int]]:
        """Return the (game, day) of all repaired days."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.REPAIRED_DAYS
        )
        return [(game, int(day)) for game, _, day in (name.partition(":") for name in found)]
