"""Writers: journals that are appended to again and again, and what was acknowledged of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from server.core.refusal import UnavailableError
from server.stop import Stop
from server.store import keys
from server.store.database import Database
from server.store.journal import ConflictError, Entries, Journals
from tests.store.entries import RefusedError, append, append_soon
from tests.store.servers import until

_AGAIN = 0.01


class Writer:
    """One journal, and who appends to it.

    Attributes:
        acknowledged: the texts that are known to stand, in their order.
        reasons: why an append was not answered, each time.
    """

    def __init__(self, database: Database, name: str, **form: Any) -> None:
        self.name = name
        self.key = keys.attempt(name)
        self.acknowledged: list[str] = []
        self.reasons: list[str] = []
        self._journals = Journals(database)
        self._form = form
        self._tries = 0

    async def run(self, stop: Stop) -> None:
        """Append one entry after the other; after one that is in doubt, look what stands."""
        known = Entries([], 0)
        while not stop.is_set:
            if not known.generation:
                # The slot is on its way, or nothing is known yet.
                known = await self._read(stop)
            self._tries += 1
            text = f"{self.name} {self._tries}"
            try:
                generation = await self._append(known, text)
            except UnavailableError as error:
                self.reasons.append(str(error))
                known = await self._read(stop)
                await asyncio.sleep(_AGAIN)
            except ConflictError:
                # Nothing was written: what is known is old.
                known = await self._read(stop)
            else:
                known = Entries([*known.texts, text], generation)
                self.acknowledged.append(text)

    async def _append(self, known: Entries, text: str) -> int:
        """Append an entry as a node does: in the next batch if it is written alone."""
        number, generation = len(known.texts) + 1, known.generation
        last = known.texts[-1] if known.texts else ""
        if not self._form:
            with suppress(RefusedError):
                return await append_soon(
                    self._journals, number, text,
                    name=self.name, generation=generation, previous=last,
                )  # fmt: skip
        return await append(
            self._journals, number, text, name=self.name, generation=generation, **self._form
        )

    async def _read(self, stop: Stop) -> Entries:
        while not stop.is_set:
            try:
                return await self._journals.read(self.key)
            except UnavailableError:
                await asyncio.sleep(_AGAIN)
        return Entries([], 0)

    async def stands(self) -> bool:
        """Return whether everything that was acknowledged stands, in its order and once."""
        texts = (await self._journals.read(self.key)).texts
        assert len(set(texts)) == len(texts)
        rest = iter(texts)
        return all(text in rest for text in self.acknowledged)


class Load:
    """Many writers at once."""

    def __init__(self, database: Database, names: Iterable[str], **form: Any) -> None:
        self.writers = [Writer(database, name, **form) for name in names]

    async def run(self, stop: Stop) -> None:
        """Let all of them write until told to stop."""
        await asyncio.gather(*(writer.run(stop) for writer in self.writers))

    @property
    def reasons(self) -> list[str]:
        """Why appends were not answered."""
        return [reason for writer in self.writers for reason in writer.reasons]

    async def goes_on(self, more: int = 3) -> None:
        """Return when each writer has had so many appends acknowledged from now on."""
        before = [len(writer.acknowledged) for writer in self.writers]

        async def done() -> bool:
            now = [len(writer.acknowledged) for writer in self.writers]
            return all(n >= b + more for n, b in zip(now, before, strict=True))

        await until(done)

    async def stands(self) -> bool:
        """Return whether everything that was acknowledged stands."""
        return all([await writer.stands() for writer in self.writers])
