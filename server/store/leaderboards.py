"""Leaderboards: one sorted set each, of packed results by player; the lowest score comes first.

Players with equal scores share a rank, which is one more than the number of lower scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from server.core.boards import BoardId
from server.core.ids import PlayerId
from server.core.ranking import Row
from server.store import keys
from server.store.database import Database

_ENTER = """
local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return added
"""


_ROWS = """
local function rows(first, last)
  local found = redis.call('ZRANGE', KEYS[1], first, last, 'WITHSCORES')
  if #found == 0 then return {} end
  local better = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. found[2])
  return {first + 1, better + 1, unpack(found)}
end
"""
"""A Lua function for scripts: rows from a first to a last place, both from 0 and inclusive.

It returns the place and the rank of the first row, both from 1, and then player and score of each
row; or an empty table if there are no rows.
"""

_TOP = (
    _ROWS
    + """
return {redis.call('ZCARD', KEYS[1]), rows(0, ARGV[1] - 1)}
"""
)

_AROUND = (
    _ROWS
    + """
local answers = {}
for number = 2, #ARGV do
  local place = redis.call('ZRANK', KEYS[1], ARGV[number])
  answers[number - 1] = place and rows(math.max(0, place - ARGV[1]), place + ARGV[1]) or {}
end
return answers
"""
)

_STANDING = (
    _ROWS
    + """
local place = redis.call('ZRANK', KEYS[1], ARGV[1])
return {redis.call('ZCARD', KEYS[1]), place and rows(place, place) or {}}
"""
)


class Leaderboards:
    """All leaderboards."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def enter(self, board: BoardId, player: PlayerId, score: int) -> bool:
        """Enter a player's result, unless the player has one on this leaderboard.

        Args:
            board: the leaderboard.
            player: the player.
            score: the packed result.

        Returns:
            Whether the result was entered.

        Raises:
            UnavailableError: the result may or may not have been entered.
        """
        key = keys.leaderboard(board)
        return bool(await self._database.run(_ENTER, [key], player, score, keys.LEADERBOARD_LIFE))

    async def top(self, board: BoardId, count: int) -> tuple[int, list[Row]]:
        """Return the number of all rows, and the first `count` of them.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        ((size, found),) = await self._database.ask(
            lambda redis, name: redis.eval(_TOP, 1, name, str(count)), key
        )
        return int(size), _rows(found)

    async def around(
        self, board: BoardId, players: Sequence[PlayerId], reach: int
    ) -> list[list[Row]]:
        """Return the row of each player with up to `reach` rows on either side, in one round trip.

        A player without a row gets an empty list. Each player costs three look-ups in the sorted
        set, and Redis runs no other command meanwhile: pass a few hundred players at most.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        (found,) = await self._database.ask(
            lambda redis, name: redis.eval(_AROUND, 1, name, str(reach), *players), key
        )
        return [_rows(each) for each in found]

    async def standing(self, board: BoardId, player: PlayerId) -> tuple[int, Row | None]:
        """Return the number of all rows, and a player's own row or `None`, in one round trip.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        ((size, found),) = await self._database.ask(
            lambda redis, name: redis.eval(_STANDING, 1, name, player), key
        )
        return int(size), next(iter(_rows(found)), None)


def _rows(found: Any) -> list[Row]:
    """Parse what the Lua function of `_ROWS` returns."""
    if not found:
        return []
    place, rank, *pairs = found
    rows: list[Row] = []
    for shown, score in zip(pairs[::2], map(int, pairs[1::2]), strict=True):
        if rows and rows[-1].score != score:
            rank = place + len(rows)
        rows.append(Row(rank, PlayerId(shown), score))
    return rows
