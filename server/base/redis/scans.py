"""Searches of everything that is stored, for operators: no index is kept for them.

A scan looks at every key there is, a thousand in each round trip: a million keys take about a
second of Redis's time, in slices of a millisecond, between which it answers the nodes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from redis.asyncio import RedisCluster

from server.base.core.ids import PlayerId, RoomCode
from server.base.redis import keys
from server.base.redis.connection import raising_unavailable
from server.base.redis.database import Database
from server.players.core.names import Profile, guest_name

BATCH = 1_000
"""Keys that are looked at in a round trip."""


class ScanStore:
    """Finds rooms and players by looking at all keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all_keys(self) -> AsyncIterator[list[str]]:
        """Yield all keys, in batches that may be empty, perhaps some twice.

        Raises:
            UnavailableError: Redis does not answer.
        """
        async for found in self._scan("*"):
            yield found

    async def rooms(self) -> AsyncIterator[list[RoomCode]]:
        """Yield the codes of all rooms, in batches that may be empty, perhaps some twice.

        Raises:
            UnavailableError: Redis does not answer.
        """
        async for found in self._scan("{p*}:room:*"):
            yield [RoomCode(key.rpartition(":")[2]) for key in found]

    async def players(self) -> AsyncIterator[list[Profile]]:
        """Yield the profiles of all players, in batches that may be empty, perhaps some twice.

        Raises:
            UnavailableError: Redis does not answer.
        """
        # A guest who has played and chosen no name has a history only.
        async for found in self._scan("[ph]*:{*}"):
            named = {key.partition("{")[2].removesuffix("}") for key in found if _is_player(key)}
            ids = list(map(PlayerId, named))
            names = await self._database.ask(
                lambda redis, key: redis.hget(key, "name"), *map(keys.player, ids)
            )
            yield [Profile(p, n or guest_name(p)) for p, n in zip(ids, names, strict=True)]

    async def _scan(self, pattern: str) -> AsyncIterator[list[str]]:
        client = self._database.client
        with raising_unavailable():
            targets: list[dict[str, Any]] = [{}]
            if isinstance(client, RedisCluster):
                await client.initialize()
                targets = [{"target_nodes": node} for node in client.get_primaries()]
        for target in targets:
            cursor = None
            while cursor != 0:
                with raising_unavailable():
                    answer: Any = await client.scan(cursor or 0, pattern, BATCH, **target)
                cursor, found = answer if target == {} else _of_server(answer)
                yield list(found)


def _is_player(key: str) -> bool:
    return key.partition("{")[0] in {"player:", "history:"}


def _of_server(answer: Any) -> tuple[int, list[str]]:
    """Return the cursor and the keys in the answer of one server of a cluster."""
    cursors, found = answer
    (cursor,) = cursors.values()
    return cursor, found
