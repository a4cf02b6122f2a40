"""The send queue of a client: bounded, in pieces, and coalescing frames with the same key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, NamedTuple

MAX_WAITING = 64
"""Maximum frames in a queue; one more closes the session as too slow."""

PIECE: Final = 16_384
"""Maximum bytes taken from a queue at a time; a longer frame is split into pieces."""


class TooSlowError(Exception):
    """The send queue is full, since the client reads too slowly."""


class Piece(NamedTuple):
    """A frame, or a part of one.

    Attributes:
        data: its bytes, at most `PIECE`.
        is_first: whether it starts the frame.
        is_last: whether it ends the frame.
    """

    data: bytes
    is_first: bool
    is_last: bool


class Outgoing:
    """A bounded queue of frames, where a frame with a key replaces the one with the same key.

    The new frame goes to the end of the queue, since it may refer to frames queued in between.
    """

    def __init__(self) -> None:
        self._frames: OrderedDict[Hashable, bytes] = OrderedDict()
        self._count = 0
        self._current = memoryview(b"")
        """The rest of a partially sent frame."""

    def __bool__(self) -> bool:
        return bool(self._current or self._frames)

    @property
    def is_large(self) -> bool:
        """Whether it holds more bytes than fit into one piece."""
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
