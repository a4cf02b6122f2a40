"""Deals as players may see them: when a deal is closed, and so its seed is revealed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final, Protocol

from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import (
    AttemptId,
    DealId,
    Occasion,
    PlayerId,
    RoomCode,
    attempt_id,
    split_attempt_id,
)
from server.base.core.refusal import Refusal
from server.base.work.clock import Clock
from server.deals.core.keys import MAX_RESERVED_MS
from server.deals.store import Deal, DealStore
from server.play.attempts import Attempts
from server.play.core.result import Result
from server.rooms.core.keys import ROUND_LIFE_MS
from server.rooms.rooms import Rooms

RESERVED_MS: Final = ROUND_LIFE_MS + MAX_RESERVED_MS
"""Milliseconds after a round after which nobody plays its deal any more on another occasion."""


DEALS_AT_ONCE: Final = 100
"""Deals of which is read at once for what they are reserved: that takes an event loop 2 ms."""


class Occasions(Protocol):
    """The knowledge of a wing of its occasions, all of one kind, on which deals are played."""

    async def may_see(self, occasion: Occasion, viewer: PlayerId | None) -> bool:
        """Return whether a player may see the deal by now, and the runs on it; `None` is anybody.

        By the time of an occasion that is not kept any more, its deal is closed.
        """

    async def results(self, occasion: Occasion) -> tuple[Mapping[PlayerId, Result], int]:
        """Return how the runs on it ended, and how many cards the deal itself brought home."""

    async def is_void(self, occasion: Occasion, player: PlayerId) -> bool | None:
        """Return whether an operator has taken a player's result back; `None` if there is none."""

    async def void(self, occasion: Occasion, player: PlayerId, *, is_void: bool) -> None:
        """Take a player's result back, or let it stand again. This is idempotent."""


class ClosedDeals:
    """Looks deals up, and decides whether they are closed.

    A day's deal is closed when the daily closes; a room's, unless a round on it is running. Who
    may see that of another occasion, its wing says, which registers with this. So it is with a
    room's deal that is reserved for one; until it is, it may be shown to anybody, and is reserved
    no more as soon as it was to somebody who has not played it.
    """

    def __init__(self, store: DealStore, rooms: Rooms, attempts: Attempts, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rooms = rooms
        self._attempts = attempts
        self._occasions: dict[str, Occasions] = {}

    def register(self, kind: str, occasions: Occasions) -> None:
        """Have a wing say what of the deals of a kind of occasions may be seen."""
        self._occasions[kind] = occasions

    def occasions_of(self, occasion: Occasion) -> Occasions:
        """Return who knows an occasion.

        Raises:
            Refusal: a newer release has drawn a deal for it.
        """
        found = self._occasions.get(occasion.partition(":")[0])
        if found is None:
            raise Refusal("unknown_deal")
        return found

    async def load(
        self, deal_id: DealId, viewer: PlayerId | None = None
    ) -> tuple[Deal, bytes | None]:
        """Return a deal and, if it is closed, its seed; else `None` for the seed.

        Args:
            deal_id: the deal's id.
            viewer: for whom; `None` for anybody.

        Raises:
            Refusal: there is no such deal.
        """
        deal = await self._store.find(deal_id)
        if deal is None:
            raise Refusal("unknown_deal")
        if deal.day is not None:
            # A node whose clock is wrong must not reveal a seed early.
            closed = await self._clock.confirm() >= days.closes(deal.day)
        elif deal.occasion is not None:
            closed = await self.occasions_of(deal.occasion).may_see(deal.occasion, viewer)
        else:
            assert deal.room is not None, "a deal belongs to a day, to a room or to an occasion"
            closed = await self._is_over(deal.room, deal_id) and await self._is_open(
                deal_id, viewer
            )
        return deal, deal.seed if closed else None

    async def withheld(
        self, raced: Mapping[DealId, int], viewer: PlayerId | None
    ) -> frozenset[DealId]:
        """Return the deals of rounds that are over whose results are hidden from a viewer.

        Of a deal that is reserved for an occasion, that is who may still play it there, and
        everybody else who has not. The caller leaves those out that the viewer has raced.

        Args:
            raced: when each round was over, in Unix milliseconds, by its deal.
            viewer: for whom; `None` for anybody, from whom they are hidden until the occasion is
                over.
        """
        now = self._clock.now()
        asked = [deal for deal, over in raced.items() if over > now - RESERVED_MS]
        reserved: dict[DealId, Occasion] = {}
        for first in range(0, len(asked), DEALS_AT_ONCE):
            reserved |= await self._store.reserved(asked[first : first + DEALS_AT_ONCE], now)
        if viewer is None:
            return frozenset(reserved)
        seen = await asyncio.gather(
            *(self._may_see(occasion, viewer) for occasion in reserved.values())
        )
        return frozenset(deal for deal, may_see in zip(reserved, seen, strict=True) if not may_see)

    async def _may_see(self, occasion: Occasion, viewer: PlayerId) -> bool:
        try:
            return await self.occasions_of(occasion).may_see(occasion, viewer)
        except Refusal:
            return False

    async def is_void(self, attempt: AttemptId) -> bool | None:
        """Return whether an operator has taken the result of an attempt back.

        `None` if it was not on an occasion, or has no result there.
        """
        deal_id, player = split_attempt_id(attempt) or (None, None)
        occasion = await self._store.occasion_of(deal_id) if deal_id is not None else None
        if occasion is None or player is None:
            return None
        return await self.occasions_of(occasion).is_void(occasion, player)

    async def void(self, attempt: AttemptId, *, is_void: bool) -> None:
        """Take back the result of an attempt on an occasion, or let it stand. This is idempotent.

        Nothing is done for one that was on none.
        """
        deal_id, player = split_attempt_id(attempt) or (None, None)
        occasion = await self._store.occasion_of(deal_id) if deal_id is not None else None
        if occasion is not None and player is not None:
            await self.occasions_of(occasion).void(occasion, player, is_void=is_void)

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

    async def _is_open(self, deal: DealId, viewer: PlayerId | None) -> bool:
        """Return whether a player may see a room's deal whose round is over, and is shown it now.

        Whoever has played it may.
        """
        if viewer is not None:
            own = await self._attempts.find(attempt_id(deal, viewer))
            if own is not None and own.end is not None:
                return True
        reserved = await self._store.show(deal)
        return reserved is None or await self.occasions_of(reserved).may_see(reserved, viewer)
