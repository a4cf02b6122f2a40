"""Outboxes and due times: what must still happen, found by partition."""

from __future__ import annotations

from server.store import keys
from server.store.database import Database

MOST_AT_ONCE = 100
"""How many due things of one partition are taken in one sweep."""


_DROP_DUE = """
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if due and tonumber(due) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
"""


class Outboxes:
    """The outboxes and due times of all partitions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def effects(self) -> list[tuple[str, str]]:
        """Return (field, text) of every effect that has not been dealt with.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.hgetall(key), *map(keys.outbox, range(keys.PARTITIONS))
        )
        return [item for box in found for item in box.items()]

    async def drop_effect(self, field: str) -> None:
        """Forget an effect that has been applied.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.outbox(keys.partition(field))
        await self._database.write(key, "HDEL", key, field)

    async def due(self, now: int) -> list[tuple[str, int]]:
        """Return what has fallen due, and when, the oldest of each partition first.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.zrangebyscore(
                key, "-inf", now, 0, MOST_AT_ONCE, withscores=True
            ),
            *map(keys.due, range(keys.PARTITIONS)),
        )
        return [(member, int(time)) for members in found for member, time in members]

    async def drop_due(self, name: str, member: str, time: int) -> None:
        """Forget a due time that has been dealt with, unless there is a later one by now.

        Raises:
            UnavailableError: Redis does not answer.
        """
        await self._database.run(_DROP_DUE, [keys.due(keys.partition(name))], member, time)
