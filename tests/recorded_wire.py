"""A session's connection without a socket."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable


class RecordedWire:
    """A connection that records frames and close codes, and takes turns when told."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.turns: deque[tuple[Callable[[], None], float]] = deque()
        self.codes: list[int] = []

    def send(self, frame: bytes, _key: Hashable = None) -> None:
        """Record a frame."""
        self.sent.append(frame)

    def is_full(self) -> bool:
        """Return `False`: nothing large is sent."""
        return False

    def is_behind(self) -> bool:
        """Return `False`: the client always keeps up."""
        return False

    def in_turn(self, begin: Callable[[], None], cost: float) -> None:
        """Keep a turn until it is taken."""
        self.turns.append((begin, cost))

    def take_turn(self) -> float:
        """Take the next turn, and return its cost."""
        begin, cost = self.turns.popleft()
        begin()
        return cost

    def hold(self) -> None:
        """Do nothing: tests send no more than a session can queue."""

    def release(self) -> None:
        """Do nothing."""

    def close(self, code: int) -> None:
        """Record a close code."""
        self.codes.append(code)
