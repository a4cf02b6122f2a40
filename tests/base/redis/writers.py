"""Writers that append to journals continuously, and check that no acknowledged entry is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import ConflictError, Entries, MistimedError
from server.base.journals.store import JournalStore
from server.base.redis.database import Database
from server.base.work.stop import Stop
from server.play.core import keys
from tests.base.journals.entries import append
from tests.base.redis.servers import until

_RETRY_DELAY = 0.01


class Writer:
    """A writer that appends to one journal.

    Attributes:
        acknowledged: the texts of the acknowledged entries, in order.
        reasons: the messages of appends that failed as unavailable.
    """

    def __init__(self, database: Database, name: str, **form: Any) -> None:
        self.name = name
        self.key = keys.attempt(name)
        self.acknowledged: list[str] = []
        self.reasons: list[str] = []
        self._journals = JournalStore(database)
        self._form = form
        self._tries = 0

    async def run(self, stop: Stop) -> None:
        """Append entries one by one; after a possible failure, read the journal."""
        known = Entries([], 0)
        while not stop.is_set:
            if not known.generation:
                # Nothing has been read yet, or the last read failed.
                known = await self._read(stop)
            self._tries += 1
            text = f"{self.name} {self._tries}"
            try:
                generation = await self._append(known, text)
            except UnavailableError as error:
                self.reasons.append(str(error))
                known = await self._read(stop)
                await asyncio.sleep(_RETRY_DELAY)
            except (ConflictError, MistimedError):
                # Nothing was written: `known` is out of date, or the server hung for a while and
                # has received the append too late.
                known = await self._read(stop)
            else:
                known = Entries([*known.texts, text], generation)
                self.acknowledged.append(text)

    async def _append(self, known: Entries, text: str) -> int:
        number, last = len(known.texts) + 1, known.texts[-1] if known.texts else ""
        return await append(
            self._journals, number, text,
            name=self.name, generation=known.generation, previous=last, **self._form,
        )  # fmt: skip

    async def _read(self, stop: Stop) -> Entries:
        while not stop.is_set:
            try:
                return await self._journals.read(self.key)
            except UnavailableError:
                await asyncio.sleep(_RETRY_DELAY)
        return Entries([], 0)

    async def lost_nothing(self) -> bool:
        """Return whether all acknowledged entries are stored, in order; fail on a duplicate."""
        texts = (await self._journals.read(self.key)).texts
        assert len(set(texts)) == len(texts)
        rest = iter(texts)
        return all(text in rest for text in self.acknowledged)


class Load:
    """Many concurrent writers."""

    def __init__(self, database: Database, names: Iterable[str], **form: Any) -> None:
        self.writers = [Writer(database, name, **form) for name in names]

    async def run(self, stop: Stop) -> None:
        """Run all writers until `stop` is set."""
        await asyncio.gather(*(writer.run(stop) for writer in self.writers))

    @property
    def reasons(self) -> list[str]:
        """The messages of all appends that failed as unavailable."""
        return [reason for writer in self.writers for reason in writer.reasons]

    async def progress(self, more: int = 3) -> None:
        """Wait until each writer has `more` further acknowledged entries."""
        wanted = [(each.acknowledged, len(each.acknowledged) + more) for each in self.writers]
        await until(lambda: all(len(found) >= count for found, count in wanted))

    async def lost_nothing(self) -> bool:
        """Return whether no acknowledged entry of any writer is lost."""
        return all([await writer.lost_nothing() for writer in self.writers])
