"""The memory of the store: watched, so that it is told before moves have to be refused.

A Redis at its `maxmemory` refuses what needs more, and evicts nothing. Then moves are refused as
`unavailable`, what can be read is shown, and all goes on by itself when there is room again. So
that those who play may go on to their end, less and less begins before that
(`server.base.core.memory_level`).
"""

from __future__ import annotations

import structlog

from server.base.core.memory_level import SPARING, Level, New, Usage, level_at, may_begin, most_days
from server.base.redis.memory_store import MemoryStore
from server.base.work.background import Background
from server.base.work.metrics import Metrics

CHECK_EVERY = 5.0
"""Seconds between two checks, each of which is one `INFO` for each server."""

log = structlog.get_logger()


class StoreMemory:
    """Watches the memory of the store.

    Attributes:
        level: how full it is.
    """

    def __init__(self, store: MemoryStore, metrics: Metrics, background: Background) -> None:
        self.level: Level = "free"
        self._store = store
        self._usage = Usage(0, 0)
        metrics.store_used = lambda: self._usage.used
        metrics.store_limit = lambda: self._usage.limit
        background.forever("store_memory", self.check, every=CHECK_EVERY)

    @property
    def limit(self) -> int:
        """How many bytes the store may take, as last read; 0 if there is no limit."""
        return self._usage.limit

    @property
    def is_sparing(self) -> bool:
        """Whether so much is taken that played games are kept for a shorter time."""
        return self._usage.share >= SPARING

    @property
    def most_days(self) -> int | None:
        """For how many days what begins now is kept at most if it is played; `None` for any."""
        return most_days(self._usage.share)

    def has_room(self, new: New) -> bool:
        """Return whether something new may begin."""
        return may_begin(new, self.level)

    async def check(self) -> None:
        """Read the usage; log a level that is new, once."""
        self._usage = usage = await self._store.usage()
        before, self.level = self.level, level_at(self.level, usage)
        if self.level != before:
            say = {"free": log.info, "full": log.error}.get(self.level, log.warning)
            say(f"store_{self.level}", used=usage.used, limit=usage.limit)
