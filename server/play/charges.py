"""What attempts store, charged to the addresses of those who play."""

from __future__ import annotations

from collections.abc import Callable, Collection

from server.base.core.ids import PACE_BOT, PlayerId, RoomCode
from server.base.core.quota import DAY, Item
from server.base.quotas.quotas import (
    BOT,
    ENTRY_BYTES,
    MAX_SEATS,
    MOVES,
    PLAYED,
    ROUND_RESULTS,
    RUNNER_RESULTS,
    Quotas,
)
from server.base.redis.keys import ROUND_LIFE
from server.base.work.clock import Clock
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt


class Charges:
    """Charges for attempts that go on.

    Args:
        attempts: the attempts of this node.
        quotas: what each address has stored.
        clock: the store's clock.
        runners: returns who plays the last round of a room, or `None` if that is not in memory.
    """

    def __init__(
        self,
        attempts: Attempts,
        quotas: Quotas,
        clock: Clock,
        runners: Callable[[RoomCode], Collection[PlayerId] | None],
    ) -> None:
        self._quotas = quotas
        self._clock = clock
        self._runners = runners
        attempts.appended.subscribe(self._advanced)

    def _advanced(self, before: Attempt | None, after: Attempt, _: str) -> None:
        """Charge for an attempt that has advanced: from its first move on, and for each `MOVES`."""
        count = after.seq % MOVES or MOVES
        is_first = before is not None and not before.is_played and after.is_played
        is_counted = count == MOVES or (after.end is not None and after.is_played)
        if is_counted or is_first:
            start, size = after.start, count * ENTRY_BYTES if is_counted else 0
            left = start.deadline - self._clock.now()
            items = []
            if is_first:
                size += PLAYED
                if start.room is not None:
                    runners = self._runners(start.room)
                    size += BOT if runners is not None and PACE_BOT in runners else 0
                    # What is kept of a round is charged to each who plays it.
                    count = len(runners) if runners is not None else MAX_SEATS
                    items = [Item(ROUND_RESULTS + RUNNER_RESULTS * count, left + ROUND_LIFE)]
            self._quotas.note(start.player, Item(size, left + start.days * DAY), *items)
