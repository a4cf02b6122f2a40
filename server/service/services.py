"""The services of one node, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from server.core import daily
from server.core.attempt import Attempt
from server.core.ids import DealId, RoomCode
from server.core.refusal import Refusal, UnavailableError
from server.service import topics
from server.service.attempts import Attempts
from server.service.dailies import Dailies
from server.service.effects import Effects
from server.service.identity import Identity
from server.service.leaderboards import Leaderboards
from server.service.progress import Progress
from server.service.rooms import Rooms
from server.service.searches import Searches
from server.service.store import Store
from server.service.sweeper import Sweeper
from server.stop import Stop
from server.store.deals import Deal

log = structlog.get_logger()


class Services:
    """Everything that a node does for players, and what it does by itself.

    `publish` wakes the nodes that listen to a topic.
    """

    def __init__(self, store: Store, publish: Callable[[str], Awaitable[None]]) -> None:
        self._store = store
        self.publish = publish
        self.attempts = Attempts(store)
        self.rooms = Rooms(store, self.attempts)
        self.dailies = Dailies(store, self.attempts)
        self.leaderboards = Leaderboards(store)
        self.identity = Identity(store)
        self.players = store.players
        self._effects = Effects(store, self.attempts, self.rooms, publish)
        self._sweeper = Sweeper(store, self._effects, self.dailies)
        self._progress = Progress(store, publish)
        self._searches = Searches(self.attempts, publish)
        self._tasks: set[asyncio.Task[None]] = set()
        self.attempts.on_advance = self._advanced
        self.attempts.on_open = self._searches.note
        self.attempts.on_missing = self.rooms.start_missing
        self.rooms.on_change = self._room_changed

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
            group.create_task(self._progress.run(stop))
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

    def _advanced(self, attempt: Attempt) -> None:
        self._sweeper.note()
        self._progress.note(attempt)
        self._searches.note(attempt)
        if attempt.end == "time":
            self._publish_soon(topics.ended(attempt.start.player))

    def _room_changed(self, code: RoomCode) -> None:
        self._sweeper.note()
        self._publish_soon(topics.room(code))

    def _publish_soon(self, topic: str) -> None:
        task = asyncio.create_task(self._publish(topic))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _publish(self, topic: str) -> None:
        try:
            await self.publish(topic)
        except UnavailableError as error:
            # Nobody misses it for good: the bus looks at everything when it is back.
            log.warning("wake_up_lost", error=str(error))

    async def close(self) -> None:
        """Wait for wake-ups that are on their way."""
        await asyncio.gather(*self._tasks)
