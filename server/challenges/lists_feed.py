"""News of challenges for the sessions of those who have been challenged."""

from __future__ import annotations

from server.base.core.ids import PlayerId
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from server.challenges import present
from server.challenges.lists import ChallengeLists
from server.players.hub import Hub

WITHIN = 1.0
"""Seconds within which several challenges are sent together."""

CONCURRENCY = 4
"""Players whose lists are read at the same time."""


class ChallengeListsFeed:
    """Sends players' lists that have grown to their sessions of this node."""

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
