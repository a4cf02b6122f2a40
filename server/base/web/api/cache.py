"""Answers that were encoded lately: each is made once, for all who ask for the same meanwhile."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from cachetools import TLRUCache

from server.base.core.refusal import Refusal
from server.base.web.api.route import FOREVER, Answer, Download
from server.base.web.content import Content, content_of
from server.base.work.tasks import Tasks

MAX_BYTES: Final = 32_000_000
"""The most bytes that the answers which are kept take, over all routes and with their keys."""

ONCE: Final = 0.25
"""The share of them for answers that were asked for once. The others are for those that were asked
for again: so whoever asks for a million different things once pushes none of them out."""

OVERHEAD: Final = 3_584
"""Bytes that an answer takes in each content coding beside its body: prepared responses, headers
and what the cache has of it. A test measures them."""

MAX_LIFE_S: Final = 60.0
"""The most seconds that an answer is kept here, so that corrections show after that."""

MAX_IN_FLIGHT: Final = 16
"""Answers that are being made at once: further ones are refused before they delay moves."""

PACKED_FROM: Final = 1_024
"""Bytes from which on an answer is compressed; a smaller one fits into a packet anyway."""

_LEVEL: Final = 5
"""The level of compression: beyond it, JSON takes longer and gets hardly smaller."""

HEADERS: Final = {
    "Content-Type": "application/json",
    # All of it is public, and nothing of it depends on who asks.
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}
"""Headers of every answer."""

Made = Content | Download


@dataclass(frozen=True, slots=True)
class _Kept:
    """A made answer, the bytes that it takes with its key, and until when in seconds it is kept."""

    made: Content
    size: int
    until: float


def caching(life: int) -> str:
    """Return the Cache-Control header of an answer with this life in seconds."""
    return f"public, max-age={life}{', immutable' if life == FOREVER else ''}"


class Cache:
    """The answers of a node, by what was asked; of each share the least recently used go first.

    Args:
        clock: returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._once = _share(ONCE, clock)
        self._again = _share(1 - ONCE, clock)
        self._making: dict[str, asyncio.Task[Made]] = {}
        self._tasks = Tasks()

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return len(self._once) + len(self._again)

    @property
    def size(self) -> float:
        """The bytes that are counted for them, no more than `MAX_BYTES`."""
        return self._once.currsize + self._again.currsize

    async def get(self, key: str, make: Callable[[], Awaitable[Answer[Any] | Download]]) -> Made:
        """Return the answer to what `key` says; `make` is called if it is neither here nor coming.

        Raises:
            Refusal: what `make` raises, or with the code `overloaded` if too many are being made.
        """
        if (kept := self._find(key)) is not None:
            return kept
        task = self._making.get(key)
        if task is None:
            if len(self._making) >= MAX_IN_FLIGHT:
                raise Refusal("overloaded", wait=1_000)
            task = self._making[key] = self._tasks.start(self._make(key, make))
        # One who no longer waits must not take the answer away from the others.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for the answers that are being made."""
        await self._tasks.wait()

    def _find(self, key: str) -> Content | None:
        """Return an answer that is kept; once it is asked for again, it counts as such."""
        self._once.expire()
        self._again.expire()
        kept = self._again.get(key)
        if kept is None:
            kept = self._once.pop(key, None)
            if kept is None:
                return None
            self._again[key] = kept
        return kept.made

    async def _make(self, key: str, make: Callable[[], Awaitable[Answer[Any] | Download]]) -> Made:
        try:
            answer = await make()
            if isinstance(answer, Download):
                return answer
            # Copied, since msgspec leaves up to half as much again allocated behind it.
            body = bytes(memoryview(msgspec.json.encode(answer.value)))
            packed = b""
            if len(body) >= PACKED_FROM:
                packed = await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
            headers = HEADERS | {"Cache-Control": caching(answer.life)}
            made = content_of(body, headers, {"gzip": packed} if packed else {})
            if answer.is_kept:
                self._keep(key, made, len(body), len(packed), answer.life)
            return made
        finally:
            del self._making[key]

    def _keep(self, key: str, made: Content, plain: int, packed: int, life: int) -> None:
        """Keep an answer, unless it is larger than a share.

        Args:
            key: what was asked.
            made: the answer.
            plain: bytes of its body.
            packed: bytes of its body when compressed; 0 if it is not.
            life: its life in seconds.
        """
        size = len(key) + plain + packed + OVERHEAD * (2 if packed else 1)
        if size <= min(self._once.maxsize, self._again.maxsize):
            self._once[key] = _Kept(made, size, self._clock() + min(life, MAX_LIFE_S))


def _share(part: float, clock: Callable[[], float]) -> TLRUCache[str, _Kept]:
    """Return an empty cache for a part of `MAX_BYTES`."""
    return TLRUCache(
        MAX_BYTES * part,
        ttu=lambda _, kept, __: kept.until,
        timer=clock,
        getsizeof=lambda kept: kept.size,
    )
