"""Answers that were encoded lately: each is made once, for all who ask for the same meanwhile."""

from __future__ import annotations

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from server.core.refusal import Refusal
from server.gateway.api.route import FOREVER, Answer, Download
from server.gateway.content import Content, content_of
from server.service.tasks import Tasks

MAX_BYTES: Final = 32_000_000
"""The most bytes of answers that are kept; the least recently used go first."""

MAX_LIFE: Final = 60.0
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
    """A made answer, its size in bytes, and until when it is kept, by the monotonic clock."""

    made: Made
    size: int
    until: float


def caching(life: int) -> str:
    """Return the Cache-Control header of an answer with this life in seconds."""
    return f"public, max-age={life}{', immutable' if life == FOREVER else ''}"


class Cache:
    """The answers of a node, by what was asked."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0
        self._making: dict[str, asyncio.Task[Made]] = {}
        self._tasks = Tasks()

    async def get(self, key: str, make: Callable[[], Awaitable[Answer[Any] | Download]]) -> Made:
        """Return the answer to what `key` says; `make` is called if it is neither here nor coming.

        Raises:
            Refusal: what `make` raises, or with the code `overloaded` if too many are being made.
        """
        kept = self._kept.get(key)
        if kept is not None and self._clock() < kept.until:
            self._kept.move_to_end(key)
            return kept.made
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

    async def _make(self, key: str, make: Callable[[], Awaitable[Answer[Any] | Download]]) -> Made:
        try:
            answer = await make()
            if isinstance(answer, Download):
                return answer
            body = msgspec.json.encode(answer.value)
            packed = b""
            if len(body) >= PACKED_FROM:
                packed = await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
            headers = HEADERS | {"Cache-Control": caching(answer.life)}
            made = content_of(body, headers, {"gzip": packed} if packed else {})
            self._keep(key, _Kept(made, len(body) + len(packed), self._until(answer.life)))
            return made
        finally:
            del self._making[key]

    def _until(self, life: int) -> float:
        return self._clock() + min(life, MAX_LIFE)

    def _keep(self, key: str, kept: _Kept) -> None:
        old = self._kept.pop(key, None)
        self._size += kept.size - (old.size if old else 0)
        self._kept[key] = kept
        while self._size > MAX_BYTES:
            self._size -= self._kept.popitem(last=False)[1].size
