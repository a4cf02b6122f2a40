"""The watched leaderboard."""

from __future__ import annotations

from dataclasses import replace

from samedeal_client.messages import Leaderboard, LeaderboardChange, WatchLeaderboard
from samedeal_client.protocol import Event


class LeaderboardKeeper:
    """Keeps one leaderboard current."""

    def __init__(self) -> None:
        # The subscribing command; `None` if no leaderboard is watched.
        self.wanted: WatchLeaderboard | None = None
        self.state: Leaderboard | None = None  # the leaderboard; `None` before it arrives

    def handle(self, event: Event) -> None:
        """Apply an event, if it concerns the leaderboard."""
        if isinstance(event, Leaderboard) and self._is_wanted(event):
            self.state = event
        elif isinstance(event, LeaderboardChange) and self.state is not None:
            known = self.state
            self.state = replace(
                known,
                size=event.size,
                top=known.top if event.top is None else event.top,
                around=known.around if event.around is None else event.around,
                rivals=known.rivals if event.rivals is None else event.rivals,
                middle=event.middle or (known.middle if event.size else None),
            )

    def _is_wanted(self, event: Leaderboard) -> bool:
        """Return whether this is the watched leaderboard; another one's event may arrive late."""
        wanted = self.wanted
        return wanted is not None and (
            event.game == wanted.game
            and event.scope == wanted.scope
            and wanted.day in {None, event.day}
            and wanted.group in {None, event.group}
        )
