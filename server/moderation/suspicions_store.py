"""Suspicious runs, and the board digests that find similar runs."""

from __future__ import annotations

from collections.abc import Sequence

from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.dailies.core import keys as dailies_keys
from server.moderation.core import keys
from server.play.core.result import pack
from server.results.core import keys as results_keys
from server.results.core.boards import BoardId

_FIRST = Script("""
local found = {}
for place = 3, #ARGV do
  redis.call('HSETNX', KEYS[1], ARGV[place], ARGV[1])
  found[#found + 1] = redis.call('HGET', KEYS[1], ARGV[place])
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return found
""")

_ADD = Script("""
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
local beyond = redis.call('ZCARD', KEYS[1]) - ARGV[4]
if beyond > 0 then
  local dropped = redis.call('ZRANGE', KEYS[1], 0, beyond - 1)
  for _, attempt in ipairs(dropped) do
    redis.call('ZREM', KEYS[1], attempt)
    redis.call('HDEL', KEYS[2], attempt)
    redis.call('HDEL', KEYS[3], attempt)
  end
end
""")

_MEDIAN_WIN = Script("""
local wins = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[1])
local middle = math.floor(wins / 2)
return {wins, redis.call('ZRANGE', KEYS[1], middle, middle, 'WITHSCORES')[2] or '0'}
""")


class SuspicionStore:
    """Suspicious runs, at most `keys.MAX_SUSPICIOUS`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def first(
        self, daily: DailyId, digests: Sequence[str], player: PlayerId
    ) -> list[PlayerId]:
        """Return the first player to reach each of some boards of a daily.

        `digests` are the boards', at least one, about 60 bytes each. `player` is stored at boards
        not reached before.

        Raises:
            UnavailableError: this player may or may not have been stored.
        """
        found = await self._database.run(
            _FIRST, [dailies_keys.digests(daily)], player, dailies_keys.DIGESTS_LIFE_S, *digests
        )
        return [PlayerId(each) for each in found]

    async def median_win(self, board: BoardId) -> tuple[int, int]:
        """Return the number of wins on a daily's leaderboard, and the score of the median win.

        Without a win, it is the best score, or 0 on an empty leaderboard.
        """
        unwon = str(pack(1, 0, 0))
        key = results_keys.leaderboard(board)
        wins, score = await self._database.ask_script(_MEDIAN_WIN, key, unwon)
        return int(wins), int(score)

    async def add(self, name: str, at: int, text: str) -> None:
        """Add a suspicious run or race (JSON) that ended at a time in Unix milliseconds.

        An earlier one of the same name is replaced; if there are too many, the oldest is dropped.
        """
        names = [keys.SUSPICIOUS, keys.SUSPICIONS, keys.CLOSED]
        await self._database.run(_ADD, names, name, at, text, keys.MAX_SUSPICIOUS)

    async def list(self) -> list[str]:
        """Return all suspicions as JSON, unordered, up to two megabytes."""
        (found,) = await self._database.ask(lambda redis, key: redis.hvals(key), keys.SUSPICIONS)
        return list(found)
