"""Outboxes and due times: what must still happen, found by partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import structlog

from server.core.due import Due, parse_due
from server.store import keys
from server.store.database import Database

MOST_AT_ONCE = 1_000
"""How many due things of one partition are found at once."""

log = structlog.get_logger()

_DROP_DUE = """
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if due and tonumber(due) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
"""


class Left(NamedTuple):
    """What is left to be done in a partition.

    Attributes:
        due: what falls due, and when in Unix milliseconds, the earliest first.
        effects: field and text of every effect.
    """

    due: list[tuple[Due, int]]
    effects: list[tuple[str, str]]


class Outboxes:
    """The outboxes and due times of all partitions, and what was set aside of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def look(self, until: int, partitions: Sequence[int]) -> list[Left]:
        """Return for each partition what falls due up to a time, and its effects.

        Raises:
            UnavailableError: Redis does not answer.
        """
        boxes = [keys.outbox(number) for number in partitions]
        found = await self._database.ask(
            lambda redis, key: (
                redis.hgetall(key)
                if key in boxes
                else redis.zrangebyscore(key, "-inf", until, 0, MOST_AT_ONCE, withscores=True)
            ),
            *boxes,
            *map(keys.due, partitions),
        )
        count = len(partitions)
        return [
            Left(_known_due(due), list(effects.items()))
            for effects, due in zip(found[:count], found[count:], strict=True)
        ]

    async def effects(self) -> list[tuple[str, str]]:
        """Return (field, text) of every effect that has not been dealt with.

        Raises:
            UnavailableError: Redis does not answer.
        """
        everywhere = await self.look(0, range(keys.PARTITIONS))
        return [item for left in everywhere for item in left.effects]

    async def drop_effect(self, field: str) -> None:
        """Forget an effect that has been applied.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.outbox(keys.partition(field))
        await self._database.write(key, "HDEL", key, field)

    async def due(self, now: int) -> list[tuple[Due, int]]:
        """Return what has fallen due, and when, the oldest of each partition first.

        Raises:
            UnavailableError: Redis does not answer.
        """
        everywhere = await self.look(now, range(keys.PARTITIONS))
        return [item for left in everywhere for item in left.due]

    async def drop_due(self, due: Due, time: int) -> None:
        """Forget a due time that has been dealt with, unless there is a later one by now.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.due(keys.partition(due.journal))
        await self._database.run(_DROP_DUE, [key], due.member, time)

    async def set_aside(self, partition: int, name: str, text: str) -> None:
        """Keep an effect or a due time of a partition where an operator finds it, and no sweeper.

        Raises:
            UnavailableError: Redis does not answer; it is set aside, or still where it was.
        """
        await self._database.write(keys.SET_ASIDE, "HSET", keys.SET_ASIDE, name, text)
        outbox, due = keys.outbox(partition), keys.due(partition)
        await self._database.write(outbox, "HDEL", outbox, name)
        await self._database.write(due, "ZREM", due, name)

    async def all_set_aside(self) -> dict[str, str]:
        """Return what was set aside, by name.

        Raises:
            UnavailableError: Redis does not answer.
        """
        (found,) = await self._database.ask(lambda redis, key: redis.hgetall(key), keys.SET_ASIDE)
        return dict(found)


def _known_due(rows: Sequence[tuple[str, float]]) -> list[tuple[Due, int]]:
    """Return what falls due; what only a newer version knows is left to its nodes."""
    found = []
    for member, time in rows:
        due = parse_due(member)
        if due is None:
            log.warning("due_unknown", member=member)
        else:
            found.append((due, int(time)))
    return found
