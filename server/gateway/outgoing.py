"""What a slow reader is still to be sent: bounded, and collapsed where only the latest counts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

MOST_WAITING = 64
"""Frames that may wait for a slow reader; one more, and the session is closed as too slow."""


class TooSlowError(Exception):
    """The client does not read what it is sent."""


class Outgoing:
    """A queue of frames. A frame put under a key takes the place of the one that waits under it.

    It goes to the end all the same: it may be about something that is told in between.
    """

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, bytes] = OrderedDict()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._frames)

    def put(self, frame: bytes, key: Hashable = None) -> None:
        """Add a frame.

        Raises:
            TooSlowError: too many are waiting.
        """
        if key is None:
            self._count += 1
            key = self._count
        self._frames.pop(key, None)
        if len(self._frames) >= MOST_WAITING:
            raise TooSlowError
        self._frames[key] = frame

    def take(self) -> bytes:
        """Take the frame that has waited longest."""
        return self._frames.popitem(last=False)[1]
