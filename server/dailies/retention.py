"""Retention: past days are archived as files, and later their journals are deleted.

The moves of games are most of the stored data (`deploy/CAPACITY.md`), and after a day only needed
for viewing runs. Journals are deleted after the period that the operator chooses, or earlier while
the store is filling up, the oldest day first. A day with a million runs takes an hour, including
pauses.
"""

from __future__ import annotations

import structlog

from server.base.core import days as daily
from server.base.core.quota import LEAST_DAYS
from server.base.journals.store import JournalStore
from server.base.nodes.registration import Registration
from server.base.nodes.store_memory import StoreMemory
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.dailies.archive import Archive
from server.dailies.trimmed_days_store import TrimmedDayStore
from server.play.core import keys

CHECK_EVERY = 300.0  # seconds between checks; each reads several thousand numbers

log = structlog.get_logger()


class Retention:
    """Archives days, and deletes the journals of archived days.

    A day keeps its journals for `keep_days` days after its close, or less while the store is
    filling up.
    """

    def __init__(
        self,
        archive: Archive,
        registration: Registration,
        memory: StoreMemory,
        background: Background,
        *,
        journals: JournalStore,
        trimmed: TrimmedDayStore,
        clock: Clock,
        keep_days: int,
    ) -> None:
        self._archive = archive
        self._registration = registration
        self._memory = memory
        self._stop = background.stop
        self._journals = journals
        self._trimmed = trimmed
        self._clock = clock
        self._keep_days = keep_days
        background.forever("retention", self.check, every=CHECK_EVERY, waits=True)

    async def check(self) -> None:
        """Archive past days, and delete journals that are no longer kept, oldest day first."""
        # Only the first live node does the work. If two do it for a moment, they make identical
        # files and delete the same journals.
        if self._registration.alive[0] != self._registration.id:
            return
        trimmed, files = await self._trimmed.all(), await self._archive.files()
        for day in sorted(await self._archive.days(files)):
            if self._stop.is_set:
                return
            # A day that cannot be archived keeps its journals, without blocking other days.
            is_there = daily.date_text(day) in files or await self._archive.make(day)
            if is_there and day not in trimmed and self._is_over(day):
                await self._trim(day)

    def _is_over(self, day: int) -> bool:
        """Return whether the journals of a day should no longer be kept."""
        age = self._clock.now() - daily.closes(day)
        days = LEAST_DAYS if self._memory.is_sparing else self._keep_days
        return age >= days * daily.DAY

    async def _trim(self, day: int) -> None:
        """Delete the journals of a day, if its file still exists, and check the store's memory."""
        if await self._archive.find(day) is None:
            return
        # Record it first, so that no node archives the incomplete rest.
        await self._trimmed.add(day)
        count = 0
        async for attempts in self._archive.attempts(day):
            count += await self._journals.delete([keys.attempt(each) for each in attempts])
            if self._stop.is_set:
                return
        log.info("journals_trimmed", date=daily.date_text(day), runs=count)
        await self._memory.check()
