"""Rate limits of sessions and connections."""

from __future__ import annotations

from collections.abc import Callable

RATE = 20.0
"""Commands per second that a session may send on average."""

BURST = 100.0
"""Commands that a session may send at once."""

MAX_OFFENCES = 50
"""Rate-limited commands and invalid frames after which a session is closed."""

BYTES_PER_SECOND = 8_192.0
"""Bytes per second that a connection may send on average; playing takes a few hundred."""

BYTES_AT_ONCE = 16_384.0
"""Bytes that a connection may send at once."""

CONTROL_COST = 128
"""Bytes charged for a ping or pong, which is cheap to send and expensive to answer."""


EMOTE_RATE = 0.5
"""Emotes per second that a session may send on average."""

EMOTE_BURST = 3.0
"""Emotes that a session may send at once."""

ROOM_EMOTE_RATE = 4.0
"""Emotes per second that a room's subscribers on a node are sent on average, whoever sends them."""

ROOM_EMOTE_BURST = 12.0
"""Emotes that a room's subscribers on a node are sent at once."""

MAX_WRONG = 5
"""Codes and passkeys that a session may try in vain."""

GUESS_RATE = 5.0
"""Wrong device codes per second that a node takes on average."""

GUESS_BURST = 100.0
"""Wrong device codes that a node takes at once."""


class Bucket:
    """A token bucket, which starts full.

    Args:
        rate: tokens added per second.
        burst: the most tokens it holds.
        clock: returns the time in seconds.
    """

    __slots__ = ("_at", "_burst", "_clock", "_level", "_rate")

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._level = burst
        self._at = clock()

    @property
    def taken_at(self) -> float:
        """The time of the last `take`, by the clock."""
        return self._at

    def take(self) -> bool:
        """Take a token; return whether there was one."""
        if not self.has_one():
            return False
        self._level -= 1
        return True

    def has_one(self) -> bool:
        """Return whether there is a token to take."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        return self._level >= 1
