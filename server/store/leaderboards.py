"""Leaderboards: a sorted set a game and day. A rank follows from the scores alone."""

from __future__ import annotations

from server.core.ids import PlayerId
from server.core.ranking import Row
from server.store import keys
from server.store.database import Database

_ENTER = """
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
"""


_ROWS = """
local first, last = tonumber(ARGV[1]), tonumber(ARGV[2])
if ARGV[3] ~= '' then
  local place = redis.call('ZRANK', KEYS[1], ARGV[3])
  if not place then return {} end
  first, last = math.max(0, place + first), place + last
end
local rows = redis.call('ZRANGE', KEYS[1], first, last, 'WITHSCORES')
if #rows == 0 then return {} end
local better = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. rows[2])
return {first + 1, better + 1, unpack(rows)}
"""
"""The place and the rank of the first row, and then the rows, all of one moment."""


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
        (found,) = await self._database.ask(
            lambda redis, key: redis.zcard(key), keys.leaderboard(game, day)
        )
        return int(found)

    async def top(self, game: str, day: int, count: int) -> list[Row]:
        """Return the first rows.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._rows(game, day, 0, count - 1)

    async def around(self, game: str, day: int, player: PlayerId, reach: int) -> list[Row]:
        """Return a player's row with up to `reach` rows on either side; none without a row.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._rows(game, day, -reach, reach, player)

    async def _rows(
        self, game: str, day: int, first: int, last: int, player: PlayerId | None = None
    ) -> list[Row]:
        """Return the rows of these places, counted from zero or from the one of a player."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.eval(_ROWS, 1, key, str(first), str(last), player or ""),
            keys.leaderboard(game, day),
        )
        if not found:
            return []
        place, rank, *pairs = found
        rows: list[Row] = []
        for shown, score in zip(pairs[::2], map(int, pairs[1::2]), strict=True):
            if rows and rows[-1].score != score:
                rank = place + len(rows)
            rows.append(Row(rank, PlayerId(shown), score))
        return rows
