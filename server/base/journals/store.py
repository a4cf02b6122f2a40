"""Journals: Redis streams with explicit entry ids `0-1`, `0-2`, ….

Entry n is appended only if the stream ends with entry n - 1, and none before that is missing. That
is all the concurrency control there is: a node whose append is rejected reads the entries that it
missed, and decides again.

A journal may begin with a checkpoint: an entry that says all that those before it said, and with
which they were dropped, by one script. Its number is the next one as that of any entry, and numbers
go on from it.

An append must also not follow entries that Redis has lost since they were read. A server that loses
data loses its connections first; so what was read is valid for one generation of the connection,
and is read again on the next one. Where that does not suffice, as when a slot has moved to another
server, the text of the previous entry is compared as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import structlog
from redis.exceptions import AskError, NoScriptError, TryAgainError

from server.base.core import keys
from server.base.core.due import Due
from server.base.core.refusal import UnavailableError, UnreadableError
from server.base.redis.database import Database, OtherGenerationError, Reply
from server.base.redis.pipeline import pack
from server.base.redis.scripts import Script
from server.base.redis.servers import suggests_failover
from server.base.work.background import hear

CLOCK_TOLERANCE_MS: Final = 2_000
"""Most milliseconds between the time of a decision and Redis's time when it is appended."""

_PAGE: Final = 1_000
"""Entries read by one XRANGE."""

_MAX_BATCH: Final = 500
"""Most entries appended by one script, which blocks Redis for about half a millisecond."""

_APPEND: Final = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
if now - ARGV[1] > tonumber(ARGV[3]) or ARGV[2] - now > tonumber(ARGV[3]) then
  return 'mistimed'
end
local appended = {}
for i, key in ipairs(KEYS) do
  local number = ARGV[2 * i + 2]
  if redis.call('XLEN', key) == number - 1 then
    redis.call('XADD', key, '0-' .. number, 'e', ARGV[2 * i + 3])
    appended[i] = 1
  else
    appended[i] = 0
  end
end
return appended
""")
"""Append one entry to each of many journals, if Redis's time is near that of the decisions.

One script for a batch costs Redis less than one XADD for each entry (1.1 µs instead of 2 µs).
"""

CHECKPOINT: Final = '{"type":"checkpoint",'
"""The prefix of an entry (a checkpoint) that says all that those before it do."""

_APPEND_WITH: Final = Script("""
local number, time = tonumber(ARGV[1]), redis.call('TIME')
local length = redis.call('XLEN', KEYS[1])
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1] or {'0-0'}
if last[1] ~= '0-' .. (number - 1) then return 'conflict' end
if length ~= number - 1 then
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  if first[1] ~= '0-' .. (number - length) then return 'conflict' end
  if string.find(first[2][2], '{"type":"checkpoint",', 1, true) ~= 1 then return 'conflict' end
end
if ARGV[13] and number > 1 and last[2][2] ~= ARGV[13] then return 'conflict' end
if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[3]) > tonumber(ARGV[4]) then
  return 'mistimed'
end
local id = '0-' .. number
if ARGV[10] ~= '' then redis.call('XADD', KEYS[1], 'MINID', id, id, 'e', ARGV[2])
else redis.call('XADD', KEYS[1], id, 'e', ARGV[2]) end
if ARGV[5] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[5]) end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[2], ARGV[6], ARGV[7]) end
if ARGV[8] ~= '' then
  if ARGV[9] ~= '' then redis.call('ZADD', KEYS[3], ARGV[9], ARGV[8])
  else redis.call('ZREM', KEYS[3], ARGV[8]) end
end
if ARGV[11] ~= '' then redis.call('SET', KEYS[4], ARGV[11], 'PXAT', ARGV[12]) end
return 'appended'
""")
"""Append an entry and, only if it is accepted, drop those before a checkpoint, set the journal's
expiry, and write an effect, a due time and a text in the same slot."""

log = structlog.get_logger()


class ConflictError(Exception):
    """The journal does not end with the entry that this one should follow; nothing was written."""


class MistimedError(Exception):
    """The time of the decision is too far from Redis's time; nothing was written.

    The node's clock is wrong, or the append was delayed.
    """


class GapError(UnreadableError):
    """An entry is missing from a journal: it is lost, and what follows cannot be read."""

    def __init__(self) -> None:
        super().__init__("entries_lost")


def is_checkpoint(text: str) -> bool:
    """Return whether the text of an entry says all that those before it do."""
    return text.startswith(CHECKPOINT)


class Beside(NamedTuple):
    """A text that is stored beside a journal, in its slot, until a time in Unix milliseconds."""

    key: str
    text: str
    expires: int


class Append(NamedTuple):
    """An entry to append, and what is written together with it.

    Attributes:
        key: the journal's key.
        number: the entry's number, from 1.
        payload: the entry's text.
        partition: the partition that the key is in, needed for an effect or a due time.
        expires: when the journal expires, in Unix milliseconds.
        effect: a field and text for the outbox.
        due: a due item and its time in Unix milliseconds; a time of `None` deletes the item.
        beside: a text that is stored beside the journal.
    """

    key: str
    number: int
    payload: str
    partition: int = 0
    expires: int | None = None
    effect: tuple[str, str] | None = None
    due: tuple[Due, int | None] | None = None
    beside: Beside | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing else is written together with the entry."""
        return self.expires is None and not self.is_with_more

    @property
    def is_with_more(self) -> bool:
        """Whether something is written at another key together with the entry."""
        return any(each is not None for each in (self.effect, self.due, self.beside))


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries that were read from a journal.

    Attributes:
        texts: their texts, in order.
        generation: the generation of the connection that they were read on; 0 if there was more
            than one, or if the slot was being moved.
        first: the number of the first of them, or what it would be.
    """

    texts: list[str]
    generation: int
    first: int = 1

    @property
    def last(self) -> int:
        """The number of the last of them; that before the first if there is none."""
        return self.first + len(self.texts) - 1


Appended = Callable[[Exception | None, int], None]
"""Called with `None` and the generation of the connection once an entry is acknowledged; else with
a `ConflictError`, a `MistimedError`, or an `UnavailableError` if it may or may not be written."""


_PendingAppend = tuple[Append, int, Appended, str | None]
"""An append, the time of its decision, its callback, and the text of the previous entry."""


class JournalStore:
    """Reads all journals, and appends to them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._open_batches: dict[tuple[int, str], list[_PendingAppend]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def generation(self, key: str) -> int:
        """Return the generation of the connection to a journal's server, or 0 if not connected."""
        return self._database.generation(key)

    @property
    def newest_generation(self) -> int:
        """The generation of the newest connection to any server, or 0 if there is none."""
        return self._database.newest_generation

    def note_lost(self, key: str, count: int) -> None:
        """Note that a journal has lost at least so many entries that were acknowledged here."""
        self._database.losses.note_entries(key, count)

    def append_soon(
        self,
        append: Append,
        now: int,
        generation: int,
        done: Appended,
        previous: str | None,
    ) -> bool:
        """Append an entry with the next batch, without waiting for it.

        The entries of a batch are appended by one script, in a cluster by one for each slot.

        Args:
            append: the entry, with which nothing else is written.
            now: the time of the decision in Unix milliseconds.
            generation: the generation that the previous entries were read on.
            done: called later with the outcome.
            previous: the text of the previous entry, which is compared if the slot has moved to
                another server, where the generation means nothing; `None` to compare none.

        Returns:
            Whether the entry will be sent: not if the connection has another generation, or if
            too many commands are waiting. `done` is then never called.
        """
        key = append.key
        pipeline = self._database.pipeline_of(key)
        # Generation 0 is that of no connection: nothing can be relied on.
        if pipeline is None or not generation or pipeline.generation != generation:
            return False
        if pipeline.is_full:
            return False
        batch = generation, "" if self._database.is_standalone else key[: key.index("}")]
        entries = self._open_batches.get(batch)
        if entries is None or len(entries) >= _MAX_BATCH:
            entries = self._open_batches[batch] = []
            pipeline.send(
                lambda: self._command(batch, entries),
                lambda reply: self._complete(batch, entries, reply),
            )
        entries.append((append, now, done, previous))
        return True

    def _close_batch(self, batch: tuple[int, str], entries: list[_PendingAppend]) -> None:
        """Let no more entries be added to a batch."""
        if self._open_batches.get(batch) is entries:
            del self._open_batches[batch]

    def _command(self, batch: tuple[int, str], entries: list[_PendingAppend]) -> bytes:
        """Close a batch that is about to be sent, and return the command that appends it."""
        self._close_batch(batch, entries)
        times = [now for _, now, _, _ in entries]
        names = [append.key for append, _, _, _ in entries]
        given = [part for append, *_ in entries for part in (append.number, append.payload)]
        return pack(*_APPEND.call(names, min(times), max(times), CLOCK_TOLERANCE_MS, *given))

    def _complete(self, batch: tuple[int, str], entries: list[_PendingAppend], reply: Any) -> None:
        """Call back the callers whose entries were in a batch."""
        # A batch that failed before it was sent is still open.
        self._close_batch(batch, entries)
        generation, _ = batch
        if isinstance(reply, AskError | TryAgainError):
            # The slot has moved or is moving: each entry is sent alone, and follows redirections.
            for entry in entries:
                task = asyncio.create_task(self._append_redirected(*entry))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
                task.add_done_callback(hear)
            return
        if suggests_failover(reply):
            self._database.refresh_topology_soon()
        outcomes = reply if isinstance(reply, list) else [reply] * len(entries)
        for (append, _, done, _), outcome in zip(entries, outcomes, strict=True):
            error = None if outcome == 1 else self._error_of(append, outcome)
            try:
                done(error, generation)
            except Exception as fault:
                # It must not keep the other callbacks from being called.
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

    async def _append_redirected(
        self, append: Append, now: int, done: Appended, previous: str | None
    ) -> None:
        """Append an entry of a batch that was redirected, and call its callback."""
        try:
            known = await self.append(append, now, previous=previous)
        except (ConflictError, MistimedError, UnavailableError) as error:
            done(error, 0)
        else:
            done(None, known)

    async def append(
        self, entry: Append, now: int, generation: int | None = None, previous: str | None = None
    ) -> int:
        """Append an entry, and return when it is acknowledged.

        Args:
            entry: the entry, and what is written together with it.
            now: the time of the decision in Unix milliseconds.
            generation: the generation that the previous entries were read on; `None` to append on
                any.
            previous: the text of the previous entry; `None` to compare none.

        Returns:
            The generation of the connection that it was appended on.

        Raises:
            ConflictError: the journal ends with another entry, or may do so, since the connection
                was replaced; nothing was written.
            MistimedError: `now` is too far from Redis's time; nothing was written.
        """
        names = [entry.key]
        # While a slot is moved, a script must wait until all its keys are on one server: pass no
        # key that is not needed.
        if entry.is_with_more:
            names += [keys.outbox(entry.partition), keys.due(entry.partition)]
        if entry.beside is not None:
            names.append(entry.beside.key)
        field, value = entry.effect or ("", "")
        due, score = entry.due or (None, None)
        member = due.member if due is not None else ""
        try:
            reply = await self._database.reply(
                entry.key,
                *_APPEND_WITH.call(
                    names,
                    entry.number,
                    entry.payload,
                    now,
                    CLOCK_TOLERANCE_MS,
                    "" if entry.expires is None else entry.expires,
                    field,
                    value,
                    member,
                    "" if score is None else score,
                    "1" if is_checkpoint(entry.payload) else "",
                    *(entry.beside[1:] if entry.beside is not None else ("", "")),
                    *(() if previous is None else (previous,)),
                ),
                generation=generation,
            )
        except OtherGenerationError as error:
            raise ConflictError(f"{entry.key}: {error}") from error
        if reply.value == "conflict":
            self._database.metrics.conflicts += 1
            raise ConflictError(f"{entry.key}: entry {entry.number} is not the next one")
        if reply.value == "mistimed":
            raise MistimedError(
                f"{entry.key}: entry {entry.number} has a time too far from Redis's"
            )
        return reply.generation

    async def read(self, key: str) -> Entries:
        """Return all entries, once they are acknowledged; none if there is no journal.

        Raises:
            GapError: an entry is missing, and no checkpoint says what it said.
        """
        return await self._read(key, 1, acknowledged=True)

    async def existing(self, names: Sequence[str]) -> list[bool]:
        """Return whether there is each of some journals, acknowledged or not."""
        found = await self._database.ask(lambda redis, key: redis.exists(key), *names)
        return list(map(bool, found))

    async def read_from(self, key: str, number: int) -> list[str]:
        """Return the texts of the entries from `number` on, acknowledged or not.

        From 1 on, these are all that there are: from a checkpoint on, if there is one.

        Raises:
            GapError: an entry is missing.
        """
        return (await self._read(key, number, acknowledged=False)).texts

    async def read_on(self, key: str, after: int, last: str, begin: int = 1) -> Entries | None:
        """Return the entries after number `after`, or `None` if data was lost, or dropped.

        If entries before it are missing, nobody can append: their number is compared, too.

        Args:
            key: the journal's key.
            after: the number of the last entry that the caller has.
            last: the text of that entry; if the journal has no such entry, data was lost, or a
                checkpoint has followed it.
            begin: the number of the entry that the journal begins with, as the caller knows.

        Raises:
            GapError: an entry before it is missing.
        """
        try:
            found, length = await asyncio.gather(
                self._read(key, after, acknowledged=False),
                self._database.reply(key, "XLEN", key, reads=True),
            )
            if self._database.acks and found.texts != [last]:
                found = await self._read(key, after, acknowledged=True)
        except GapError:
            return None
        if found.texts[:1] != [last] or found.first != after:
            return None
        if length.value <= after - begin:
            await self.read(key)
        return Entries(found.texts[1:], found.generation, after + 1)

    async def _read(self, key: str, number: int, *, acknowledged: bool) -> Entries:
        """Return the entries from `number` on; `acknowledged` waits until they are.

        Those before a checkpoint are left out if it was met where another one should be.
        """
        texts: list[str] = []
        generations: set[int] = set()
        while True:
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
            if len(page.value) < _PAGE:
                log.debug("journal_read", key=key, start=number, entries=len(texts))
                generation = generations.pop() if len(generations) == 1 else 0
                return Entries(texts, generation, number)

    async def _page(self, key: str, first: str, *, acknowledged: bool) -> Reply:
        """Return up to `_PAGE` entries of a journal, from an id on.

        Another node may have written an entry that replicas do not have yet. `acknowledged` makes
        sure that they do by a write on the same connection, if writes need replicas at all. That
        write also fails on a server that was replaced and does not know it: it has no replicas.
        """
        reading = self._database.reply(key, "XRANGE", key, first, "+", "COUNT", _PAGE, reads=True)
        if not (acknowledged and self._database.acks):
            return await reading
        barrier = keys.barrier(key)
        writing = self._database.write(barrier, "SET", barrier, "", "EX", keys.BARRIER_LIFE_S)
        page, _ = await asyncio.gather(reading, writing)
        return page
