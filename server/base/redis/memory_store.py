"""Memory usage of Redis."""

from __future__ import annotations

from server.base.core.memory_level import Usage
from server.base.redis.database import Database


class MemoryStore:
    """Reads the memory usage."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def usage(self) -> Usage:
        """Return the usage of the server, or of the fullest master of a cluster.

        Raises:
            UnavailableError: a server does not answer.
        """
        found = await self._database.infos("memory")
        usages = [Usage(info["used_memory"], info["maxmemory"]) for info in found]
        return max(usages, key=lambda usage: usage.share)
