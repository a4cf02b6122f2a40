"""The services of watching."""

from __future__ import annotations

from typing import TypeAlias

from server.foundation import Setup
from server.request import C_co, NodeRequest
from server.rooms.services import RoomServices
from server.watching.feed import WatchFeeds
from server.watching.preview import of_watch_link
from server.watching.watching import Watching


class WatchServices(RoomServices):
    """Other players' boards.

    Attributes:
        watch_feeds: sessions that watch rounds.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.watching = Watching(
            self.attempts,
            self.rooms,
            self.live,
            self.keyring,
            journals=self.journal_store,
            deals=self.deal_store,
            clock=self.clock,
            background=self.background,
        )
        self.watch_feeds = WatchFeeds(
            self.watching, self.live, self.metrics, self.room_feeds, self.background
        )
        self.screens["watch"] = of_watch_link


Request: TypeAlias = NodeRequest[C_co, WatchServices]
"""A command and the services that execute it."""
