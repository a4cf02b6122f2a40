"""Journals: Redis streams with explicit entry ids `0-1`, `0-2`, ….

Entry n is appended only if n - 1 entries stand. That is all the concurrency control there is:
whoever is refused reads what it missed, and decides again.

Nor is an entry appended by somebody who remembers what Redis has lost. A store that lost something
was disconnected first; so what is known of a journal belongs to the generation of the connection
that it was read on, and is read anew when there is another one. Where that is not enough, as when a
slot has gone to another server, the text of the entry before is compared as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import structlog
from redis.exceptions import AskError, NoScriptError, TryAgainError

from server.core.due import Due
from server.core.refusal import UnavailableError
from server.store import keys
from server.store.database import Database, OtherGenerationError, Reply
from server.store.pipeline import Argument, Pipeline, pack
from server.store.servers import suggests_failover

CLOCK_TOLERANCE: Final = 2_000
"""Milliseconds by which the time of a decision may differ from Redis's own when it is appended."""

_PAGE: Final = 1_000
_MOST_TOGETHER: Final = 500
"""Entries of one script: Redis does nothing else for about half a millisecond."""

_APPEND: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
if now - ARGV[1] > tonumber(ARGV[3]) or ARGV[2] - now > tonumber(ARGV[3]) then
  return 'mistimed'
end
local stands = {}
for i, key in ipairs(KEYS) do
  local number = ARGV[2 * i + 2]
  if redis.call('XLEN', key) == number - 1 then
    redis.call('XADD', key, '0-' .. number, 'e', ARGV[2 * i + 3])
    stands[i] = 1
  else
    stands[i] = 0
  end
end
return stands
"""
"""Append one entry to each of many journals, if the time at which they were decided is right.

A script for a whole batch costs Redis less than an XADD for each (1.1 µs an entry instead of 2).
"""

_APPEND_WITH: Final = """
local number, time = tonumber(ARGV[1]), redis.call('TIME')
if redis.call('XLEN', KEYS[1]) ~= number - 1 then return 'conflict' end
if ARGV[10] and number > 1 then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if last[2][2] ~= ARGV[10] then return 'conflict' end
end
if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[3]) > tonumber(ARGV[4]) then
  return 'mistimed'
end
redis.call('XADD', KEYS[1], '0-' .. number, 'e', ARGV[2])
if ARGV[5] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[5]) end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[2], ARGV[6], ARGV[7]) end
if ARGV[8] ~= '' then
  if ARGV[9] ~= '' then redis.call('ZADD', KEYS[3], ARGV[9], ARGV[8])
  else redis.call('ZREM', KEYS[3], ARGV[8]) end
end
return 'stands'
"""
"""Append an entry and, only if that is accepted, write what belongs to it in the same slot."""

SCRIPTS: Final = {"append": _APPEND}
"""The scripts that pipelines are to know."""


log = structlog.get_logger()


class ConflictError(Exception):
    """The journal does not end with the entry that this one was to follow."""


class MistimedError(Exception):
    """The time at which this was decided is not Redis's: this node's clock is wrong, or late."""


class GapError(Exception):
    """A journal lacks an entry. It is not to be trusted."""


class Append(NamedTuple):
    """An entry to be written, and what is written with it.

    Attributes:
        key: the journal's key.
        number: the entry's number, from 1.
        payload: the entry's text.
        partition: the partition that the key is in, needed for an effect or a due time.
        expires: when the journal may be forgotten, in Unix milliseconds.
        effect: a field and text for the outbox.
        due: what falls due and when, in Unix milliseconds; at `None` it does not any more.
    """

    key: str
    number: int
    payload: str
    partition: int = 0
    expires: int | None = None
    effect: tuple[str, str] | None = None
    due: tuple[Due, int | None] | None = None

    @property
    def alone(self) -> bool:
        """Whether nothing is written with the entry."""
        return self.expires is None and self.effect is None and self.due is None


@dataclass(frozen=True, slots=True)
class Entries:
    """What was read of a journal: texts of entries, and the generation that they are known from."""

    texts: list[str]
    generation: int


Appended = Callable[[Exception | None, int], None]
"""Called when an entry stands, with the generation from which that is known; or with what is wrong:
a `ConflictError`, a `MistimedError`, or an `UnavailableError` if the entry may stand or not."""


_Gathered = tuple[Append, int, Appended, str | None]
"""An append that is going to be sent, when it was decided, who is told, and the entry before."""


class Journals:
    """All journals, read and appended to by one node."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._gathering: dict[tuple[int, str], list[_Gathered]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def generation(self, key: str) -> int:
        """Return the generation of the connection to a journal's server, or 0 if there is none."""
        return self._database.generation(key)

    def append_soon(
        self,
        append: Append,
        now: int,
        generation: int,
        done: Appended,
        previous: str | None = None,
    ) -> bool:
        """Append an entry with which nothing else is written; `done` is called later.

        Entries that gather until the next batch are appended by one script, and in a cluster by
        one for each slot. `previous` is the text of the entry before: that is compared if the slot
        has gone to another server, of which the generation says nothing.

        Returns:
            Whether that was tried: not if what is known of the journal is of another generation,
            or if too much is waiting.
        """
        key = append.key
        pipeline = self._database.pipeline_of(key)
        # Without a connection there is nothing that could be known from it.
        if pipeline is None or not generation or pipeline.generation != generation:
            return False
        if pipeline.is_full:
            return False
        batch = generation, "" if self._database.is_standalone else key[: key.index("}")]
        entries = self._gathering.get(batch)
        if entries is None or len(entries) >= _MOST_TOGETHER:
            entries = self._gathering[batch] = []
            pipeline.send(
                lambda: self._command(pipeline, batch, entries),
                lambda reply: self._hand_out(batch, entries, reply),
            )
        entries.append((append, now, done, previous))
        return True

    def _close(self, batch: tuple[int, str], entries: list[_Gathered]) -> None:
        """Let nothing more be added to what has gathered."""
        if self._gathering.get(batch) is entries:
            del self._gathering[batch]

    def _command(
        self, pipeline: Pipeline, batch: tuple[int, str], entries: list[_Gathered]
    ) -> bytes:
        """Return the command that appends what has gathered."""
        self._close(batch, entries)
        times = [now for _, now, _, _ in entries]
        command: list[Argument] = ["EVALSHA", pipeline.script("append"), len(entries)]
        command += [append.key for append, _, _, _ in entries]
        command += [min(times), max(times), CLOCK_TOLERANCE]
        for append, _, _, _ in entries:
            command += (append.number, append.payload)
        return pack(*command)

    def _hand_out(self, batch: tuple[int, str], entries: list[_Gathered], reply: Any) -> None:
        """Tell whoever waits what became of their entries."""
        # What was given up before it could be sent is still gathering.
        self._close(batch, entries)
        generation, _ = batch
        if isinstance(reply, AskError | TryAgainError):
            # The slot is somewhere else by now: each entry follows it by itself.
            for entry in entries:
                task = asyncio.create_task(self._follow(*entry))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            return
        if suggests_failover(reply):
            self._database.refresh_topology_soon()
        stands = reply if isinstance(reply, list) else [reply] * len(entries)
        for (append, _, done, _), stood in zip(entries, stands, strict=True):
            error = None if stood == 1 else self._error_of(append, stood)
            try:
                done(error, generation)
            except Exception:
                # The others of the batch must be told all the same.
                log.exception("append_broken", key=append.key)

    def _error_of(self, append: Append, reply: Any) -> Exception:
        """Return why an entry does not stand, or may not."""
        if isinstance(reply, NoScriptError):
            # Nothing was written, and the connection is being made anew.
            return ConflictError(f"{append.key}: {type(reply).__name__}: {reply}")
        if isinstance(reply, Exception):
            return UnavailableError(f"{type(reply).__name__}: {reply}")
        if reply == "mistimed":
            return MistimedError(f"{append.key}: entry {append.number} was not decided now")
        self._database.metrics.conflicts += 1
        return ConflictError(f"{append.key}: entry {append.number} does not come next")

    async def _follow(self, append: Append, now: int, done: Appended, previous: str | None) -> None:
        """Append an entry on the server that its slot is going to."""
        try:
            known = await self.append(append, now, previous=previous)
        except (ConflictError, MistimedError, UnavailableError) as error:
            done(error, 0)
        else:
            done(None, known)

    async def append(
        self, entry: Append, now: int, generation: int | None = None, previous: str | None = None
    ) -> int:
        """Append an entry; when this returns, it stands.

        Args:
            entry: the entry, and what is written with it.
            now: the time in Unix milliseconds at which it was decided.
            generation: of the connection that the entries before it are known from; `None` if it
                does not matter.
            previous: the text of the entry before; `None` if it does not matter.

        Returns:
            The generation from which it is known to stand.

        Raises:
            ConflictError: the journal ends with another entry, or may by now; nothing was written.
            MistimedError: this is not the time; nothing was written.
            UnavailableError: it is not known whether the entry stands.
        """
        names = [entry.key]
        # While a slot moves, a script waits for all its keys to be in one place: name no more.
        if entry.effect is not None or entry.due is not None:
            names += [keys.outbox(entry.partition), keys.due(entry.partition)]
        field, value = entry.effect or ("", "")
        due, score = entry.due or (None, None)
        member = due.member if due is not None else ""
        try:
            reply = await self._database.reply(
                entry.key,
                "EVAL",
                _APPEND_WITH,
                len(names),
                *names,
                entry.number,
                entry.payload,
                now,
                CLOCK_TOLERANCE,
                "" if entry.expires is None else entry.expires,
                field,
                value,
                member,
                "" if score is None else score,
                *(() if previous is None else (previous,)),
                generation=generation,
            )
        except OtherGenerationError as error:
            raise ConflictError(f"{entry.key}: {error}") from error
        if reply.value == "conflict":
            self._database.metrics.conflicts += 1
            raise ConflictError(f"{entry.key}: entry {entry.number} does not come next")
        if reply.value == "mistimed":
            raise MistimedError(f"{entry.key}: entry {entry.number} was not decided now")
        return reply.generation

    async def read(self, key: str) -> Entries:
        """Return the texts of all entries; none if there is no journal.

        Raises:
            GapError: an entry is missing.
            UnavailableError: Redis does not answer.
        """
        return await self._read(key, 1, stands=True)

    async def first(self, key: str) -> str | None:
        """Return the text of the first entry as it stands on the server, or `None` without one.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.reply(key, "XRANGE", key, "0-1", "0-1", reads=True)
        return next((text for _, (_, text) in found.value), None)

    async def read_from(self, key: str, number: int) -> list[str]:
        """Return the texts of the entries from `number` on, as they stand on the server.

        Raises:
            GapError: an entry is missing.
            UnavailableError: Redis does not answer.
        """
        return (await self._read(key, number, stands=False)).texts

    async def read_on(self, key: str, after: int, last: str) -> Entries | None:
        """Return the texts of the entries after number `after`, whose text is `last`.

        Returns:
            `None` if that entry does not stand: the journal, or its end, was lost.

        Raises:
            GapError: an entry is missing.
            UnavailableError: Redis does not answer.
        """
        try:
            found = await self._read(key, after, stands=False)
            if self._database.acks and found.texts != [last]:
                found = await self._read(key, after, stands=True)
        except GapError:
            return None
        if found.texts[:1] != [last]:
            return None
        return Entries(found.texts[1:], found.generation)

    async def _read(self, key: str, number: int, *, stands: bool) -> Entries:
        """Return the texts of the entries from `number` on; `stands` waits until they do."""
        texts: list[str] = []
        generations: set[int] = set()
        while True:
            page = await self._page(key, f"0-{number + len(texts)}", stands=stands)
            generations.add(page.generation)
            for entry, (_, text) in page.value:
                if entry != f"0-{number + len(texts)}":
                    raise GapError(f"{key}: {entry} follows {len(texts)} from {number}")
                texts.append(text)
            if len(page.value) < _PAGE:
                return Entries(texts, generations.pop() if len(generations) == 1 else 0)

    async def _page(self, key: str, first: str, *, stands: bool) -> Reply:
        """Return what a journal has from an id on.

        `stands` waits until replicas have it, if they are to: another node may have written it a
        moment ago. A server that was given up, and has not heard of it, gets nothing to replicas
        any more: what is written to it next to the reading tells it apart.
        """
        reading = self._database.reply(key, "XRANGE", key, first, "+", "COUNT", _PAGE, reads=True)
        if not (stands and self._database.acks):
            return await reading
        barrier = keys.barrier(key)
        writing = self._database.write(barrier, "SET", barrier, "", "EX", 60)
        page, _ = await asyncio.gather(reading, writing)
        return page
