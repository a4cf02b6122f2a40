"""Players' histories: a hash each, changed only by those who have read it as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.core.history import KEPT, VERSION, History, changes, parsed
from server.core.ids import PlayerId
from server.store import keys
from server.store.database import Database

_CHANGE = """
if (redis.call('HGET', KEYS[1], 'v') or '0') ~= ARGV[1] then return 0 end
for at = 3, #ARGV, 2 do
  if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at])
  else redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
end
redis.call('HINCRBY', KEYS[1], 'v', 1)
redis.call('EXPIRE', KEYS[1], ARGV[2])
if redis.call('TTL', KEYS[2]) >= 0 then redis.call('EXPIRE', KEYS[2], ARGV[2]) end
return 1
"""
"""Its keys are a player's history and record, which lives as long unless it does not expire."""


class Histories:
    """The histories of all players.

    A history has a field for each daily and for each of the latest rounds, about 60 bytes each.
    Who plays five dailies a day for a year and races without end has 2,800 of them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, players: Sequence[PlayerId]) -> list[History]:
        """Return the history of each player, in one round trip; an empty one if there is none.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.hgetall(key), *map(keys.history, players)
        )
        return [parsed(fields) for fields in found]

    async def versions(self, players: Iterable[PlayerId]) -> list[int]:
        """Return how often each player's history has changed.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.hget(key, VERSION), *map(keys.history, players)
        )
        return [int(version or 0) for version in found]

    async def kept(self, players: Iterable[PlayerId]) -> list[bool]:
        """Return whether each player has kept an identity.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.hget(key, KEPT), *map(keys.history, players)
        )
        return [kept is not None for kept in found]

    async def delete(self, player: PlayerId) -> None:
        """Delete a player's history.

        Raises:
            UnavailableError: it may or may not have been deleted.
        """
        key = keys.history(player)
        await self._database.write(key, "DEL", key)

    async def change(self, player: PlayerId, before: History, after: History) -> bool:
        """Store what differs between two states of a history, unless it has changed since.

        Returns:
            Whether it was stored: its version was that of `before`.

        Raises:
            UnavailableError: it may or may not have been stored.
        """
        arguments = [part for field, text in changes(before, after) for part in (field, text or "")]
        names = [keys.history(player), keys.player(player)]
        life = keys.PLAYER_LIFE
        return bool(await self._database.run(_CHANGE, names, before.version, life, *arguments))
