"""The memory of the store: watched, so that it is told before moves have to be refused.

A Redis at its `maxmemory` refuses what needs more, and evicts nothing. Then moves are refused as
`unavailable`, what can be read is shown, and all goes on by itself when there is room again. So
that those who play may go on to their end, a node begins nothing new a while before that.
"""

from __future__ import annotations

import structlog

from server.background import Background
from server.core.memory import Level, Usage, level_at
from server.metrics import Metrics
from server.service.ports import MemoryStore

CHECK_EVERY = 5.0
"""Seconds between two checks, each of which is one `INFO` for each server."""

log = structlog.get_logger()


class StoreMemory:
    """Watches the memory of the store.

    Attributes:
        level: `free`; `short` if nothing new begins; `full` if moves are refused.
    """

    def __init__(self, store: MemoryStore, metrics: Metrics, background: Background) -> None:
        self.level: Level = "free"
        self._store = store
        self._usage = Usage(0, 0)
        metrics.store_memory["used"] = lambda: self._usage.used
        metrics.store_memory["limit"] = lambda: self._usage.limit
        background.forever("store_memory", self.check, every=CHECK_EVERY)

    @property
    def has_room(self) -> bool:
        """Whether something new may begin."""
        return self.level == "free"

    async def check(self) -> None:
        """Read the usage; log a level that is new, once.

        Raises:
            UnavailableError: the store does not answer.
        """
        self._usage = usage = await self._store.usage()
        before, self.level = self.level, level_at(self.level, usage)
        if self.level != before:
            say = {"free": log.info, "short": log.warning, "full": log.error}[self.level]
            say(f"store_{self.level}", used=usage.used, limit=usage.limit)
