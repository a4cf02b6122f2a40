"""Rooms: what is kept of them beside their journals."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from redis.asyncio import Redis

from server.core.ids import CODE_ALPHABET, CODE_LENGTH, PlayerId, RoomCode
from server.store import keys
from server.store.connection import answering


def random_code() -> RoomCode:
    """Return a random room code."""
    return RoomCode("".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH)))


class Rooms:
    """Creation keys and progress counters."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def code_for(self, player: PlayerId, creation: str) -> RoomCode:
        """Return the code of a creation: a new one, or what it was given the first time.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.creation(player, creation)
        code = random_code()
        with answering():
            if await self._redis.set(key, code, nx=True, ex=keys.CREATION_LIFE):
                return code
            return RoomCode(str(await self._redis.get(key)))

    async def forget_code(self, player: PlayerId, creation: str) -> None:
        """Forget a creation's code, since another room has it.

        Raises:
            UnavailableError: Redis does not answer.
        """
        with answering():
            await self._redis.delete(keys.creation(player, creation))

    async def set_progress(self, code: RoomCode, progress: Mapping[str, str]) -> None:
        """Keep texts about attempts by attempt id, until the room is forgotten.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.progress(code)
        with answering():
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.hset(key, mapping=dict[Any, str](progress))
                pipeline.pexpire(key, keys.ROOM_LIFE)
                await pipeline.execute()

    async def progress(self, code: RoomCode, attempts: list[str]) -> dict[str, str]:
        """Return what was kept about these attempts.

        Raises:
            UnavailableError: Redis does not answer.
        """
        if not attempts:
            return {}
        with answering():
            found: Any = await self._redis.hmget(keys.progress(code), attempts)
        return {a: text for a, text in zip(attempts, found, strict=True) if text is not None}
