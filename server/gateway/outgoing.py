"""What a session is still to be sent: bounded, and collapsed where only the latest counts."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable

MOST_WAITING = 64
"""Frames that may wait for a slow reader; one more, and the session is closed as too slow."""


class TooSlowError(Exception):
    """The client does not read what it is sent."""


class Outgoing:
    """A queue of frames. A frame put under a key replaces the one waiting under it."""

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, bytes] = OrderedDict()
        self._count = 0
        self._any = asyncio.Event()
        self._empty = asyncio.Event()

    def put(self, frame: bytes, key: Hashable = None) -> None:
        """Add a frame.

        Raises:
            TooSlowError: too many are waiting.
        """
        if key is None:
            self._count += 1
            key = self._count
        if key not in self._frames and len(self._frames) >= MOST_WAITING:
            raise TooSlowError
        self._frames[key] = frame
        self._any.set()
        self._empty.clear()

    @property
    def waits(self) -> bool:
        """Whether any frame is not sent yet."""
        return bool(self._frames)

    async def next(self) -> bytes:
        """Wait for the next frame, and take it."""
        while not self._frames:
            self._any.clear()
            self._empty.set()
            await self._any.wait()
        return self._frames.popitem(last=False)[1]

    async def emptied(self) -> None:
        """Wait until whoever takes the frames has sent them all and asks for more."""
        await self._empty.wait()
