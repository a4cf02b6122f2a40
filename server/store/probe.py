"""Whether Redis takes writes, found out by writing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from server.background import Background, hear
from server.core.refusal import UnavailableError
from server.store import keys
from server.store.database import Database

PROBE_EVERY = 1.0
"""Seconds between two writes to each server: a node's whole cost, however often it is asked."""

FRESH_FOR = 2.0
"""Seconds after a write that succeeded for which its server counts as taking writes."""

_KEYS: Final = [keys.barrier(keys.outbox(number)) for number in range(keys.PARTITIONS)]


class Probe:
    """Writes a key to each server every second, in the same batches as what players do.

    So it fails with whatever lets their moves fail: a server that is lost, hangs, is read-only, out
    of memory or of disk, or without enough replicas. The pipeline logs why.

    `monotonic` returns the time of this machine's monotonic clock in seconds.
    """

    def __init__(self, database: Database, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._monotonic = monotonic
        self._keys: dict[str, str] = {}
        self._written: dict[str, float] = {}
        self._writing: dict[str, asyncio.Task[None]] = {}

    def succeeds(self) -> bool:
        """Return whether most servers have taken a write in the last `FRESH_FOR` seconds.

        Not all: while one server of a cluster is away, the players of the others play on.
        """
        since = self._monotonic() - FRESH_FOR
        fresh = sum(self._written.get(server, since) > since for server in self._keys)
        return 2 * fresh > len(self._keys)

    async def once(self) -> None:
        """Write to each server, and wait until each has answered, or has failed."""
        await self._begin()
        await self._end()

    def keep(self, background: Background) -> None:
        """Have the node's background work write to each server every `PROBE_EVERY` seconds."""
        background.forever("probe", self._begin, every=PROBE_EVERY, finish=self._end)

    async def _begin(self) -> None:
        """Begin a write to each server that is not still busy with the last one."""
        self._keys = self._database.key_of_each_server(_KEYS)
        for server in self._keys.keys() - self._writing.keys():
            self._writing[server] = task = asyncio.create_task(self._write(server))
            task.add_done_callback(hear)

    async def _end(self) -> None:
        if self._writing:
            await asyncio.wait(self._writing.values())

    async def _write(self, server: str) -> None:
        key = self._keys[server]
        try:
            await self._database.write(key, "SET", key, "", "EX", keys.BARRIER_LIFE)
            self._written[server] = self._monotonic()
        except UnavailableError:
            # What counts is how long ago the last one succeeded.
            return
        finally:
            del self._writing[server]
