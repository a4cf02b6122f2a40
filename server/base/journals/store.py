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
from typing import Any, Final

import msgspec
import structlog
from redis.exceptions import AskError, NoScriptError, TryAgainError

from server.base.core import keys
from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import (
    Append,
    ConflictError,
    Entries,
    GapError,
    MistimedError,
    is_checkpoint,
)
from server.base.redis.database import Database, OtherGenerationError, Reply
from server.base.redis.handshake import pack
from server.base.redis.pipeline import Pipeline
from server.base.redis.scripts import Argument, Script
from server.base.redis.servers import suggests_failover
from server.base.work.background import check_outcome
from server.base.work.pacing import Pacer

CLOCK_TOLERANCE_MS: Final = 2_000
"""Maximum milliseconds between the time of a decision and Redis's time at the append."""

_PAGE: Final = 1_000
"""Entries per XRANGE."""

_MAX_BATCH: Final = 500
"""Maximum entries per script. A script of this size blocks Redis for about half a millisecond."""

_APPEND: Final = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
if now - ARGV[1] > tonumber(ARGV[3]) or ARGV[2] - now > tonumber(ARGV[3]) then
  return 'mistimed'
end
local function follows(key, number, previous)
  local length = redis.call('XLEN', key)
  if length == number - 1 and previous == '' then return true end
  local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  if not last or last[1] ~= '0-' .. (number - 1) then return false end
  if previous ~= '' and last[2][2] ~= previous then return false end
  if length == number - 1 then return true end
  local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
  return first[1] == '0-' .. (number - length)
    and string.find(first[2][2], '{"type":"checkpoint",', 1, true) == 1
end
local appended = {}
for i = 1, tonumber(ARGV[4]) do
  local key, number, text, more = KEYS[i], unpack(ARGV, 3 * i + 2, 3 * i + 4)
  local previous, commands, earlier = '', {}, {}
  if more ~= '' then previous, commands, earlier = unpack(cjson.decode(more)) end
  appended[i] = 0
  if follows(key, number, previous) then
    local added = ''
    for _, entry in ipairs(earlier) do
      if type(added) == 'string' then
        added = redis.pcall('XADD', key, '0-' .. number, 'e', entry)
      end
      number = number + 1
    end
    if type(added) == 'string' then
      added = redis.pcall('XADD', key, '0-' .. number, 'e', text)
    end
    if type(added) == 'string' then
      for _, command in ipairs(commands) do redis.call(unpack(command)) end
      appended[i] = 1
    elseif not string.find(added.err, 'ID specified', 1, true) then
      return added
    end
  end
end
return appended
""")
"""Append one entry to each of several journals, if Redis's time is near that of the decisions.

An entry is appended if it is the next one and no earlier one is missing, except before a
checkpoint. Further entries can precede it in the same append, and its additional commands are
executed last. After a checkpoint, the stream's length does not determine the next number, and XADD
refuses a wrong one. Comparing the previous entry's text, where given, takes Redis 2.5 µs in
addition to the 2 µs of an entry. One script per batch is cheaper for Redis than one XADD per entry.
"""

log = structlog.get_logger()

_encode = msgspec.json.Encoder().encode


Done = Callable[[int | Exception], None]
"""The callback of an append. It gets the generation of the connection on which the entry was
acknowledged, or else a `ConflictError`, a `MistimedError`, or an `UnavailableError` if the entry
may or may not be written."""

_Sent = tuple[Append, int, int, str, Done]
"""The arguments of `JournalStore.append`."""


class JournalStore:
    """Reads all journals and appends to them.

    Attributes:
        appended: the number of entries that it has sent.
    """

    def __init__(self, database: Database) -> None:
        self.appended = 0
        self._database = database
        self._open_batches: dict[tuple[int, str], list[_Sent]] = {}
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
        batch = self._open_batches.get(name)
        if batch is None or len(batch) >= _MAX_BATCH:
            if pipeline is None or not pipeline.is_ready:
                self._append_alone_soon((append, now, generation, previous, done))
                return
            batch = self._open_batch(name, pipeline)
        batch.append((append, now, generation, previous, done))

    def _open_batch(self, name: tuple[int, str], pipeline: Pipeline) -> list[_Sent]:
        """Return a new batch, which the pipeline sends with its next write."""
        batch: list[_Sent] = []
        self._open_batches[name] = batch
        pipeline.send(
            lambda: self._pack_batch(name, batch),
            lambda reply: self._batch_done(name, batch, reply),
        )
        return batch

    def _pack_batch(self, name: tuple[int, str], batch: list[_Sent]) -> bytes:
        """Close a batch about to be sent, and return its command."""
        self._close_batch(name, batch)
        self.appended += len(batch)
        return pack(*_command(batch))

    def _close_batch(self, name: tuple[int, str], batch: list[_Sent]) -> None:
        """Prevent further additions to a batch."""
        if self._open_batches.get(name) is batch:
            del self._open_batches[name]

    def _batch_done(self, name: tuple[int, str], batch: list[_Sent], reply: Any) -> None:
        """Report the outcomes of a batch to its callers."""
        # A batch that failed before it was sent is still open.
        self._close_batch(name, batch)
        if isinstance(reply, AskError | TryAgainError):
            # The slot has moved or is moving. Entries sent alone follow redirections.
            for append, now, _, previous, done in batch:
                self._append_alone_soon((append, now, 0, previous, done))
            return
        # Direct later appends to the server that has taken over.
        if suggests_failover(reply):
            self._database.refresh_topology_soon()
        replies = reply if isinstance(reply, list) else [reply] * len(batch)
        for (append, _, _, _, done), each in zip(batch, replies, strict=True):
            try:
                done(name[0] if each == 1 else self._error_of(append, each))
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

    def _append_alone_soon(self, sent: _Sent) -> None:
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
        command = _command([(append, now, 0, previous, done)])
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


def _command(batch: list[_Sent]) -> tuple[Argument, ...]:
    """Return the command to append a batch of entries in one slot."""
    names = [append.key for append, _, _, _, _ in batch]
    times = [now for _, now, _, _, _ in batch]
    given: list[Argument] = []
    for append, _, generation, previous, _ in batch:
        more: Argument = ""
        # Most appends need neither a comparison nor further commands, and stay short.
        if append.partition is not None or not generation:
            touched, commands = _written_with(append)
            names += touched
            more = _encode(("" if generation else previous, commands, append.earlier))
        given += append.number - len(append.earlier), append.payload, more
    return _APPEND.call(names, min(times), max(times), CLOCK_TOLERANCE_MS, len(batch), *given)


def _written_with(append: Append) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the additional keys and commands written with an entry."""
    # While a slot is moved, a script waits until all its keys are on one server, so unneeded keys
    # are not passed.
    names: list[str] = []
    commands: list[tuple[str, ...]] = []
    partition = append.partition
    if partition is None:
        return names, commands
    if is_checkpoint(append.payload):
        commands.append(("XTRIM", append.key, "MINID", f"0-{append.number}"))
    if append.expires is not None:
        commands.append(("PEXPIREAT", append.key, str(append.expires)))
    if append.effect is not None:
        names.append(keys.outbox(partition))
        commands.append(("HSET", names[-1], *append.effect))
    if append.due is not None:
        names.append(keys.due(partition))
        due, at = append.due
        is_over = at is None
        commands.append(
            ("ZREM", names[-1], due.member) if is_over else ("ZADD", names[-1], str(at), due.member)
        )
    if append.beside is not None:
        key, text, expires = append.beside
        names.append(key)
        commands.append(("SET", key, text, "PXAT", str(expires)))
    if append.placed is not None:
        key, scores, expires = append.placed
        names.append(key)
        flat = [part for member, score in scores for part in (str(score), member)]
        if scores:
            commands.append(("ZADD", key, *flat))
        commands.append(("PEXPIREAT", key, str(expires)))
    return names, commands
