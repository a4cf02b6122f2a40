"""The services of one node, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.core import daily
from server.core.attempt import Attempt
from server.core.ids import DealId, RoomCode
from server.core.refusal import Refusal
from server.metrics import Metrics
from server.service import news, topics
from server.service.attempts import Attempts
from server.service.dailies import Dailies
from server.service.effects import Effects
from server.service.identity import Identity
from server.service.leaderboards import Leaderboards
from server.service.live import LiveRooms
from server.service.news import Entered
from server.service.profiles import Profiles
from server.service.progress import Progress
from server.service.registration import Registration
from server.service.rooms import Rooms
from server.service.searches import Searches
from server.service.sessions import Sessions
from server.service.store import Store
from server.service.sweeper import Sweeper
from server.stop import Stop
from server.store.bus import Bus
from server.store.deals import Deal


class Services:
    """Everything that a node does for players, and what it does by itself.

    Attributes:
        on_leaderboard: called with the game and day of a leaderboard that this node listens to, and
            what was entered; `None` when something may have been missed.
    """

    def __init__(
        self,
        store: Store,
        bus: Bus,
        registration: Registration,
        metrics: Metrics | None = None,
    ) -> None:
        metrics = Metrics() if metrics is None else metrics
        self._store = store
        self.publish = bus.publish
        self.on_leaderboard: Callable[[str, int, Entered | None], None] = lambda *_: None
        self.attempts = Attempts(store, metrics.lookups)
        self.rooms = Rooms(store, self.attempts)
        self.profiles = Profiles(store.players, bus)
        self.live = LiveRooms(store, bus, self.rooms, self.profiles, registration)
        self.dailies = Dailies(store, self.attempts)
        self.leaderboards = Leaderboards(store, bus, self.profiles)
        self.identity = Identity(store, self.profiles)
        self.sessions = Sessions(store, bus, registration.id)
        self._effects = Effects(store, self.attempts, self.rooms, self.leaderboards)
        self._sweeper = Sweeper(store, self._effects, self.dailies, metrics.sweeps)
        self._progress = Progress(self.live)
        self._searches = Searches(self.attempts, self.sessions.tell_ended)
        metrics.rooms = lambda: self.live.size
        metrics.attempts = lambda: self.attempts.size
        metrics.outbox_age = self._sweeper.age
        metrics.queues["finishes"] = self.attempts.finishes.qsize
        self.attempts.on_advance = self._advanced
        self.attempts.on_open = self._searches.note
        self.attempts.on_missing = self.rooms.start_missing
        self.rooms.on_change = self.live.appended
        registration.on_change = self.live.nodes_changed

    def now(self) -> int:
        """Return the time in Unix milliseconds."""
        return self._store.clock.now()

    async def prepare(self) -> None:
        """Draw the dailies that are to be there before anyone asks.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self.dailies.draw_ahead()

    async def run(self, stop: Stop) -> None:
        """Do what is to be done without being asked, until told to stop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._effects.run(stop))
            group.create_task(self._sweeper.run(stop))
            group.create_task(self.live.run(stop))
            group.create_task(self._searches.run(stop))

    async def show_deal(self, deal_id: DealId) -> tuple[Deal, bytes | None]:
        """Return a deal, with its seed if nobody may be playing it any more.

        Raises:
            Refusal: there is no such deal.
            UnavailableError: the store does not answer.
        """
        deal = await self._store.deals.find(deal_id)
        if deal is None:
            raise Refusal("unknown_deal")
        if deal.day is not None:
            # What is told cannot be taken back.
            await self._store.clock.confirm()
            closed = self.now() >= daily.closes(deal.day)
        else:
            assert deal.room is not None, "a deal is a day's or a room's"
            closed = await self._is_over(deal.room, deal_id)
        return deal, deal.seed if closed else None

    async def _is_over(self, code: RoomCode, deal: DealId) -> bool:
        try:
            running = (await self.rooms.find(code)).running
        except Refusal:
            return True
        return running is None or running.deal != deal

    def heard(self, topic: str, payload: bytes | None) -> None:
        """Take what was published to a topic; `None` when something may have been missed."""
        kind, _, name = topic.partition(":")
        if kind == "room":
            self.live.heard(RoomCode(name), payload)
        elif kind == "node":
            self.sessions.heard(payload)
        elif kind == "leaderboard":
            game, _, day = name.rpartition(":")
            self.on_leaderboard(game, int(day), news.entered(payload))
        elif topic == topics.NAMES:
            self.profiles.heard(payload)

    def _advanced(self, attempt: Attempt) -> None:
        self._sweeper.note()
        self._progress.note(attempt)
        self._searches.note(attempt)
        if attempt.end == "time":
            self.sessions.tell_ended(attempt)

    async def close(self) -> None:
        """Wait for messages that are on their way."""
        await self.sessions.close()
