"""Leaderboards: one sorted set each, of scores by player; the lowest score comes first.

Players with equal scores share a rank, which is one more than the number of lower scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from server.core.boards import PERIODIC, BoardId
from server.core.ids import PlayerId
from server.core.ranking import Row
from server.store import keys
from server.store.database import Database

_PLACE = """
local player, score, life = ARGV[1], ARGV[2], ARGV[3]
local was = redis.call('ZSCORE', KEYS[1], player)
local elsewhere = redis.call('ZREM', KEYS[2], player)
local change = 0
if score == '' then
  redis.call('ZREM', KEYS[1], player)
  if was or elsewhere == 1 then change = -1 end
else
  if not was and elsewhere == 0 then change = 1 end
  redis.call('ZADD', KEYS[1], score, player)
  if life ~= '0' then redis.call('EXPIRE', KEYS[1], life) end
end
if change ~= 0 and #ARGV > 3 then
  for at = 4, #ARGV do redis.call('HINCRBY', KEYS[3], ARGV[at], change) end
  redis.call('EXPIRE', KEYS[3], life)
end
return {(was or '') == score and 0 or 1, elsewhere}
"""
"""Its keys are a leaderboard, the same one of the other group, and the curves of its day.

A life of 0 seconds means without an end.
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
return {redis.call('ZCARD', KEYS[1]), rows(ARGV[2] - 1, ARGV[2] + ARGV[1] - 2)}
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

    async def place(
        self, board: BoardId, player: PlayerId, score: int | None, curve: Sequence[str] = ()
    ) -> tuple[bool, bool]:
        """Set a player's score on a leaderboard, and take that of the other group away.

        Args:
            board: the leaderboard.
            player: the player.
            score: the score; `None` to take it away.
            curve: the fields of the day's curves that the player's run counts in, as long as the
                player has a score in either group.

        Returns:
            Whether the leaderboard has changed, and whether that of the other group has.

        Raises:
            UnavailableError: the score may or may not have been set.
        """
        other = board._replace(group="guests" if board.group == "ranked" else "ranked")
        names = [keys.leaderboard(board), keys.leaderboard(other), keys.curves(board)]
        text = "" if score is None else str(score)
        life = keys.LEADERBOARD_LIFE if board.scope in PERIODIC else 0
        here, there = await self._database.run(_PLACE, names, player, text, life, *curve)
        return bool(here), bool(there)

    async def top(self, board: BoardId, count: int, first: int = 1) -> tuple[int, list[Row]]:
        """Return the number of all rows, and `count` of them from the one of number `first` on.

        Redis takes as long as for `count` rows, wherever they are, and runs nothing else meanwhile:
        ask for a hundred at most.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.leaderboard(board)
        ((size, found),) = await self._database.ask(
            lambda redis, name: redis.eval(_TOP, 1, name, str(count), str(first)), key
        )
        return int(size), _rows(found)

    async def sizes(self, boards: Sequence[BoardId]) -> list[int]:
        """Return the number of rows of each leaderboard, in one round trip.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._database.ask(
            lambda redis, key: redis.zcard(key), *map(keys.leaderboard, boards)
        )

    async def curves(self, board: BoardId) -> dict[str, int]:
        """Return the counts of the curves of a daily, by its leaderboard; none if there are none.

        Raises:
            UnavailableError: Redis does not answer.
        """
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.curves(board)
        )
        return {field: int(count) for field, count in found.items()}

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
