"""Storage of leaderboards: a sorted set each, of scores by player, lowest score first.

Players with equal scores share a rank, which is one more than the number of lower scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from server.base.core.ids import PlayerId
from server.base.redis.database import Database, Keyed
from server.base.redis.scripts import Script
from server.play.core.result import Row, Rows
from server.players.core.keys import history as history_of
from server.results.core import keys
from server.results.core.boards import PERIODIC, BoardId
from server.results.core.history_fields import VERSION

# The keys are a leaderboard, the other group's leaderboard, and the day's curves. A lifetime of 0
# seconds means no expiry.
_PLACE = Script("""
local player, score, life = ARGV[1], ARGV[2], ARGV[3]
local was = redis.call('ZSCORE', KEYS[1], player)
local elsewhere = redis.call('ZSCORE', KEYS[2], player)
if elsewhere then redis.call('ZREM', KEYS[2], player) end
local change = 0
if score == '' then
  redis.call('ZREM', KEYS[1], player)
  if was or elsewhere then change = -1 end
else
  if not (was or elsewhere) then change = 1 end
  redis.call('ZADD', KEYS[1], score, player)
  if life ~= '0' then redis.call('EXPIRE', KEYS[1], life) end
end
if change ~= 0 and #ARGV > 3 then
  for at = 4, #ARGV do redis.call('HINCRBY', KEYS[3], ARGV[at], change) end
  redis.call('EXPIRE', KEYS[3], life)
end
return {was, elsewhere}
""")

# A Lua function for scripts: the rows between two positions, from 0, inclusive. It returns the
# position and the rank of the first row, both from 1, followed by each row's player and score; or
# an empty table if there are no rows.
_ROWS = """
local function rows(first, last)
  local found = redis.call('ZRANGE', KEYS[1], first, last, 'WITHSCORES')
  if #found == 0 then return {} end
  local better = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. found[2])
  return {first + 1, better + 1, unpack(found)}
end
"""

_PAGE = Script(
    _ROWS
    + """
local size = redis.call('ZCARD', KEYS[1])
local half = math.floor((size - 1) / 2)
local middle = size > 0 and redis.call('ZRANGE', KEYS[1], half, half, 'WITHSCORES')[2] or false
local first = tonumber(ARGV[1])
return {size, rows(first - 1, first + ARGV[2] - 2), middle}
"""
)

_AROUND = Script(
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

# The arguments are the most rows to return per list, then lists of players, each after its length.
_AMONG = Script("""
local most, at, answers = tonumber(ARGV[1]), 2, {}
while at <= #ARGV do
  local last = at + ARGV[at]
  local texts, scores, found, rows = {}, {}, {}, {}
  for nth, score in ipairs(redis.call('ZMSCORE', KEYS[1], unpack(ARGV, at + 1, last))) do
    if score then
      local player = ARGV[at + nth]
      texts[player], scores[player], found[#found + 1] = score, tonumber(score), player
    end
  end
  table.sort(found, function(one, other)
    if scores[one] ~= scores[other] then return scores[one] < scores[other] end
    return one < other
  end)
  for place = 1, math.min(most, #found) do
    local score = texts[found[place]]
    local better = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. score)
    rows[place] = {better + 1, found[place], score}
  end
  answers[#answers + 1] = rows
  at = last + 1
end
return answers
""")

_STANDING = Script(
    _ROWS
    + """
local place = redis.call('ZRANK', KEYS[1], ARGV[1])
return {redis.call('ZCARD', KEYS[1]), place and rows(place, place) or {}}
"""
)


class Placement(NamedTuple):
    """A player's new place on a leaderboard."""

    board: BoardId
    score: int | None  # `None` to remove the player
    # The fields of the day's curves that the player's run increments while the player has a score
    # in either group.
    curve: Sequence[str] = ()


class Previous(NamedTuple):
    """A player's score before a placement, on the leaderboard and on the other group's."""

    score: int | None
    elsewhere: int | None


class LeaderboardStore:
    """All leaderboards."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def place(
        self, player: PlayerId, placements: Sequence[Placement]
    ) -> tuple[list[Previous], int]:
        """Set or remove a player's scores, and remove those on the other groups' leaderboards.

        Return the previous scores, and the version of the player's history afterwards.
        """
        writes = [_placing(player, each) for each in placements]
        history = history_of(player)
        found, version = await self._database.write_then_read(
            writes, history, "HGET", history, VERSION
        )
        previous = [Previous(_score(was), _score(elsewhere)) for was, elsewhere in found]
        return previous, int(version or 0)

    async def rows(self, board: BoardId, first: int, count: int) -> Rows:
        """Return `count` rows from position `first` (from 1), in one round trip.

        It takes Redis about 20 µs plus 1 µs per row, independent of the leaderboard's size.
        """
        key = keys.leaderboard(board)
        size, found, middle = await self._database.ask_script(_PAGE, key, first, count)
        return Rows(int(size), _rows(found), _score(middle))

    async def sizes(self, boards: Sequence[BoardId]) -> list[int]:
        """Return each leaderboard's number of rows, in one round trip."""
        return await self._database.ask(
            lambda redis, key: redis.zcard(key), *map(keys.leaderboard, boards)
        )

    async def curves(self, board: BoardId) -> dict[str, int]:
        """Return the counts of a daily's curves, given its leaderboard; empty without runs."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.curves(board)
        )
        return {field: int(count) for field, count in found.items()}

    async def around(
        self, board: BoardId, players: Sequence[PlayerId], reach: int
    ) -> list[list[Row]]:
        """Return each player's row with up to `reach` rows on either side, in one round trip.

        The list is empty for a player without a row. Each player costs three lookups in the sorted
        set, during which Redis is blocked: pass at most a few hundred players.
        """
        key = keys.leaderboard(board)
        found = await self._database.ask_script(_AROUND, key, reach, *players)
        return [_rows(each) for each in found]

    async def among(
        self, board: BoardId, circles: Sequence[Sequence[PlayerId]], most: int
    ) -> list[list[Row]]:
        """Return the rows of each list's players, best first, at most `most` per list.

        No list is empty. Redis is blocked meanwhile: for half a millisecond per list of 100 players
        who are all on a leaderboard of a million.
        """
        key = keys.leaderboard(board)
        listed = [part for circle in circles for part in (str(len(circle)), *circle)]
        found = await self._database.ask_script(_AMONG, key, most, *listed)
        return [
            [Row(int(rank), PlayerId(player), int(score)) for rank, player, score in rows]
            for rows in found
        ]

    async def standing(self, board: BoardId, player: PlayerId) -> tuple[int, Row | None]:
        """Return the number of rows and a player's own row or `None`, in one round trip."""
        key = keys.leaderboard(board)
        size, found = await self._database.ask_script(_STANDING, key, player)
        return int(size), next(iter(_rows(found)), None)


def _placing(player: PlayerId, placement: Placement) -> Keyed:
    """Return the command that places a player, with its key."""
    board, score, curve = placement
    other = board._replace(group="guests" if board.group == "ranked" else "ranked")
    names = [keys.leaderboard(board), keys.leaderboard(other), keys.curves(board)]
    text = "" if score is None else str(score)
    life = keys.LEADERBOARD_LIFE_S if board.scope in PERIODIC else 0
    return names[0], _PLACE.call(names, player, text, life, *curve)


def _score(text: str | None) -> int | None:
    return None if text is None else int(text)


def _rows(found: Any) -> list[Row]:
    """Parse the return value of the Lua function in `_ROWS`."""
    if not found:
        return []
    place, rank, *pairs = found
    rows: list[Row] = []
    for shown, score in zip(pairs[::2], map(int, pairs[1::2]), strict=True):
        if rows and rows[-1].score != score:
            rank = place + len(rows)
        rows.append(Row(rank, PlayerId(shown), score))
    return rows
