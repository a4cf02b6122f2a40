"""The days that were lost by a fault of the server's, which end no streak."""

from __future__ import annotations

from server.base.work.clock import Clock
from server.results.core.boards import ALL_GAMES
from server.results.repaired_days_store import RepairedDayStore

CURRENT_FOR_MS = 60_000
"""Milliseconds for which a node relies on what it has read."""


class RepairedDays:
    """Knows the repaired days; the store is read once a minute at most, and only if asked for."""

    def __init__(self, store: RepairedDayStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._read_at: int | None = None
        self._known: list[tuple[str, int]] = []

    async def load(self, game: str = ALL_GAMES) -> frozenset[int]:
        """Return the days that were repaired: of a game, or of all games together.

        Args:
            game: the game's id, or `ALL_GAMES`, for which only days of all games count.
        """
        now = self._clock.now()
        if self._read_at is None or not self._read_at <= now < self._read_at + CURRENT_FOR_MS:
            self._known = await self._store.all()
            self._read_at = now
        return frozenset(day for each, day in self._known if each in {game, ALL_GAMES})
