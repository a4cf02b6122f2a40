"""Verification of a whole store, for example after a restore.

Nothing is written. All keys are scanned once and their data recomputed: seeds are opened and
compared with their commitments, journals are folded, and leaderboards are compared with the
histories that determine them.

One core verifies 13,000 journal entries a second, or 230 long games. Nodes may be running.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Sequence
from zlib import crc32

import msgspec

from server.base.core import keys
from server.base.core.ids import ID_LENGTH
from server.base.core.refusal import UnreadableError
from server.base.journals.findings import Findings
from server.foundation import Foundation

CONCURRENCY = 32
"""Maximum concurrent reads, few enough not to delay the nodes' commands."""

MIN_SHARE = 0.9
"""Minimum share of the earlier counts that must still exist; the rest may have expired."""

_ID = re.compile(rf"\b[0-9a-z]{{{ID_LENGTH}}}\b")


class Report(msgspec.Struct, kw_only=True):
    """The report of a verification.

    Attributes:
        store: the store's random id; `None` if it was never played on.
        at: the store's time, in Unix milliseconds.
        newest: the time of the newest journal entry read, in Unix milliseconds; `None` without any.
        keys: the number of keys of each kind.
        verified: the number of verified keys of each kind.
        effects: effects in the outboxes, which nodes will apply.
        overdue: deadlines that have passed, which nodes will handle.
        set_aside: items set aside earlier for an operator.
        problems: sentences; empty if the store is intact.
    """

    store: str | None
    at: int
    newest: int | None = None
    keys: dict[str, int] = {}
    verified: dict[str, int] = {}
    effects: int = 0
    overdue: int = 0
    set_aside: int = 0
    problems: list[str] = []


_END_OF_TIME = 1 << 53
"""A time after all others, in Unix milliseconds."""

Progress = Callable[[int], None]
"""Called with the number of keys scanned so far."""


class Verification:
    """A verification of a store, to run once."""

    def __init__(self, services: Foundation, percent: int = 100) -> None:
        """Verify `percent` of the keys that the wings check, always the same ones."""
        self._services = services
        self._percent = percent
        self._found = Findings(services.journal_store)
        self._counts: Counter[str] = Counter()
        self._verified: Counter[str] = Counter()
        self._due: set[str] = set()

    async def run(self, expected: Report | None, progress: Progress) -> Report:
        """Verify the store, and return a report.

        Args:
            expected: an earlier report, such as the backup's.
            progress: called repeatedly with the progress.

        Raises:
            UnsuitableError: the file of secret keys lacks the one that seals the store.
        """
        services, found = self._services, self._found
        ring = await services.keyring.load()
        await services.clock.sample()
        report = Report(store=ring.store if ring else None, at=services.clock.now())
        await self._outboxes(report)
        seen = 0
        async for batch in services.scan_store.all_keys():
            await self._verify_all(batch)
            seen += len(batch)
            progress(seen)
        if not any(self._counts[kind] for kind, played in services.lasting.items() if played):
            found.note("There are no players and no games in this store: it is empty.")
        for key in self._due:
            found.note("Deadlines without a journal", keys.kind_of(key)[1])
        report.keys, report.verified = dict(self._counts), dict(self._verified)
        report.newest = found.newest or None
        if expected is not None:
            self._compare(report, expected)
        report.problems = found.sentences()
        return report

    async def _verify_all(self, scanned: Sequence[str]) -> None:
        checks, limit = self._services.checks, asyncio.Semaphore(CONCURRENCY)

        async def verify(kind: str, name: str) -> None:
            async with limit:
                await checks[kind](name, self._found)
                self._verified[kind] += 1

        async with asyncio.TaskGroup() as group:
            for key in scanned:
                kind, name = keys.kind_of(key)
                self._due.discard(key)
                self._counts[kind] += 1
                # A hash of the name selects the same keys in each run.
                if kind in checks and crc32(name.encode()) % 100 < self._percent:
                    group.create_task(verify(kind, name))

    async def _outboxes(self, report: Report) -> None:
        """Read the outboxes and deadlines."""
        outboxes, partitions = self._services.outbox_store, range(keys.PARTITIONS)
        for pending in await outboxes.pending(_END_OF_TIME, partitions):
            for due, time in pending.due:
                report.overdue += time <= report.at
                if (key := due.key) is not None:
                    self._due.add(key)
            for field, text in pending.effects:
                report.effects += 1
                self._found.pending.update(_ID.findall(text))
                try:
                    self._services.outbox.decode(text)
                except (UnreadableError, msgspec.DecodeError):
                    self._found.note("Effects that this release cannot read", field)
        report.set_aside = await outboxes.count_set_aside()

    def _compare(self, report: Report, expected: Report) -> None:
        """Compare the report with an earlier one."""
        note = self._found.note
        if report.store != expected.store:
            note(f"This is another store: its id is {report.store}, and not {expected.store}.")
        for kind in self._services.lasting:
            now, before = report.keys.get(kind, 0), expected.keys.get(kind, 0)
            if now < before * MIN_SHARE:
                note(f"Of {before} keys of the kind `{kind}`, {now} are left.")
        if expected.newest is not None and (report.newest or 0) < expected.newest:
            what = "is missing" if report.newest is None else "is older than then"
            note(f"The newest journal entry {what}.")
