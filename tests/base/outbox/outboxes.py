"""The contents of all partitions' outboxes."""

from __future__ import annotations

from server.base.core import keys
from server.base.core.due import Due
from server.base.outbox.store import OutboxStore
from server.base.redis.database import Database


async def all_effects(outboxes: OutboxStore) -> list[tuple[str, str]]:
    """Return (field, text) of every effect that has not been deleted."""
    found = await outboxes.pending(0, range(keys.PARTITIONS))
    return [effect for each in found for effect in each.effects]


async def all_due(outboxes: OutboxStore, now: int) -> list[tuple[Due, int]]:
    """Return the items due at a time, with their times, in order within each partition."""
    found = await outboxes.pending(now, range(keys.PARTITIONS))
    return [item for each in found for item in each.due]


async def all_set_aside(database: Database) -> dict[str, str]:
    """Return the texts of the effects and due items that were set aside, by name."""
    (found,) = await database.ask(lambda redis, key: redis.hgetall(key), keys.SET_ASIDE)
    return dict(found)
