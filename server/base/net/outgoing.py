"""The send queue of a client: bounded, in pieces, and coalescing frames with the same key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, NamedTuple

MAX_WAITING = 64
"""The most frames in a queue; if there is one more, the session is closed as too slow."""

PIECE: Final = 16_384
"""The most bytes that are taken from a queue at once; a frame with more is taken in pieces."""


class TooSlowError(Exception):
    """The send queue is full, since the client does not read fast enough."""


class Piece(NamedTuple):
    """A frame, or a part of one.

    Attributes:
        data: its bytes, at most `PIECE`.
        is_first: whether the frame begins with it.
        is_last: whether the frame ends with it.
    """

    data: bytes
    is_first: bool
    is_last: bool


class Outgoing:
    """A bounded queue of frames, in which a frame with a key replaces the one with the same key.

    The new frame goes to the end of the queue, since it may refer to frames queued in between.
    """

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, bytes] = OrderedDict()
        self._count = 0
        self._current = memoryview(b"")
        """The rest of a frame of which pieces have been taken."""

    def __bool__(self) -> bool:
        return bool(self._current or self._frames)

    @property
    def is_large(self) -> bool:
        """Whether there are more bytes than one piece has."""
        return len(self._current) + sum(map(len, self._frames.values())) > PIECE

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

    def take(self) -> Piece:
        """Remove and return the next piece of the oldest frame.

        Raises:
            KeyError: the queue is empty.
        """
        is_first = not self._current
        if is_first:
            frame = self._frames.popitem(last=False)[1]
            if len(frame) <= PIECE:
                return Piece(frame, is_first=True, is_last=True)
            self._current = memoryview(frame)
        data, self._current = bytes(self._current[:PIECE]), self._current[PIECE:]
        return Piece(data, is_first, is_last=not self._current)
