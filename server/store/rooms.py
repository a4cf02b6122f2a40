"""Rooms: what is kept of them beside their journals."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from server.core.ids import CODE_ALPHABET, CODE_LENGTH, PlayerId, RoomCode
from server.store import keys
from server.store.database import Database

_SET_PROGRESS = """
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
"""


def random_code() -> RoomCode:
    """Return a random room code."""
    return RoomCode("".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH)))


class Rooms:
    """Creation keys and progress counters."""

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

    async def set_progress(self, code: RoomCode, progress: Mapping[str, str]) -> None:
        """Keep texts about attempts by attempt id, until the room is forgotten.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.progress(code)
        fields = [text for pair in progress.items() for text in pair]
        await self._database.run(_SET_PROGRESS, [key], keys.ROOM_LIFE, *fields)

    async def progress(self, code: RoomCode, attempts: list[str]) -> dict[str, str]:
        """Return what was kept about these attempts.

        Raises:
            UnavailableError: Redis does not answer.
        """
        if not attempts:
            return {}
        (found,) = await self._database.ask(
            lambda redis, key: redis.hmget(key, attempts), keys.progress(code)
        )
        return {a: text for a, text in zip(attempts, found, strict=True) if text is not None}
