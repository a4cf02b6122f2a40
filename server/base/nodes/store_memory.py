"""Monitoring of the store's memory, with warnings before moves have to be refused.

A Redis at its `maxmemory` refuses writes that need more memory, and evicts nothing. Moves are then
refused as `unavailable`, reads still work, and operation resumes by itself once there is room
again. To let running games finish, new games are progressively refused before that point
(`server.base.core.memory_level`).
"""

from __future__ import annotations

import structlog

from server.base.core.memory_level import SPARING, Level, New, Usage, level_at, may_begin, most_days
from server.base.redis.memory_store import MemoryStore
from server.base.work.background import Background
from server.base.work.metrics import Metrics

CHECK_EVERY = 5.0  # seconds between checks; each is one `INFO` per server

log = structlog.get_logger()


class StoreMemory:
    """Monitors the store's memory, and sets its `level`."""

    def __init__(self, store: MemoryStore, metrics: Metrics, background: Background) -> None:
        self.level: Level = "free"
        self._store = store
        self._usage = Usage(0, 0)
        metrics.store_used = lambda: self._usage.used
        metrics.store_limit = lambda: self._usage.limit
        background.forever("store_memory", self.check, every=CHECK_EVERY)

    @property
    def limit(self) -> int:
        """The store's memory limit in bytes, as last read; 0 without a limit."""
        return self._usage.limit

    @property
    def is_sparing(self) -> bool:
        """Whether memory usage is high enough to keep played games for a shorter time."""
        return self._usage.share >= SPARING

    @property
    def most_days(self) -> int | None:
        """The maximum days to keep a game that starts now and is played; `None` for no limit."""
        return most_days(self._usage.share)

    def has_room(self, new: New) -> bool:
        """Return whether a kind of new game may start."""
        return may_begin(new, self.level)

    async def check(self) -> None:
        """Read the usage, and log a change of the level once."""
        self._usage = usage = await self._store.usage()
        before, self.level = self.level, level_at(self.level, usage)
        if self.level != before:
            say = {"free": log.info, "full": log.error}.get(self.level, log.warning)
            say(f"store_{self.level}", used=usage.used, limit=usage.limit)
