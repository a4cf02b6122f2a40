"""Storage of quick-match offers: rooms with a waiting player, by game."""

from __future__ import annotations

from server.base.core.ids import RoomCode
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.lobby.core import keys

# Takes the offer that expires first, or else adds one, atomically.
_PAIR = Script("""
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
local found = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
if found then
    redis.call('ZREM', KEYS[1], found)
    return found
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return ARGV[3]
""")

_OFFER = Script("""
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
""")


class QuickMatchStore:
    """Stores the offered rooms. Without renewal by a node, an offer expires."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pair(self, game: str, code: RoomCode, now: int) -> RoomCode:
        """Take an offered room of a game, or offer a new one, and return its code.

        `code` is a random code for a new offer, and `now` is in Unix milliseconds. The room may
        have no journal yet.
        """
        life = keys.OFFER_LIFE_S
        given = (now, now + life * 1000, code, life)
        # Atomic: of two simultaneous players, the second gets the room that the first one offers.
        return RoomCode(await self._database.run(_PAIR, [keys.offers(game)], *given))

    async def offer(self, game: str, code: RoomCode, now: int) -> None:
        """Offer a room for `keys.OFFER_LIFE_S` seconds from a time in Unix milliseconds."""
        life = keys.OFFER_LIFE_S
        await self._database.run(_OFFER, [keys.offers(game)], now + life * 1000, code, life)

    async def withdraw(self, game: str, code: RoomCode) -> None:
        """Delete the offer of a room."""
        key = keys.offers(game)
        await self._database.write(key, "ZREM", key, code)
