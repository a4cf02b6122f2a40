"""Closed deals: deciding when the seed of a deal can be revealed."""

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
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.work.clock import Clock
from server.deals.core.keys import MAX_RESERVED_MS
from server.deals.store import Deal, DealStore
from server.play.attempts import Attempts
from server.play.core.result import Result
from server.rooms.core.keys import ROUND_LIFE_MS
from server.rooms.rooms import Rooms

# How long after a round its deal may still be played on another occasion.
RESERVED_MS: Final = ROUND_LIFE_MS + MAX_RESERVED_MS

RESERVATION_BATCH: Final = 100  # reservations read together, which blocks the event loop for 2 ms


class Occasions(Protocol):
    """A wing's rules for one kind of occasions on which deals are played."""

    async def may_see(self, occasion: Occasion, viewer: PlayerId | None) -> bool:
        """Return whether a player, or everyone for `None`, may now see the deal and its runs.

        Before an expired occasion is deleted, its deal is closed.
        """

    async def results(self, occasion: Occasion) -> tuple[Mapping[PlayerId, Result], int]:
        """Return the results of its runs, and the number of cards that are home after dealing."""

    async def is_void(self, occasion: Occasion, player: PlayerId) -> bool | None:
        """Return whether an operator has voided a player's result; `None` if there is no result."""

    async def void(self, occasion: Occasion, player: PlayerId, *, is_void: bool) -> None:
        """Void or restore a player's result. This is idempotent."""


class ClosedDeals:
    """Looks deals up, and decides whether they are closed.

    A daily's deal is closed when the daily closes, and a room's deal when no round on it is
    running. For other occasions, and a room's deal that is reserved for one, the wing registered
    here decides.
    """

    def __init__(self, store: DealStore, rooms: Rooms, attempts: Attempts, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rooms = rooms
        self._attempts = attempts
        self._occasions: dict[str, Occasions] = {}

    def register(self, kind: str, occasions: Occasions) -> None:
        """Register a wing for a kind of occasions."""
        self._occasions[kind] = occasions

    def occasions_of(self, occasion: Occasion) -> Occasions:
        """Return the wing responsible for an occasion.

        Refused if a newer release has drawn a deal for it.
        """
        found = self._occasions.get(occasion.partition(":")[0])
        if found is None:
            raise Refusal(BaseRefusals.unknown_deal)
        return found

    async def load(
        self, deal_id: DealId, viewer: PlayerId | None = None
    ) -> tuple[Deal, bytes | None]:
        """Return a deal, and its seed if the deal is closed, else `None`.

        `viewer` is `None` for the public. Refused if there is no such deal.
        """
        deal = await self._store.find(deal_id)
        if deal is None:
            raise Refusal(BaseRefusals.unknown_deal)
        if deal.day is not None:
            # Confirm the clock: a node with a wrong one must not reveal a seed early.
            closed = await self._clock.confirm() >= days.closes(deal.day)
        elif deal.occasion is not None:
            closed = await self.occasions_of(deal.occasion).may_see(deal.occasion, viewer)
        else:
            assert deal.room is not None, "a deal belongs to a day, a room or an occasion"
            closed = await self._is_over(deal.room, deal_id) and await self._is_open(
                deal_id, viewer
            )
        return deal, deal.seed if closed else None

    async def withheld(
        self, raced: Mapping[DealId, int], viewer: PlayerId | None
    ) -> frozenset[DealId]:
        """Return the deals of finished rounds whose results are hidden from a viewer.

        These are deals reserved for an occasion whose wing does not permit the viewer to see them
        yet. `raced` is the end of each round, in Unix milliseconds, by its deal; exclude deals that
        the viewer has raced. `viewer` is `None` for the public, which sees nothing until the
        occasion is over.
        """
        now = self._clock.now()
        asked = [deal for deal, over in raced.items() if over > now - RESERVED_MS]
        reserved: dict[DealId, Occasion] = {}
        for first in range(0, len(asked), RESERVATION_BATCH):
            reserved |= await self._store.reserved(asked[first : first + RESERVATION_BATCH], now)
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
        """Return whether an operator has voided an attempt's result.

        `None` if the attempt was not on an occasion, or has no result there.
        """
        found = await self._occasion_of(attempt)
        if found is None:
            return None
        wing, occasion, player = found
        return await wing.is_void(occasion, player)

    async def void(self, attempt: AttemptId, *, is_void: bool) -> None:
        """Void or restore an attempt's result on an occasion, if any. This is idempotent."""
        if found := await self._occasion_of(attempt):
            wing, occasion, player = found
            await wing.void(occasion, player, is_void=is_void)

    async def _occasion_of(self, attempt: AttemptId) -> tuple[Occasions, Occasion, PlayerId] | None:
        if not (parts := split_attempt_id(attempt)):
            return None
        deal, player = parts
        occasion = await self._store.occasion_of(deal)
        return None if occasion is None else (self.occasions_of(occasion), occasion, player)

    async def closed_of(self, daily_id: DailyId) -> DealId | None:
        """Return the id of a daily's deal if it is closed, or `None`."""
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
        """Return whether a player may see the deal of a finished round, and record that."""
        if viewer is not None:
            own = await self._attempts.find(attempt_id(deal, viewer))
            if own is not None and own.end is not None:
                return True
        # Showing it to a player before an attempt rules out later reservations.
        reserved = await self._store.show(deal)
        return reserved is None or await self.occasions_of(reserved).may_see(reserved, viewer)
