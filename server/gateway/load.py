"""Overload: when a node has more to do than it can, and what it refuses then.

More work than a node can do makes answers late. When they get too late, the node lets in no new
sockets and opens no rooms, with a time after which it is worth another try, and keeps its strength
for the moves of those who are playing. What waits in its queues at last is bounded as well: only
when they are full are moves refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

TOO_LATE: Final = 0.25
"""Seconds by which the event loop may be late before the node takes no new work."""

BACK_AFTER: Final = (2_000, 8_000)
"""Milliseconds from which the time to come back is drawn: not all come back at once."""


class Load:
    """How much a node has to do; `lag` returns the seconds by which its event loop is late."""

    def __init__(self, lag: Callable[[], float]) -> None:
        self._lag = lag

    @property
    def is_too_high(self) -> bool:
        """Whether new work is to be refused."""
        return self._lag() > TOO_LATE

    @staticmethod
    def wait() -> int:
        """Return after how many milliseconds a client that was refused should come back."""
        return random.randint(*BACK_AFTER)  # noqa: S311 - no secret
