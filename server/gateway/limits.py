"""How much a session may ask for."""

from __future__ import annotations

from collections.abc import Callable

RATE = 20.0
"""Commands a second that a session may send for long."""

BURST = 100.0
"""Commands that it may send at once."""

MOST_OFFENCES = 50
"""Commands too fast, or frames that were none, after which a session is closed."""

BYTES_PER_SECOND = 8_192.0
"""Bytes that a connection may send for long: what a player does takes a few hundred."""

BYTES_AT_ONCE = 16_384.0
"""Bytes that it may send at once."""

CONTROL_COST = 128
"""Bytes for which a ping or a pong counts: they are small to send, and dear to answer."""


class Bucket:
    """A token bucket: full at first, filled at a steady rate, emptied by what is taken."""

    __slots__ = ("_at", "_burst", "_clock", "_level", "_rate")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._level = burst
        self._at = clock()

    @property
    def taken_at(self) -> float:
        """When something was taken last, by the clock."""
        return self._at

    def take(self) -> bool:
        """Take one, and return whether there was one."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True
