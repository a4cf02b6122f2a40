"""Leaderboards: a sorted set each. A rank follows from the scores alone."""

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
"""Begins a script: the place and the rank of the first row of some, and then the rows."""

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
        """Enter a player's one result of the period; doing so again changes nothing.

        Returns:
            Whether it was entered by this.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        return bool(await self._database.run(_ENTER, [key], player, score, keys.LEADERBOARD_LIFE))

    async def top(self, board: BoardId, count: int) -> tuple[int, list[Row]]:
        """Return the number of rows, and the first of them.

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

        Who has no row gets none. Each player costs Redis three look-ups in the sorted set, in
        which nothing else is answered: ask for some hundred at most.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        (found,) = await self._database.ask(
            lambda redis, name: redis.eval(_AROUND, 1, name, str(reach), *players), key
        )
        return [_rows(each) for each in found]

    async def standing(self, board: BoardId, player: PlayerId) -> tuple[int, Row | None]:
        """Return the number of rows, and a player's own one, in one round trip.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        ((size, found),) = await self._database.ask(
            lambda redis, name: redis.eval(_STANDING, 1, name, player), key
        )
        return int(size), next(iter(_rows(found)), None)


def _rows(found: Any) -> list[Row]:
    """Return the rows of an answer to `_ROWS`."""
    if not found:
        return []
    place, rank, *pairs = found
    rows: list[Row] = []
    for shown, score in zip(pairs[::2], map(int, pairs[1::2]), strict=True):
        if rows and rows[-1].score != score:
            rank = place + len(rows)
        rows.append(Row(rank, PlayerId(shown), score))
    return rows
