"""The send queue of a slow client: bounded, and coalescing frames with the same key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

MAX_WAITING = 64
"""The most frames in a queue; if there is one more, the session is closed as too slow."""


class TooSlowError(Exception):
    """The send queue is full, since the client does not read fast enough."""


class Outgoing:
    """A bounded queue of frames, in which a frame with a key replaces the one with the same key.

    The new frame goes to the end of the queue, since it may refer to frames queued in between.
    """

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, bytes] = OrderedDict()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._frames)

    def put(self, frame: bytes, key: Hashable = None) -> None:
        """Append a frame.

        Raises:
            TooSlowError: the queue is full.
        """
        if key is None:
            self._count += 1
            key = self._count
        self._frames.pop(key, None)
        if len(self._frames) >= MAX_WAITING:
            raise TooSlowError
        self._frames[key] = frame

    def take(self) -> bytes:
        """Remove and return the oldest frame.

        Raises:
            KeyError: the queue is empty.
        """
        return self._frames.popitem(last=False)[1]
