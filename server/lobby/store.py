"""Storage of public rooms' registrations, which expire unless their nodes renew them."""

from __future__ import annotations

from server.base.core.ids import RoomCode
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.lobby.core import keys

MAX_READ = 250  # rooms per read: the full shares of 50 networks

# Keys: the rooms by expiry, their rows, and the network's rooms by expiry.
_PUT = Script("""
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[5])
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[6])
    and not redis.call('ZSCORE', KEYS[3], ARGV[2]) then return end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[1], ARGV[2])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[4]) end
""")

_DROP = Script("""
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
""")

_LIST = Script("""
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 500)
if #expired > 0 then
    redis.call('ZREM', KEYS[1], unpack(expired))
    redis.call('HDEL', KEYS[2], unpack(expired))
end
local codes = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
if #codes == 0 then return {} end
return redis.call('HMGET', KEYS[2], unpack(codes))
""")


class OpenRoomStore:
    """Stores the public rooms that are open to strangers, each with its row as text."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, code: RoomCode, text: str, now: int, network: str, most: int) -> None:
        """Register a room for `keys.OPEN_ROOM_LIFE_S`, unless its network has reached its limit.

        `text` is its row of the list, `now` in Unix milliseconds, `network` a keyed hash, and
        `most` the limit of rooms registered per network; the earliest ones stay. Dropped rooms
        count towards it until they would have expired.
        """
        life = keys.OPEN_ROOM_LIFE_S
        names = [keys.OPEN_ROOMS, keys.OPEN_ROWS, keys.open_rooms_of(network)]
        await self._database.run(_PUT, names, now + life * 1000, code, text, life, now, most)

    async def drop(self, code: RoomCode) -> None:
        """Delete a room's registration."""
        await self._database.run(_DROP, [keys.OPEN_ROOMS, keys.OPEN_ROWS], code)

    async def list(self, now: int) -> list[str]:
        """Return the rows of rooms with a valid registration, the latest first, at most `MAX_READ`.

        Expired registrations are deleted.
        """
        names = [keys.OPEN_ROOMS, keys.OPEN_ROWS]
        found = await self._database.run(_LIST, names, now, MAX_READ)
        return [text for text in found if text is not None]
