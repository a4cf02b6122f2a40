"""Days lost to server faults, which do not end streaks."""

from __future__ import annotations

from server.base.work.clock import Clock
from server.results.core.boards import ALL_GAMES
from server.results.repaired_days_store import RepairedDayStore

CURRENT_FOR_MS = 60_000
"""How long a node relies on its last read, in milliseconds."""


class RepairedDays:
    """Looks up the repaired days, reading the store on demand and at most once a minute."""

    def __init__(self, store: RepairedDayStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._read_at: int | None = None
        self._known: list[tuple[str, int]] = []

    async def load(self, game: str = ALL_GAMES) -> frozenset[int]:
        """Return the repaired days of a game, or of all games together.

        Args:
            game: the game's id, or `ALL_GAMES`, which includes only days lost for all games.
        """
        now = self._clock.now()
        # If the clock was set back, read again.
        if self._read_at is None or not self._read_at <= now < self._read_at + CURRENT_FOR_MS:
            self._known = await self._store.all()
            self._read_at = now
        return frozenset(day for each, day in self._known if each in {game, ALL_GAMES})
