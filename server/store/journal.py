"""Journals: Redis streams with explicit entry ids `0-1`, `0-2`, …, and group commit.

Redis refuses the append of entry n if n stands already. That is all the concurrency control there
is: whoever is refused reads what it missed, and decides again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import RedisError, ResponseError

from server.core.refusal import UnavailableError
from server.store import keys
from server.store.connection import answering

MOST_WAITING: Final = 10_000
"""Appends that may wait for the pipeline; one more is refused as unavailable."""

_PAGE: Final = 1_000
_FIELD: Final = "e"
_STANDS: Final = "equal or smaller"

log = structlog.get_logger()

_APPEND_WITH: Final = """
local added
if ARGV[1] == '0-1' then
  added = redis.call('XADD', KEYS[1], ARGV[1], 'e', ARGV[2])
else
  added = redis.call('XADD', KEYS[1], 'NOMKSTREAM', ARGV[1], 'e', ARGV[2])
end
if not added then return false end
if ARGV[3] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[4], ARGV[5]) end
if ARGV[6] ~= '' then
  if ARGV[7] ~= '' then redis.call('ZADD', KEYS[3], ARGV[7], ARGV[6])
  else redis.call('ZREM', KEYS[3], ARGV[6]) end
end
return added
"""
"""Append an entry and, only if that is accepted, write what belongs to it in the same slot."""


class ConflictError(Exception):
    """An entry with this number stands already."""


class MissingError(Exception):
    """The journal does not exist, or not any more."""


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

    def queue(self, pipeline: Pipeline) -> None:
        """Put the command for this append into a pipeline."""
        entry = f"0-{self.number}"
        if self.number > 1 and self.expires is None and self.effect is None and self.due is None:
            pipeline.execute_command("XADD", self.key, "NOMKSTREAM", entry, _FIELD, self.payload)
            return
        field, value = self.effect or ("", "")
        member, score = self.due or ("", None)
        pipeline.eval(
            _APPEND_WITH,
            3,
            self.key,
            keys.outbox(self.partition),
            keys.due(self.partition),
            entry,
            self.payload,
            "" if self.expires is None else str(self.expires),
            field,
            value,
            member,
            "" if score is None else str(score),
        )


class Journals:
    """All journals, read and appended to by one node.

    Appends that gather while a pipeline is in flight go out together in the next one.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._waiting: list[tuple[Append, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(self, entry: Append) -> None:
        """Append an entry; when this returns, it stands.

        Raises:
            ConflictError: an entry of this number stands already.
            MissingError: the entry is not the first, and there is no journal.
            UnavailableError: it is not known whether the entry stands.
        """
        if len(self._waiting) >= MOST_WAITING:
            raise UnavailableError("too many appends are waiting")
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, future))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        await future

    async def read(self, key: str, after: int = 0) -> list[str]:
        """Return the texts of the entries after number `after`; none if there is no journal.

        Raises:
            GapError: an entry is missing.
            UnavailableError: Redis does not answer.
        """
        texts: list[str] = []
        while True:
            with answering():
                page: Any = await self._redis.xrange(
                    key, min=f"(0-{after}" if after else "-", count=_PAGE
                )
            for entry, fields in page:
                after += 1
                if entry != f"0-{after}":
                    raise GapError(f"{key}: entry {entry} stands where 0-{after} should")
                texts.append(fields[_FIELD])
            if len(page) < _PAGE:
                return texts

    async def _write(self) -> None:
        """Send what waits, until nothing does."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            for (_, future), answer in zip(batch, await self._send(batch), strict=True):
                if future.done():
                    continue
                if answer is None:
                    future.set_result(None)
                else:
                    future.set_exception(answer)
        self._writer = None

    async def _send(self, batch: list[tuple[Append, Any]]) -> list[Exception | None]:
        """Send a batch as one pipeline, and return what is wrong with each append."""
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                for entry, _ in batch:
                    entry.queue(pipeline)
                answers = await pipeline.execute(raise_on_error=False)
        except Exception as error:
            # Whatever it was, those who wait must hear of it.
            if not isinstance(error, RedisError | OSError):
                log.exception("appends_broken")
            return [UnavailableError(f"{type(error).__name__}: {error}") for _ in batch]
        return [_wrong_with(answer) for answer in answers]

    async def close(self) -> None:
        """Wait until everything that was to be appended is answered."""
        if self._writer is not None:
            await self._writer


def _wrong_with(answer: object) -> Exception | None:
    """Return what an append's answer means: `None` if the entry stands."""
    if isinstance(answer, str):
        return None
    if answer is None:
        return MissingError("the journal does not exist")
    if isinstance(answer, ResponseError) and _STANDS in str(answer):
        return ConflictError("the entry stands already")
    return UnavailableError(f"{type(answer).__name__}: {answer}")
