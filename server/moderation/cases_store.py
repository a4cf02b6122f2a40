"""Cases, open and closed, newest first: suspicious runs and players' reports."""

from __future__ import annotations

from typing import NamedTuple

from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.moderation.core import keys

_CLOSE = Script("""
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
end
""")

TIES = 16  # maximum number of cases with the same millisecond: a race has eight players


class StoredCase(NamedTuple):
    """A case, as stored."""

    at: int  # its time, in Unix milliseconds
    name: str
    suspicion: str | None  # the suspicion as JSON, or `None`
    report: str | None  # the reports as JSON, or `None`
    closed: str | None  # how it was closed, as JSON, or `None`


class CaseStore:
    """All cases by time, and how they were closed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def before(self, at: int, name: str, count: int) -> list[StoredCase]:
        """Return `count` cases before a cursor, newest first, in two round trips."""
        found = await self._database.ask(
            lambda redis, key: redis.zrevrangebyscore(
                key, at, "-inf", start=0, num=count + TIES, withscores=True
            ),
            *(keys.SUSPICIOUS, keys.REPORTED),
        )
        times = sorted(
            ((int(score), each) for pairs in found for each, score in pairs), reverse=True
        )
        wanted = [pair for pair in times if pair < (at, name)][:count]
        if not wanted:
            return []
        names = [each for _, each in wanted]
        texts = await self._database.ask(
            lambda redis, key: redis.hmget(key, names),
            *(keys.SUSPICIONS, keys.REPORTS, keys.CLOSED),
        )
        return [StoredCase(*pair, *rest) for pair, *rest in zip(wanted, *texts, strict=True)]

    async def has(self, name: str) -> bool:
        """Return whether a case exists."""
        found = await self._database.ask(
            lambda redis, key: redis.zscore(key, name), keys.SUSPICIOUS, keys.REPORTED
        )
        return any(score is not None for score in found)

    async def close(self, name: str, text: str) -> None:
        """Store how a case was closed (JSON), if it still exists."""
        names = [keys.SUSPICIOUS, keys.REPORTED, keys.CLOSED]
        await self._database.run(_CLOSE, names, name, text)
