"""Journals: Redis streams with explicit entry ids `0-1`, `0-2`, ….

Entry n is appended only if the stream ends with entry n - 1 and no earlier entry is missing. There
is no other concurrency control: a node whose append is rejected reads the entries that it missed,
and decides again.

A journal may start with a checkpoint, an entry that replaces all earlier ones; the script that
appends it drops them. A checkpoint takes the next number like any other entry, and numbering
continues from it.

An append must not follow entries that Redis has lost since they were read. A server that loses data
loses its connections first, so entries count as read for one generation of the connection, and are
read again on the next. Where the generation is not sufficient, as when a slot has moved to another
server, the previous entry's text is compared too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import structlog
from redis.exceptions import AskError, NoScriptError, TryAgainError

from server.base.core import keys
from server.base.core.refusal import UnavailableError
from server.base.journals.batch_store import Done, Sent, command_of, packed
from server.base.journals.core.entry import (
    Append,
    ConflictError,
    Entries,
    GapError,
    MistimedError,
    is_checkpoint,
)
from server.base.redis.database import Database, OtherGenerationError, Reply
from server.base.redis.scripts import Argument
from server.base.redis.servers import suggests_failover
from server.base.work.background import check_outcome
from server.base.work.pacing import Pacer

CLOCK_TOLERANCE_MS: Final = 2_000
"""Maximum milliseconds between the time of a decision and Redis's time at the append."""

_PAGE: Final = 1_000
"""Entries per XRANGE."""

_MAX_BATCH: Final = 500
"""Maximum entries per script. A script of this size blocks Redis for about half a millisecond."""

_QUIET: Final = 3
"""Successive batches of one entry after which the next entry is sent without waiting for others of
the same pass of the event loop. With more load, gathering them is cheaper."""

log = structlog.get_logger()

_Name = tuple[int, str]
"""The generation of the connection that a batch is for, and in a cluster its hash tag."""


class JournalStore:
    """Reads all journals and appends to them.

    Attributes:
        appended: the number of entries that it has sent.
    """

    def __init__(self, database: Database) -> None:
        self.appended = 0
        self._database = database
        self._open_batches: dict[_Name, list[Sent]] = {}
        self._single = 0
        """The number of the last batches in a row that had one entry each."""
        self._tasks: set[asyncio.Task[None]] = set()

    def generation(self, key: str) -> int:
        """Return the generation of the connection to a journal's server, or 0 if not connected."""
        return self._database.generation(key)

    @property
    def newest_generation(self) -> int:
        """The generation of the newest connection to any server, or 0 if there is none."""
        return self._database.newest_generation

    @property
    def pacer(self) -> Pacer:
        """Resumes the tasks that wait for Redis."""
        return self._database.pacer

    def note_lost(self, key: str, count: int) -> None:
        """Record that a journal has lost at least `count` acknowledged entries of this node."""
        self._database.losses.note_entries(key, count)

    def append(self, append: Append, now: int, generation: int, previous: str, done: Done) -> None:
        """Append an entry with the next batch, and call `done` later with the outcome.

        One script appends a batch; in a cluster, each slot has its own batch. A task is started
        only if the journal's server is unknown, disconnected or overloaded, or if its slot moves.

        Args:
            append: the entry, and everything written with it.
            now: the time of the decision in Unix milliseconds.
            generation: the generation used to read the previous entries; 0 to append on any
                generation.
            previous: the text of the previous entry, compared if the generation is 0 or the slot
                has moved.
            done: called with the outcome.
        """
        database, key = self._database, append.key
        pipeline = database.pipeline_of(key)
        current = 0 if pipeline is None else pipeline.generation
        if generation != current and generation and current:
            # The state was read on an earlier connection, so entries may have been lost since.
            error = ConflictError(f"{key}: The connection has been replaced.")
            asyncio.get_running_loop().call_soon(done, error)
            return
        # A script's keys must share a slot, so a cluster has a batch per hash tag.
        name = current, "" if database.is_standalone else key[: key.index("}")]
        sent = append, now, generation, previous, done
        batch = self._open_batches.get(name)
        if batch is not None and len(batch) < _MAX_BATCH:
            batch.append(sent)
        elif pipeline is None:
            self._append_alone_soon(sent)
        elif self._single >= _QUIET and pipeline.is_idle and database.is_standalone:
            batch = [sent]
            pipeline.send_at_once(self._packed(batch), partial(self._end_batch, name, batch))
        elif not pipeline.is_ready:
            self._append_alone_soon(sent)
        else:
            batch = self._open_batches[name] = [sent]
            pipeline.send(
                partial(self._close_batch, name, batch), partial(self._end_batch, name, batch)
            )

    def _close_batch(self, name: _Name, batch: list[Sent]) -> bytes:
        """Close a batch about to be sent, and return its command."""
        self._drop_batch(name, batch)
        return self._packed(batch)

    def _drop_batch(self, name: _Name, batch: list[Sent]) -> None:
        """Prevent further additions to a batch."""
        if self._open_batches.get(name) is batch:
            del self._open_batches[name]

    def _packed(self, batch: list[Sent]) -> bytes:
        """Return the command of a batch about to be sent."""
        count = len(batch)
        self.appended += count
        self._single = self._single + 1 if count == 1 else 0
        return packed(batch, CLOCK_TOLERANCE_MS)

    def _end_batch(self, name: _Name, batch: list[Sent], reply: Any) -> None:
        """Report the outcomes of a batch to its callers."""
        if not isinstance(reply, list):
            # A batch that failed before it was sent is still open.
            self._drop_batch(name, batch)
            if isinstance(reply, AskError | TryAgainError):
                # The slot has moved or is moving. Entries sent alone follow redirections.
                for append, now, _, previous, done in batch:
                    self._append_alone_soon((append, now, 0, previous, done))
                return
            # Direct later appends to the server that has taken over.
            if suggests_failover(reply):
                self._database.refresh_topology_soon()
            reply = [reply] * len(batch)
        generation, _ = name
        for number, (append, _, _, _, done) in enumerate(batch):
            each = reply[number]
            try:
                done(generation if each == 1 else self._error_of(append, each))
            except Exception as fault:
                # One failed callback must not prevent the others.
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "The callback of an append failed.", "exception": fault}
                )

    def _error_of(self, append: Append, reply: Any) -> Exception:
        """Return the exception for an entry that was not appended, or may not have been."""
        if isinstance(reply, NoScriptError):
            # Nothing was written, and the pipeline has dropped the connection.
            return ConflictError(f"{append.key}: {type(reply).__name__}: {reply}")
        if isinstance(reply, Exception):
            return UnavailableError(f"{type(reply).__name__}: {reply}")
        if reply == "mistimed":
            return MistimedError(
                f"{append.key}: entry {append.number} has a time too far from Redis's"
            )
        self._database.metrics.conflicts += 1
        return ConflictError(f"{append.key}: entry {append.number} is not the next one")

    def _append_alone_soon(self, sent: Sent) -> None:
        task = asyncio.create_task(self._append_alone(*sent))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(check_outcome)

    async def _append_alone(
        self, append: Append, now: int, generation: int, previous: str, done: Done
    ) -> None:
        """Append an entry with its own script, which may be sent more than once."""
        self.appended += 1
        # The generation is not valid on another server, so the previous entry is compared.
        command = command_of([(append, now, 0, previous, done)], CLOCK_TOLERANCE_MS)
        try:
            reply = await self._database.reply(append.key, *command, generation=generation or None)
        except OtherGenerationError as error:
            done(ConflictError(f"{append.key}: {error}"))
        except UnavailableError as error:
            done(error)
        else:
            is_appended = reply.value == [1]
            done(reply.generation if is_appended else self._error_of(append, reply.value))

    async def read(self, key: str) -> Entries:
        """Return all entries once they are acknowledged; none if there is no journal.

        Raises:
            GapError: an entry is missing, and no checkpoint replaces it.
        """
        return await self._read(key, 1, acknowledged=True)

    async def existing(self, names: Sequence[str]) -> list[bool]:
        """Return whether each of several journals exists, acknowledged or not."""
        found = await self._database.ask(lambda redis, key: redis.exists(key), *names)
        return list(map(bool, found))

    async def lengths(self, names: Sequence[str]) -> list[int]:
        """Return the number of entries of several journals, acknowledged or not."""
        return await self._database.ask(lambda redis, key: redis.xlen(key), *names)

    async def delete(self, names: Sequence[str]) -> int:
        """Delete journals, and return how many of them existed."""
        return sum(
            await asyncio.gather(*(self._database.write(each, "UNLINK", each) for each in names))
        )

    async def read_from(self, key: str, number: int) -> list[str]:
        """Return the texts of the entries from `number` on, acknowledged or not.

        From 1 on, these are all entries, starting with the checkpoint if there is one.

        Raises:
            GapError: an entry is missing.
        """
        return (await self._read(key, number, acknowledged=False)).texts

    async def read_on(self, key: str, after: int, last: str, begin: int = 1) -> Entries | None:
        """Return the entries after number `after`, or `None` if entries were lost or dropped.

        Args:
            key: the journal's key.
            after: the number of the caller's last entry.
            last: the text of that entry. If the journal has no such entry, it was lost or replaced
                by a checkpoint.
            begin: the number of the journal's first entry, as far as the caller knows.

        Raises:
            GapError: an earlier entry is missing.
        """
        try:
            page, length = await self._database.read_both(
                key, _range(key, f"0-{after}"), ("XLEN", key)
            )
            found = await self._read(key, after, acknowledged=False, page=page)
            # New entries are folded only once Redis's replicas have them.
            if self._database.acks and found.texts != [last]:
                found = await self._read(key, after, acknowledged=True)
        except GapError:
            return None
        if found.texts[:1] != [last] or found.first != after:
            return None
        # The journal is too short, so earlier entries are missing and no append can succeed:
        # reading all of it raises the error.
        if length.value <= after - begin:
            await self.read(key)
        return Entries(found.texts[1:], found.generation, after + 1)

    def read_soon(
        self, key: str, after: int, last: str, begin: int, done: Callable[[Entries | None], None]
    ) -> bool:
        """Read like `read_on` without a task, and return whether that has begun.

        `done` is called with the entries, or with `None` if only `read_on` can tell what is there.
        """

        def finish(page: Reply, length: Reply) -> None:
            done(self._following(key, page, length, after, last, begin))

        return self._database.read_both_soon(
            _range(key, f"0-{after}"), ("XLEN", key), finish, lambda: done(None)
        )

    def _following(  # noqa: PLR0917 - the arguments of `read_soon`
        self, key: str, page: Reply, length: Reply, after: int, last: str, begin: int
    ) -> Entries | None:
        """Return the entries that two replies show, or `None` if they need another read."""
        texts: list[str] = []
        for number, (entry, (_, text)) in enumerate(page.value, after):
            if entry != f"0-{number}":
                return None
            texts.append(text)
        is_known = texts[:1] == [last] and length.value > after - begin
        if not is_known or len(texts) == _PAGE or (self._database.acks and len(texts) > 1):
            return None
        log.debug("journal_read", key=key, start=after, entries=len(texts))
        return Entries(texts[1:], page.generation, after + 1)

    async def _read(
        self, key: str, number: int, *, acknowledged: bool, page: Reply | None = None
    ) -> Entries:
        """Return the entries from `number` on.

        If a checkpoint stands where another entry is expected, the entries before it are left out.

        Args:
            key: the journal's key.
            number: the number of the first entry.
            acknowledged: whether to wait until the entries are acknowledged.
            page: the first page, if already read.
        """
        texts: list[str] = []
        generations: set[int] = set()
        while True:
            if page is None:
                page = await self._page(key, f"0-{number + len(texts)}", acknowledged=acknowledged)
            generations.add(page.generation)
            for entry, (_, text) in page.value:
                if entry != f"0-{number + len(texts)}":
                    if not is_checkpoint(text):
                        missing = number + len(texts)
                        log.error("journal_gap", key=key, missing=missing, found=entry)
                        raise GapError
                    number, texts = int(entry[2:]), []
                texts.append(text)
            # A page that is not full is the last one.
            if len(page.value) < _PAGE:
                log.debug("journal_read", key=key, start=number, entries=len(texts))
                # Pages from several connections are valid for none of them.
                generation = generations.pop() if len(generations) == 1 else 0
                return Entries(texts, generation, number)
            page = None

    async def _page(self, key: str, first: str, *, acknowledged: bool) -> Reply:
        """Return up to `_PAGE` entries of a journal, from an id on."""
        reading = self._database.reply(key, *_range(key, first), reads=True)
        if not (acknowledged and self._database.acks):
            return await reading
        # Another node may have written an entry that Redis's replicas lack. A write on the same
        # connection waits for them. It also fails on a server that has been replaced without
        # knowing it, since such a server has no replicas.
        barrier = keys.barrier(key)
        writing = self._database.write(barrier, "SET", barrier, "", "EX", keys.BARRIER_LIFE_S)
        page: Reply
        page, _ = await asyncio.gather(reading, writing)
        return page


def _range(key: str, first: str) -> tuple[Argument, ...]:
    """Return the command to read a page of a journal, from an id on."""
    return "XRANGE", key, first, "+", "COUNT", _PAGE
