"""Deals as players may see them: when a deal is closed, and so its seed is revealed."""

from __future__ import annotations

from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import DealId, RoomCode
from server.base.core.refusal import Refusal
from server.base.work.clock import Clock
from server.deals.store import Deal, DealStore
from server.rooms.rooms import Rooms


class ClosedDeals:
    """Looks deals up, and decides whether they are closed.

    A day's deal is closed when the daily closes; a room's, unless a round on it is running.
    """

    def __init__(self, store: DealStore, rooms: Rooms, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rooms = rooms

    async def load(self, deal_id: DealId) -> tuple[Deal, bytes | None]:
        """Return a deal and, if it is closed, its seed; else `None` for the seed.

        Raises:
            Refusal: there is no such deal.
        """
        deal = await self._store.find(deal_id)
        if deal is None:
            raise Refusal("unknown_deal")
        if deal.day is not None:
            # A node whose clock is wrong must not reveal a seed early.
            closed = await self._clock.confirm() >= days.closes(deal.day)
        else:
            assert deal.room is not None, "a deal belongs to a day or to a room"
            closed = await self._is_over(deal.room, deal_id)
        return deal, deal.seed if closed else None

    async def closed_of(self, daily_id: DailyId) -> DealId | None:
        """Return the id of a daily's deal if it is closed, or `None`.

        It reads one key, and that of closed days only.
        """
        if self._clock.now() < days.closes(daily_id.day):
            return None
        return (await self._store.daily_ids([daily_id])).get(daily_id)

    async def _is_over(self, code: RoomCode, deal: DealId) -> bool:
        try:
            running = (await self._rooms.load(code)).running
        except Refusal:
            return True
        return running is None or running.deal != deal
