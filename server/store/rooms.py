"""Rooms: what is kept of them beside their journals."""

from __future__ import annotations

import secrets

from server.core.ids import CODE_ALPHABET, CODE_LENGTH, PlayerId, RoomCode
from server.store import keys
from server.store.database import Database

_ENTER = """
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
"""

_LEAVE = """
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
"""


def random_code() -> RoomCode:
    """Return a random room code."""
    return RoomCode("".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH)))


class Rooms:
    """Creation keys, and who is present."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def code_for(self, player: PlayerId, creation: str) -> RoomCode:
        """Return the code of a creation: a new one, or what it was given the first time.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.creation(player, creation)
        return RoomCode(await self._database.keep_first(key, random_code(), keys.CREATION_LIFE))

    async def forget_code(self, player: PlayerId, creation: str) -> None:
        """Forget a creation's code, since another room has it.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.creation(player, creation)
        await self._database.write(key, "DEL", key)

    async def enter(self, code: RoomCode, player: PlayerId, node: str) -> None:
        """Note that a player is present in a room, by way of a node.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.presence(code)
        await self._database.run(_ENTER, [key], player, node, keys.PRESENCE_LIFE)

    async def leave(self, code: RoomCode, player: PlayerId, node: str) -> None:
        """Note that a player is not, unless it is by way of another node.

        Raises:
            UnavailableError: Redis does not answer.
        """
        await self._database.run(_LEAVE, [keys.presence(code)], player, node)

    async def present(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return who is present in a room, and by way of which node; that node may be dead.

        Raises:
            UnavailableError: Redis does not answer.
        """
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.presence(code)
        )
        return {PlayerId(player): node for player, node in found.items()}
