"""Retention: days that are over are archived as files, and then lose their journals in the store.

The moves of games are most of what is stored (`deploy/CAPACITY.md`). They are needed until a day's
results are there, and then only by those who look at a run. So each day is archived soon after it,
all runs in one file; and its journals are deleted when it is older than the operator wants to keep
them, or sooner while the store fills, the oldest day first.

One node does it, the first of those that are alive. If two do for a moment, they make the same
files and delete the same journals. A day with a million runs takes an hour, in pauses.
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

CHECK_EVERY = 300.0
"""Seconds between two looks at what is to be done, each of which reads some thousand numbers."""

log = structlog.get_logger()


class Retention:
    """Archives days, and deletes the journals of those that are archived.

    Args:
        archive: has the files.
        registration: says which node does it.
        memory: says whether the store fills.
        background: the node's background work.
        journals: are deleted.
        trimmed: those days whose journals are.
        clock: the store's.
        keep_days: for how many days after its close a day keeps its journals.
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
        """Archive the days that are not yet, and delete what is not to be kept, oldest day first.

        A day that cannot be archived keeps its journals, and keeps no other from what is to be
        done.

        Raises:
            UnavailableError: the store does not answer.
        """
        if self._registration.alive[0] != self._registration.id:
            return
        trimmed, files = await self._trimmed.all(), await self._archive.files()
        for day in sorted(await self._archive.days(files)):
            if self._stop.is_set:
                return
            is_there = daily.date_text(day) in files or await self._archive.make(day)
            if is_there and day not in trimmed and self._is_over(day):
                await self._trim(day)

    def _is_over(self, day: int) -> bool:
        """Return whether the journals of a day are not to be kept any longer."""
        age = self._clock.now() - daily.closes(day)
        days = LEAST_DAYS if self._memory.is_sparing else self._keep_days
        return age >= days * daily.DAY

    async def _trim(self, day: int) -> None:
        """Delete the journals of a day, if its file is still there, and see what the store takes.

        It is noted before, so that nobody archives what is left of it. If this node ends in the
        middle, the rest expires by itself.
        """
        if await self._archive.find(day) is None:
            return
        await self._trimmed.add(day)
        count = 0
        async for attempts in self._archive.attempts(day):
            count += await self._journals.delete([keys.attempt(each) for each in attempts])
            if self._stop.is_set:
                return
        log.info("journals_trimmed", date=daily.date_text(day), runs=count)
        await self._memory.check()
