"""Notification of connected players about new challenges."""

from __future__ import annotations

from server.base.core.ids import PlayerId
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.challenges import present
from server.challenges.lists import ChallengeLists
from server.players.hub import Hub

WITHIN = 1.0
"""Seconds over which several new challenges are combined into one message."""

CONCURRENCY = 4
"""The number of lists read concurrently."""


class ChallengeListsFeed:
    """Sends a player's list to their sessions on this node when it grows."""

    def __init__(self, lists: ChallengeLists, hub: Hub, background: Background) -> None:
        self._lists = lists
        self._hub = hub
        self._sends: WorkerPool[PlayerId] = WorkerPool(
            background, "challenge_lists", self._send, size=CONCURRENCY
        )
        lists.grown.subscribe(self._grown)

    def _grown(self, player: PlayerId) -> None:
        if self._hub.sessions_of(player) and not self._sends.is_scheduled(player):
            self._sends.schedule(player, WITHIN)

    async def _send(self, player: PlayerId) -> None:
        event = present.challenges(await self._lists.load(player))
        for session in self._hub.sessions_of(player):
            session.send(event)
