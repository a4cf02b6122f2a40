"""Scans of all stored keys, for operators' searches without an index.

A scan visits every key, a thousand per round trip. A million keys take about a second of Redis's
time, in slices of a millisecond; Redis serves the nodes in between.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from redis.asyncio import RedisCluster

from server.base.redis.connection import raising_unavailable
from server.base.redis.database import Database

BATCH = 1_000
"""Keys visited per round trip."""


class ScanStore:
    """Finds stored items by scanning all keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all_keys(self, pattern: str = "*") -> AsyncIterator[list[str]]:
        """Yield all keys matching a pattern, in possibly empty batches. A key may occur twice."""
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
                cursor, found = answer if target == {} else _parse_reply(answer)
                yield list(found)


def _parse_reply(answer: Any) -> tuple[int, list[str]]:
    """Return the cursor and the keys in a cluster server's answer."""
    cursors, found = answer
    (cursor,) = cursors.values()
    return cursor, found
