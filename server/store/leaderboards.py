"""Leaderboards: a sorted set a game and day. A rank follows from the scores alone."""

from __future__ import annotations

from typing import Any

from server.core.ids import PlayerId
from server.core.ranking import Row
from server.store import keys
from server.store.connection import answering
from server.store.database import Database

_ENTER = """
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
"""


class Leaderboards:
    """All leaderboards, by game and day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enter(self, game: str, day: int, player: PlayerId, score: int) -> None:
        """Enter a player's one result of the day; doing so again changes nothing.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(game, day)
        await self._database.run(_ENTER, [key], player, score, keys.LEADERBOARD_LIFE)

    async def size(self, game: str, day: int) -> int:
        """Return the number of rows.

        Raises:
            UnavailableError: Redis does not answer.
        """
        with answering():
            return int(await self._database.client.zcard(keys.leaderboard(game, day)))

    async def top(self, game: str, day: int, count: int) -> list[Row]:
        """Return the first rows.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._rows(keys.leaderboard(game, day), 0, count - 1)

    async def around(self, game: str, day: int, player: PlayerId, reach: int) -> list[Row]:
        """Return a player's row with up to `reach` rows on either side; none without a row.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(game, day)
        with answering():
            place: Any = await self._database.client.zrank(key, player)
        if place is None:
            return []
        return await self._rows(key, max(0, place - reach), place + reach)

    async def _rows(self, key: str, first: int, last: int) -> list[Row]:
        """Return the rows of the places from `first` to `last`, counted from zero."""
        with answering():
            found: Any = await self._database.client.zrange(key, first, last, withscores=True)
            if not found:
                return []
            before = await self._database.client.zcount(key, "-inf", f"({int(found[0][1])}")
        rows: list[Row] = []
        for place, (player, score) in enumerate(found, start=first + 1):
            same = rows and rows[-1].score == int(score)
            rank = rows[-1].rank if same else (place if rows else int(before) + 1)
            rows.append(Row(rank, PlayerId(player), int(score)))
        return rows
