"""Deals as players may see them: the seed is included only after the deal is closed."""

from __future__ import annotations

from server.base.core import days, keys
from server.base.core.days import DailyId
from server.base.core.ids import DealId, RoomCode
from server.base.core.refusal import Refusal
from server.base.redis.scans import ScanStore
from server.base.work.clock import Clock
from server.deals.pool_store import PoolStore
from server.deals.store import Deal, DealStore
from server.rooms.rooms import Rooms


class Deals:
    """Looks deals up, and decides whether they are closed.

    A day's deal is closed when the daily closes; a room's, unless a round on it is running.
    """

    def __init__(
        self,
        store: DealStore,
        rooms: Rooms,
        *,
        pools: PoolStore,
        scans: ScanStore,
        clock: Clock,
    ) -> None:
        self._store = store
        self._pools = pools
        self._scans = scans
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

    async def seal_all(self) -> tuple[int, int]:
        """Seal every seed and line by the current secret key, of deals and of those in pools.

        It takes a scan of all keys, and one or two round trips for each deal.

        Returns:
            How many deals there are, pooled ones included, and how many of them were in plain or
            sealed by another key.

        Raises:
            UnreadableError: a seed cannot be opened, or a newer release drew the deal.
            UnavailableError: the store does not answer; the rest is not sealed.
        """
        count = changed = 0
        async for batch in self._scans.all_keys():
            for key in batch:
                kind, name = keys.kind_of(key)
                if kind == "deal":
                    count += 1
                    changed += await self._store.seal(DealId(name))
                elif kind == "pool":
                    pooled, resealed = await self._pools.seal(name)
                    count, changed = count + pooled, changed + resealed
        return count, changed

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
