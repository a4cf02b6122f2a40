"""Journals: Redis streams with explicit entry ids `0-1`, `0-2`, ….

Entry n is appended only if entry n - 1 is the last one, and the one that whoever appends knows.
That is all the concurrency control there is: whoever is refused reads what it missed, and decides
again. It also finds out so when Redis has lost what this node still remembers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from server.store import keys
from server.store.database import Database

CLOCK_TOLERANCE: Final = 2_000
"""Milliseconds by which the time of a decision may differ from Redis's own when it is appended."""

_PAGE: Final = 1_000
_FIELD: Final = "e"

_APPEND: Final = """
local number, time = tonumber(ARGV[1]), redis.call('TIME')
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local stands = last and tonumber(string.sub(last[1], 3)) or 0
if stands ~= number - 1 or (last and last[2][2] ~= ARGV[3]) then return 'conflict' end
if math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[4]) > tonumber(ARGV[5]) then
  return 'mistimed'
end
redis.call('XADD', KEYS[1], '0-' .. number, 'e', ARGV[2])
if ARGV[6] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[2], ARGV[7], ARGV[8]) end
if ARGV[9] ~= '' then
  if ARGV[10] ~= '' then redis.call('ZADD', KEYS[3], ARGV[10], ARGV[9])
  else redis.call('ZREM', KEYS[3], ARGV[9]) end
end
return 'stands'
"""
"""Append an entry and, only if that is accepted, write what belongs to it in the same slot."""


class ConflictError(Exception):
    """The journal does not end with the entry that this one was to follow."""


class MistimedError(Exception):
    """The time at which this was decided is not Redis's: this node's clock is wrong, or late."""


class GapError(Exception):
    """A journal lacks an entry. It is not to be trusted."""


@dataclass(frozen=True, slots=True)
class Append:
    """An entry to be written, and what is written with it.

    Attributes:
        key: the journal's key.
        partition: the partition that the key is in.
        number: the entry's number, from 1.
        payload: the entry's text.
        expires: when the journal may be forgotten, in Unix milliseconds.
        effect: a field and text for the outbox.
        due: what falls due and when, in Unix milliseconds; at `None` it does not any more.
    """

    key: str
    partition: int
    number: int
    payload: str
    expires: int | None = None
    effect: tuple[str, str] | None = None
    due: tuple[str, int | None] | None = None


class Journals:
    """All journals, read and appended to by one node."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, entry: Append, previous: str, now: int) -> None:
        """Append an entry; when this returns, it stands.

        `previous` is the text of the entry before, empty for the first one, and `now` the time
        in Unix milliseconds at which this one was decided.

        Raises:
            ConflictError: the journal ends with another entry; nothing was written.
            MistimedError: this is not the time; nothing was written.
            UnavailableError: it is not known whether the entry stands.
        """
        names = [entry.key]
        # While a slot moves, a script waits for all its keys to be in one place: name no more.
        if entry.effect is not None or entry.due is not None:
            names += [keys.outbox(entry.partition), keys.due(entry.partition)]
        field, value = entry.effect or ("", "")
        member, score = entry.due or ("", None)
        answer = await self._database.run(
            _APPEND,
            names,
            entry.number,
            entry.payload,
            previous,
            now,
            CLOCK_TOLERANCE,
            "" if entry.expires is None else entry.expires,
            field,
            value,
            member,
            "" if score is None else score,
        )
        if answer == "conflict":
            raise ConflictError(f"{entry.key}: entry {entry.number} does not come next")
        if answer == "mistimed":
            raise MistimedError(f"{entry.key}: entry {entry.number} was not decided now")

    async def read(self, key: str) -> list[str]:
        """Return the texts of all entries; none if there is no journal.

        Raises:
            GapError: an entry is missing.
            UnavailableError: Redis does not answer.
        """
        return await self._read(key, 1, stands=True)

    async def read_on(self, key: str, after: int, last: str) -> list[str] | None:
        """Return the texts of the entries after number `after`, whose text is `last`.

        Returns:
            `None` if that entry does not stand: the journal, or its end, was lost.

        Raises:
            GapError: an entry is missing.
            UnavailableError: Redis does not answer.
        """
        try:
            texts = await self._read(key, after, stands=False)
            if self._database.acks and texts != [last]:
                texts = await self._read(key, after, stands=True)
        except GapError:
            return None
        return texts[1:] if texts[:1] == [last] else None

    async def _read(self, key: str, number: int, *, stands: bool) -> list[str]:
        """Return the texts of the entries from `number` on; `stands` waits until they do."""
        texts: list[str] = []
        while True:
            page = await self._page(key, f"0-{number + len(texts)}", stands=stands)
            for entry, fields in page:
                if entry != f"0-{number + len(texts)}":
                    raise GapError(f"{key}: {entry} follows {len(texts)} from {number}")
                texts.append(fields[_FIELD])
            if len(page) < _PAGE:
                return texts

    async def _page(self, key: str, first: str, *, stands: bool) -> Any:
        """Return what a journal has from an id on.

        `stands` waits until replicas have it, if they are to: another node may have written it a
        moment ago. A server that was given up, and has not heard of it, gets nothing to replicas
        any more: what is written to it next to the reading tells it apart.
        """
        if not (stands and self._database.acks):
            (page,) = await self._database.ask(
                lambda redis, name: redis.xrange(name, min=first, count=_PAGE), key
            )
            return page
        barrier = keys.barrier(key)
        page, _ = await asyncio.gather(
            self._database.write(key, "XRANGE", key, first, "+", "COUNT", _PAGE),
            self._database.write(barrier, "SET", barrier, "", "EX", 60),
        )
        return page
