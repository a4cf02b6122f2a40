"""Outboxes and due items: effects to apply and deadlines to handle, by partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import structlog

from server.base.core import keys
from server.base.core.due import Due, parse_due
from server.base.redis.database import Database
from server.base.redis.scripts import Script

MAX_BATCH = 1_000  # maximum due items of one partition returned at a time

log = structlog.get_logger()

_DROP_DUE = Script("""
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if due and tonumber(due) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
""")


class Pending(NamedTuple):
    """The pending due items and effects of a partition."""

    due: list[tuple[Due, int]]  # due items and their times in Unix milliseconds, earliest first
    effects: list[tuple[str, str]]  # field and text of every effect in the outbox


class OutboxStore:
    """The outboxes and due items of all partitions, and items that were set aside."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.kinds: dict[str, type[Due]] = {}
        """The known kinds of due items."""

    async def pending(self, until: int, partitions: Sequence[int]) -> list[Pending]:
        """Return the due items up to a time in Unix milliseconds, and all effects, by partition.

        At most the `MAX_BATCH` earliest due items of each partition are returned.
        """
        boxes = [keys.outbox(number) for number in partitions]
        found = await self._database.ask(
            lambda redis, key: (
                redis.hgetall(key)
                if key in boxes
                else redis.zrangebyscore(key, "-inf", until, 0, MAX_BATCH, withscores=True)
            ),
            *boxes,
            *map(keys.due, partitions),
        )
        count = len(partitions)
        return [
            Pending(self._parse(due), list(effects.items()))
            for effects, due in zip(found[:count], found[count:], strict=True)
        ]

    async def effects_of(self, name: str) -> list[str]:
        """Return the pending effects (JSON) whose field has this part before the slash."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.outbox(keys.partition(name))
        )
        return [text for field, text in found.items() if field.partition("/")[0] == name]

    async def put_effect(self, field: str, text: str) -> None:
        """Write an effect (JSON); the part of its field before a slash determines the partition."""
        key = keys.outbox(keys.partition(field))
        await self._database.write(key, "HSET", key, field, text)

    async def drop_effect(self, field: str) -> None:
        """Delete an effect that has been applied."""
        key = keys.outbox(keys.partition(field))
        await self._database.write(key, "HDEL", key, field)

    async def drop_due(self, due: Due, time: int) -> None:
        """Delete a handled due item, unless it has been moved to a time later than `time`."""
        key = keys.due(keys.partition(due.name))
        await self._database.run(_DROP_DUE, [key], due.member, time)

    async def count_set_aside(self) -> int:
        """Return how many effects and due items were set aside."""
        (found,) = await self._database.ask(lambda redis, key: redis.hlen(key), keys.SET_ASIDE)
        return int(found)

    async def set_aside(self, partition: int, name: str, text: str) -> None:
        """Move an effect or a due item to `keys.SET_ASIDE`, where sweepers do not retry it.

        Args:
            name: the effect's field, or the due item's member.
            text: the text to store for the operator.

        Raises:
            UnavailableError: Redis does not answer; the item may be in both places.
        """
        # The two places have different slots, so one script cannot write to both. If a failure
        # leaves the item in both, a sweeper finds it and sets it aside again.
        await self._database.write(keys.SET_ASIDE, "HSET", keys.SET_ASIDE, name, text)
        outbox, due = keys.outbox(partition), keys.due(partition)
        await self._database.write(outbox, "HDEL", outbox, name)
        await self._database.write(due, "ZREM", due, name)

    def _parse(self, rows: Sequence[tuple[str, float]]) -> list[tuple[Due, int]]:
        """Parse due items, skipping unknown kinds, which nodes of a newer version handle."""
        found = []
        for member, time in rows:
            due = parse_due(member, self.kinds)
            if due is None:
                log.warning("due_item_unknown", member=member)
            else:
                found.append((due, int(time)))
        return found
