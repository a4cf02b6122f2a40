"""Storage charges of attempts, to the addresses of their players."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from server.base.core.ids import RoomCode
from server.base.core.quota import DAY, Item
from server.base.quotas.quotas import ENTRY_BYTES, MOVES, PLAYED, Quotas
from server.base.work.clock import Clock
from server.play.attempts import Attempts
from server.play.core.attempt import Attempt


class AttemptCharges:
    """Charges for running attempts.

    `of_first_move` returns the additional storage of a player's first move in a room, given the
    days that an attempt is kept; lifetimes count from the deadline.
    """

    def __init__(
        self,
        attempts: Attempts,
        quotas: Quotas,
        clock: Clock,
        of_first_move: Callable[[RoomCode, int], Iterable[Item]],
    ) -> None:
        self._quotas = quotas
        self._clock = clock
        self._of_first_move = of_first_move
        attempts.appended.subscribe(self._advanced)

    def _advanced(self, before: Attempt | None, after: Attempt, _: str) -> None:
        """Charge when it first counts, every `MOVES` entries, and at the end."""
        if before is not None and before.is_played and after.end is None and after.seq % MOVES:
            return
        count = after.seq % MOVES or MOVES
        is_first = before is not None and not before.counts and after.counts
        is_counted = count == MOVES or (after.end is not None and after.counts)
        if is_counted or is_first:
            start, size = after.start, count * ENTRY_BYTES if is_counted else 0
            left = start.deadline - self._clock.now()
            items: Iterable[Item] = ()
            if is_first:
                size += PLAYED
                if start.room is not None:
                    items = self._of_first_move(start.room, start.days)
            kept = (Item(item.size, left + item.life) for item in items)
            self._quotas.note(start.player, Item(size, left + start.days * DAY), *kept)
