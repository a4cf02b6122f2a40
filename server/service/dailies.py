"""Dailies: drawing their deals in advance, and each player's one attempt at them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from engine.catalog import games
from server.core import daily
from server.core.attempt import Started
from server.core.daily import DailyId
from server.core.ids import PlayerId, attempt_id
from server.core.ranking import Result
from server.core.refusal import Refusal, UnavailableError
from server.service.answers import Snapshot
from server.service.attempts import Attempts
from server.service.keyring import Keyring
from server.service.places import Places
from server.service.store import Store
from server.stop import Stop
from server.store.deals import Deal

DRAW_EVERY = 5.0
"""Seconds between two checks whether deals have to be drawn."""

RETRY_AFTER = 10_000
"""Milliseconds after which a player may try again for whose attempt there was no room."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Today:
    """A game's deal of the day.

    Attributes:
        mine: the player's result so far, or `None` before the player has started it.
    """

    deal: Deal
    mine: Result | None


@dataclass(frozen=True, slots=True)
class ShownDay:
    """The deals of a day.

    Attributes:
        closed: whether nobody can be playing them any more, so that their seeds may be shown.
        deals: those that have been drawn, at most one of each game.
    """

    day: int
    closed: bool
    deals: list[Deal]


class Dailies:
    """The deal of each game for each UTC day.

    Args:
        store: where the deals are.
        attempts: the players' attempts at them.
        keyring: says by which key the seeds of deals ahead are sealed.
        places: where players are.
        ranked_starts: how many players at one place may begin each daily; 0 for any number.
    """

    def __init__(
        self,
        store: Store,
        attempts: Attempts,
        keyring: Keyring,
        places: Places,
        ranked_starts: int = 0,
    ) -> None:
        self._store = store
        self._attempts = attempts
        self._places = places
        self._ranked_starts = ranked_starts
        self._drawn_until = -1
        keyring.sealing_changed.subscribe(self._read_again)

    def _read_again(self) -> None:
        """Have the deals ahead read again, which seals their seeds by the key that holds now."""
        self._store.deals.forget()
        self._drawn_until = -1

    async def draw_ahead(self) -> None:
        """Draw those deals of today and the next `daily.DRAWN_AHEAD` days that do not exist yet.

        Raises:
            UnavailableError: the store does not answer.
        """
        last = daily.day_at(self._store.clock.now()) + daily.DRAWN_AHEAD
        for day in range(max(self._drawn_until + 1, last - daily.DRAWN_AHEAD), last + 1):
            await self._store.deals.dailies(_all_of(day))
            self._drawn_until = day

    async def run(self, stop: Stop) -> None:
        """Draw deals in advance, until stopped."""
        while not stop.is_set:
            try:
                await self.draw_ahead()
            except UnavailableError as error:
                log.debug("dailies_not_drawn", error=str(error))
            await stop.or_wait(asyncio.sleep(DRAW_EVERY))

    async def today(self, player: PlayerId) -> tuple[int, list[Today]]:
        """Return today's number (UTC days, see `daily.day_at`), and the deal of each game.

        Raises:
            UnavailableError: the store does not answer.
        """
        day = daily.day_at(self._store.clock.now())
        deals = await self._store.deals.dailies(_all_of(day))
        started = await self._store.deals.started([deal.id for deal in deals], player)
        found = []
        for deal in deals:
            attempt = None
            if deal.id in started:
                attempt = await self._attempts.find(attempt_id(deal.id, player))
            found.append(Today(deal, attempt.result if attempt else None))
        return day, found

    async def ahead(self) -> list[ShownDay]:
        """Return today and the days ahead whose deals are drawn, in one or two round trips.

        Raises:
            UnavailableError: the store does not answer.
        """
        today = daily.day_at(self._store.clock.now())
        return await self._shown(range(today, today + daily.DRAWN_AHEAD + 1))

    async def show(self, day: int) -> ShownDay:
        """Return the deals of a day, in one or two round trips.

        Raises:
            Refusal: none are drawn, or they are not kept any more.
            UnavailableError: the store does not answer.
        """
        (shown,) = await self._shown([day])
        if not shown.deals:
            raise Refusal("unknown_day")
        return shown

    async def _shown(self, days: Sequence[int]) -> list[ShownDay]:
        """Return those deals of some days that have been drawn; it draws none."""
        if self._store.clock.now() >= daily.closes(days[0]):
            # A node whose clock is wrong must not reveal a seed early.
            await self._store.clock.confirm()
        now = self._store.clock.now()
        ids = await self._store.deals.daily_ids([each for day in days for each in _all_of(day)])
        found = await asyncio.gather(*map(self._store.deals.find, ids.values()))
        return [
            ShownDay(
                day,
                now >= daily.closes(day),
                [deal for deal in found if deal is not None and deal.day == day],
            )
            for day in days
        ]

    async def open(
        self, player: PlayerId, game: str, address: str = "", *, anew: bool = True
    ) -> Snapshot:
        """Start a player's attempt at today's deal, or return the one that is running.

        Until yesterday's daily closes, an attempt at it that is still running is returned instead:
        an attempt counts for the day on which it was started.

        Args:
            player: the player.
            game: the game's id.
            address: the client's; empty if it is not known, and then it does not count.
            anew: whether there is room for an attempt that is yet to be started.

        Raises:
            Refusal: there is no such game, or today's attempt is over; as `overloaded` or
                `too_many_starts`, if it is yet to be started and there is no room for it, or too
                many others have begun this daily at the same place.
            UnavailableError: the store does not answer.
        """
        if game not in games():
            raise Refusal("unknown_game")
        # A node whose clock is wrong must not show the cards of a day early.
        await self._store.clock.confirm()
        now = self._store.clock.now()
        day = daily.day_at(now)
        if now < daily.closes(day - 1):
            deal = await self._store.deals.daily(DailyId(game, day - 1))
            attempt = await self._attempts.find(attempt_id(deal.id, player))
            if attempt is not None and attempt.end is None:
                return await self._attempts.snapshot(attempt)
        deal = await self._store.deals.daily(DailyId(game, day))
        if not await self._store.deals.started([deal.id], player):
            if not anew:
                raise Refusal("overloaded", wait=RETRY_AFTER)
            await self._begin(player, DailyId(game, day), address)
        closes = daily.closes(day)
        started = Started(player, deal.id, deal.game, deal.variant, None, deal.day, now, closes)
        attempt = await self._attempts.start(started)
        if attempt.end is not None:
            raise Refusal("already_played")
        return await self._attempts.snapshot(attempt)

    async def _begin(self, player: PlayerId, daily_id: DailyId, address: str) -> None:
        """Note where a player begins a daily.

        Raises:
            Refusal: as many others as the operator allows have begun it there.
        """
        place = await self._places.of(address)
        if not place:
            return
        if not await self._store.starts.begin(daily_id, place, player, self._ranked_starts):
            raise Refusal("too_many_starts")


def _all_of(day: int) -> list[DailyId]:
    """Return the daily of each game on a day."""
    return [DailyId(game, day) for game in games()]
