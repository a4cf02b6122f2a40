"""Offers of quick matches: rooms in which a player waits for another one, by game."""

from __future__ import annotations

from server.base.core.ids import RoomCode
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.lobby.core import keys

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
    """The rooms that are offered. An offer that no node renews expires."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pair(self, game: str, code: RoomCode, now: int) -> RoomCode:
        """Take an offered room of a game; if there is none, offer a new one.

        Both happen at once: of two players who come at the same instant, one gets what the other
        one offers. The room may have no journal yet: whoever gets its code opens it.

        Args:
            game: the game's id.
            code: a random one, of the room that is offered if there is none.
            now: the time in Unix milliseconds, for the expiry of offers.

        Returns:
            The code of the room to go to.
        """
        life = keys.OFFER_LIFE_S
        given = (now, now + life * 1000, code, life)
        return RoomCode(await self._database.run(_PAIR, [keys.offers(game)], *given))

    async def offer(self, game: str, code: RoomCode, now: int) -> None:
        """Offer a room for `keys.OFFER_LIFE_S` seconds from a time in Unix milliseconds."""
        life = keys.OFFER_LIFE_S
        await self._database.run(_OFFER, [keys.offers(game)], now + life * 1000, code, life)

    async def withdraw(self, game: str, code: RoomCode) -> None:
        """Delete the offer of a room."""
        key = keys.offers(game)
        await self._database.write(key, "ZREM", key, code)
