"""Load shedding: detecting overload, and rejecting new work.

An overloaded node answers late. If its event loop lags too much, it accepts no new WebSockets,
rooms or dailies, and tells clients when to retry, in order to serve running games. Moves are
rejected only when its bounded queues are full.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from server.base.core.memory_level import New
from server.base.work.outages import Outage

MAX_LAG: Final = 0.25
"""Event-loop lag in seconds above which the node rejects new work."""

RETRY_AFTER_MS: Final = (2_000, 8_000)
"""Range in milliseconds of the random retry delay, which spreads the clients' retries."""


QUIET: Final = 5.0
"""Seconds without a high lag until an overload counts as over."""


class Load:
    """The load of a node.

    Args:
        lag: returns the current lag of the node's event loop in seconds.
        has_room: returns whether the store has room for a kind of new game.
    """

    def __init__(
        self, lag: Callable[[], float], has_room: Callable[[New], bool] = lambda _: True
    ) -> None:
        self._lag = lag
        self._outage = Outage("overload_begun", "overload_over", quiet=QUIET)
        self._has_room = has_room

    def has_room(self, new: New) -> bool:
        """Return whether a game may start: the store has room, and there is no overload."""
        return self._has_room(new) and not self.is_too_high

    @property
    def is_too_high(self) -> bool:
        """Whether to reject new work."""
        return self._lag() > MAX_LAG

    def log_changes(self) -> None:
        """Log the start and end of an overload; called at each measurement."""
        if self.is_too_high:
            self._outage.fail(lag=round(self._lag(), 2))
        else:
            self._outage.succeed()

    @staticmethod
    def wait() -> int:
        """Return a random retry delay for a rejected client, in milliseconds."""
        return random.randint(*RETRY_AFTER_MS)  # noqa: S311 - not a secret
