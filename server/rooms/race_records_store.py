"""Storage of race records: the decision on each race, and its voided results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from server.base.core.ids import DealId, PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.rooms.core import keys

_DECIDED = "decided"
_VOID = "void:"

# Stores a decision unless there is one, and returns the record.
_DECIDE = Script("""
redis.call('HSETNX', KEYS[1], 'decided', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('HGETALL', KEYS[1])
""")

_SET_VOID = Script("""
if redis.call('HEXISTS', KEYS[1], 'decided') == 1 then
  if ARGV[2] == '' then redis.call('HDEL', KEYS[1], 'void:' .. ARGV[1])
  else redis.call('HSET', KEYS[1], 'void:' .. ARGV[1], ARGV[2]) end
end
return redis.call('HGETALL', KEYS[1])
""")


class RaceRecord(NamedTuple):
    """The record of a race."""

    decided: str  # the first decision (JSON), which stands
    void: frozenset[PlayerId]


class RaceRecordStore:
    """Stores race records; a race of eight players takes 1.5 kB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def decide(self, deal: DealId, text: str) -> RaceRecord:
        """Store the decision on a race unless there is one, and return the record."""
        life = keys.RACE_LIFE_S
        found = _parsed(await self._database.run(_DECIDE, [keys.race(deal)], text, life))
        assert found is not None, "it was just stored"
        return found

    async def find(self, deal: DealId) -> RaceRecord | None:
        """Return the record of a race, or `None` if it is undecided, or no longer stored."""
        (fields,) = await self._database.ask(lambda redis, key: redis.hgetall(key), keys.race(deal))
        return _record(fields)

    async def void(self, deal: DealId, player: PlayerId, reason: str | None) -> RaceRecord | None:
        """Mark a result as void, or restore it without a reason; return the record, if any."""
        return _parsed(await self._database.run(_SET_VOID, [keys.race(deal)], player, reason or ""))


def _parsed(reply: Sequence[str]) -> RaceRecord | None:
    """Parse a script's reply of alternating fields and values."""
    return _record(dict(zip(reply[::2], reply[1::2], strict=True)))


def _record(fields: dict[str, str]) -> RaceRecord | None:
    if _DECIDED not in fields:
        return None
    void = (field.removeprefix(_VOID) for field in fields if field.startswith(_VOID))
    return RaceRecord(fields[_DECIDED], frozenset(map(PlayerId, void)))
