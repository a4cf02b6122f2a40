"""A cache of encoded answers. Concurrent requests for the same answer share its creation."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from cachetools import TLRUCache

from server.base.core.refusal import BaseRefusals, Refusal
from server.base.web.api.route import FOREVER, Answer, Download
from server.base.web.content import Content, content_of
from server.base.work.tasks import Tasks

MAX_BYTES: Final = 32_000_000  # maximum bytes of all cached answers, including their keys

# The share for answers requested once. The rest is for answers requested again, so that a million
# different requests cannot evict these.
ONCE: Final = 0.25

# Bytes of an answer in each content coding besides its body: prepared responses, headers and cache
# entry. A test measures them.
OVERHEAD: Final = 3_584

# Maximum seconds that a node caches an answer, so that it soon serves corrections.
MAX_LIFE_S: Final = 60.0

# Maximum concurrently created answers; further requests are refused before they delay moves.
MAX_IN_FLIGHT: Final = 16

# Minimum bytes for compression; a smaller answer fits into one packet anyway.
PACKED_FROM: Final = 1_024

_LEVEL: Final = 5  # the compression level: above it, JSON takes longer without getting much smaller

# Headers of every answer.
HEADERS: Final = {
    "Content-Type": "application/json",
    # All answers are public, and independent of the client.
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}

Made = Content | Download


@dataclass(frozen=True, slots=True)
class _Kept:
    """A cached answer, its size in bytes including its key, and its expiry in seconds."""

    made: Content
    size: int
    until: float


def caching(life: int) -> str:
    """Return the Cache-Control header for an answer with this lifetime in seconds."""
    return f"public, max-age={life}{', immutable' if life == FOREVER else ''}"


class Cache:
    """A node's answers by request. Each share evicts the least recently used first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._once = _share(ONCE, clock)
        self._again = _share(1 - ONCE, clock)
        self._making: dict[str, asyncio.Task[Made]] = {}
        self._tasks = Tasks()

    def __len__(self) -> int:
        return len(self._once) + len(self._again)

    @property
    def size(self) -> float:
        """The counted bytes, at most `MAX_BYTES`."""
        return self._once.currsize + self._again.currsize

    async def get(self, key: str, make: Callable[[], Awaitable[Answer[Any] | Download]]) -> Made:
        """Return the answer for `key`, calling `make` if it is neither cached nor in progress.

        Raises:
            Refusal: as raised by `make`, or with the code `overloaded` if too many are in progress.
        """
        if (kept := self._find(key)) is not None:
            return kept
        task = self._making.get(key)
        if task is None:
            if len(self._making) >= MAX_IN_FLIGHT:
                raise Refusal(BaseRefusals.overloaded, wait=1_000)
            task = self._making[key] = self._tasks.start(self._make(key, make))
        # A cancelled request must not cancel the answer for the others.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for the answers in progress."""
        await self._tasks.wait()

    def _find(self, key: str) -> Content | None:
        """Return a cached answer, moving it to the larger share on its second request."""
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
        """Cache an answer, unless it is larger than a share.

        Args:
            plain: bytes of its body.
            packed: bytes of its compressed body; 0 if it is not compressed.
            life: its lifetime in seconds.
        """
        size = len(key) + plain + packed + OVERHEAD * (2 if packed else 1)
        if size <= min(self._once.maxsize, self._again.maxsize):
            self._once[key] = _Kept(made, size, self._clock() + min(life, MAX_LIFE_S))


def _share(part: float, clock: Callable[[], float]) -> TLRUCache[str, _Kept]:
    return TLRUCache(
        MAX_BYTES * part,
        ttu=lambda _, kept, __: kept.until,
        timer=clock,
        getsizeof=lambda kept: kept.size,
    )
