"""A probe that writes to Redis to check that it accepts writes and has kept earlier ones."""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import Callable
from typing import Final

from server.base.core import keys
from server.base.core.refusal import UnavailableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.base.work.background import Background, check_outcome

PROBE_EVERY = 1.0
"""Seconds between writes to each server. Readiness checks cause no additional writes."""

FRESH_FOR = 2.0
"""Seconds after a successful write during which its server counts as accepting writes."""

_WRITE: Final = Script("""
local kept = redis.call('GET', KEYS[1])
if ARGV[2] ~= '' and (not kept or tonumber(kept) < tonumber(ARGV[2])) then return kept or '' end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return 'written'
""")
"""Write a mark, unless the stored one is older than the last acknowledged one.

In that case the stored mark is returned and kept, so that the loss is noticed even if the reply is
lost.
"""


class _Mark:
    """A node's mark on one server.

    Attributes:
        first: the time of the first acknowledged write, in seconds of the monotonic clock.
        last: the time of the last acknowledged write; `None` if there was none, or it was lost.
    """

    __slots__ = ("first", "last")

    def __init__(self) -> None:
        self.first = math.inf
        self.last: float | None = None


class Probe:
    """Writes a mark to each server every second, in the same batches as players' commands.

    It therefore fails whenever their moves fail: if a server is lost, hanging, read-only, out of
    memory or disk space, or has too few replicas. The pipeline logs the reason.

    The mark is the time by this node's monotonic clock. A server that returns with an earlier mark
    than it acknowledged has lost the writes in between, which `Losses` reports.

    `monotonic` returns the time of this machine's monotonic clock in seconds.
    """

    def __init__(self, database: Database, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._monotonic = monotonic
        node = secrets.token_hex(8)
        self._names: Final = [keys.mark(number, node) for number in range(keys.PARTITIONS)]
        self._keys: dict[str, str] = {}
        self._marks: dict[str, _Mark] = {}
        self._written: dict[str, float] = {}
        self._writing: dict[str, asyncio.Task[None]] = {}

    def succeeds(self) -> bool:
        """Return whether most servers have accepted a write in the last `FRESH_FOR` seconds."""
        # Not all servers: while one of a cluster is down, the players on the others continue.
        since = self._monotonic() - FRESH_FOR
        fresh = sum(self._written.get(server, since) > since for server in self._keys)
        return 2 * fresh > len(self._keys)

    async def once(self) -> None:
        """Write to each server, and wait until each write has succeeded or failed."""
        await self._begin()
        await self._end()

    def run_in(self, background: Background) -> None:
        """Write to each server every `PROBE_EVERY` seconds as background work of the node."""
        background.forever("probe", self._begin, every=PROBE_EVERY, finish=self._finish)

    async def _begin(self) -> None:
        """Start a write to each server whose last write has ended."""
        self._keys = self._database.key_of_each_server(self._names)
        for server in self._keys.keys() - self._writing.keys():
            self._writing[server] = task = asyncio.create_task(self._write(server))
            task.add_done_callback(check_outcome)

    async def _finish(self) -> None:
        """Wait for running writes, and delete the marks."""
        await self._end()
        for key in self._marks:
            self._database.send(key, "DEL", key)

    async def _end(self) -> None:
        if self._writing:
            await asyncio.wait(self._writing.values())

    async def _write(self, server: str) -> None:
        key = self._keys[server]
        # A server may take over another's keys, so marks are compared by key.
        mark = self._marks.setdefault(key, _Mark())
        now = self._monotonic()
        last = "" if mark.last is None else repr(mark.last)
        try:
            kept = await self._database.run(_WRITE, [key], repr(now), last, keys.MARK_LIFE_S)
        except UnavailableError:
            # `succeeds` uses only the time of the last success.
            return
        finally:
            del self._writing[server]
        self._written[server] = self._monotonic()
        if kept == "written":
            mark.first, mark.last = min(mark.first, now), now
        elif mark.last is not None:
            since = float(kept) if kept else mark.first
            self._database.losses.note_writes(server, mark.last - since, whole=not kept)
            mark.last = None
            if not kept:
                mark.first = math.inf
