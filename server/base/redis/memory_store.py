"""How much of the memory that Redis may take is taken."""

from __future__ import annotations

from server.base.core.memory_level import Usage
from server.base.redis.database import Database


class MemoryStore:
    """Reads how much memory is taken."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def usage(self) -> Usage:
        """Return the usage of the server; in a cluster, of the master that is the fullest.

        Raises:
            UnavailableError: a server does not answer.
        """
        found = await self._database.infos("memory")
        usages = [Usage(info["used_memory"], info["maxmemory"]) for info in found]
        return max(usages, key=lambda usage: usage.share)
