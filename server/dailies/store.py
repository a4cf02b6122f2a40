"""Storage of starts of dailies by address: at most `keys.MAX_AT_ADDRESS` players each."""

from __future__ import annotations

from server.base.core.days import DailyId
from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.dailies.core import keys

# Fields: `a:<address>` has the players who started there, `p:<player>` has those of them who
# started before that player.
_BEGIN = Script("""
local place = 'a:' .. ARGV[1]
local players = redis.call('HGET', KEYS[1], place) or ''
if string.find(players, ARGV[2], 1, true) then return 1 end
local count = 0
for _ in string.gmatch(players, '%S+') do count = count + 1 end
local most = tonumber(ARGV[3])
if most > 0 and count >= most then return 0 end
if count > 0 then redis.call('HSET', KEYS[1], 'p:' .. ARGV[2], players) end
if count < math.max(most, tonumber(ARGV[4])) then
  redis.call('HSET', KEYS[1], place, count > 0 and players .. ' ' .. ARGV[2] or ARGV[2])
end
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
""")


class StartStore:
    """Stores starts of dailies by address, which is given as a keyed hash.

    A start takes about 60 bytes, plus 17 for each earlier start there.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, daily: DailyId, address_hash: str, player: PlayerId, most: int) -> bool:
        """Record that a player starts a daily; return whether the address permits it.

        `most` is the maximum number of players per address, 0 for no limit. A player may start
        repeatedly.
        """
        names, room = [keys.starts(daily)], keys.MAX_AT_ADDRESS
        given = address_hash, player, most, room, keys.DIGESTS_LIFE_S
        return bool(await self._database.run(_BEGIN, names, *given))

    async def earlier(self, daily: DailyId, player: PlayerId) -> list[PlayerId]:
        """Return the players who had started a daily at the same address before a player did."""
        key = keys.starts(daily)
        found = await self._database.read_batched(key, "HGET", key, f"p:{player}")
        return [PlayerId(each) for each in (found or "").split()]
