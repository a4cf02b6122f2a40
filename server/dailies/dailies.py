"""Dailies: drawing their deals in advance, and each player's only attempt at each.

`server.base.core.days` defines when a day starts, ends and closes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import structlog

from engine.catalog import games, ruleset
from engine.ruleset import Ruleset
from server.base.core import days as daily
from server.base.core.days import DailyId
from server.base.core.ids import AttemptId, DealId, PlayerId, attempt_id
from server.base.core.refusal import BaseRefusals, Refusal, UnreadableError
from server.base.journals.reader import rules_of
from server.base.quotas.quotas import Quotas
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.dailies.core.charges import DAILY
from server.dailies.core.refusals import DailyRefusals
from server.dailies.daily_list import DailyList
from server.dailies.store import StartStore
from server.deals.pool_store import PoolStore
from server.deals.store import Deal, DealStore
from server.play.answers import Snapshot
from server.play.attempts import Attempts
from server.play.core.attempt import Started
from server.play.core.refusals import PlayRefusals
from server.play.core.result import Result, unpack
from server.players.address_hash import AddressHashes
from server.results.core.boards import Group, of_daily
from server.results.core.daily_sets import CrownSets
from server.results.histories_store import HistoryStore
from server.results.leaderboards_store import LeaderboardStore

DRAW_EVERY = 5.0  # seconds between checks for deals to draw
BEST_EVERY_MS = 10_000  # how long the best runs at uncertified dailies are cached
RETRY_AFTER_MS = 10_000  # until a player can retry if there was no room for an attempt

# Awaited with attempts before they are read; its exceptions end the command.
Reading = Callable[[Sequence[AttemptId]], Awaitable[None]]

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Today:
    """A game's deal of the day."""

    deal: Deal
    mine: Result | None  # the player's result so far, or `None` before the player has started it
    # The cards home of the best finished run, for a deal without a certificate; `None` before there
    # is one.
    best: int | None = None


@dataclass(frozen=True, slots=True)
class ShownDay:
    """The deals of a day."""

    day: int
    closed: bool  # whether no attempt can still be running, so that the seeds can be shown
    deals: list[Deal]  # the drawn deals, at most one per game
    # The cards home of the best finished run, for each deal without a certificate; `None` before
    # there is one.
    best: Mapping[DailyId, int | None]
    crowns: CrownSets  # the games of the day's set by crown
    earlier: bool  # whether the day before has deals


class Dailies:
    """The deals of each UTC day, one for each game that is a daily on that day.

    `ranked_starts` limits how many players at one address can start each daily; 0 means no limit. A
    node that certifies deals itself (`fills_pools`) draws tomorrow's deals as late as possible, and
    does not warn of short pools. It gives their deals to the dailies of the next days first, then
    some to races, and the others to later dailies.
    """

    def __init__(
        self,
        attempts: Attempts,
        keyring: Keyring,
        address_hashes: AddressHashes,
        quotas: Quotas,
        *,
        deals: DealStore,
        pools: PoolStore,
        starts: StartStore,
        leaderboards: LeaderboardStore,
        histories: HistoryStore,
        daily_list: DailyList,
        clock: Clock,
        background: Background,
        ranked_starts: int = 0,
        fills_pools: bool = False,
    ) -> None:
        self._deals = deals
        self._pools = pools
        self._starts = starts
        self._leaderboards = leaderboards
        self._histories = histories
        self._list = daily_list
        self._clock = clock
        self._attempts = attempts
        self._address_hashes = address_hashes
        self._quotas = quotas
        self._ranked_starts = ranked_starts
        self._fills_pools = fills_pools
        self._warn = log.info if fills_pools else log.warning
        # The certified deals in each game's pool, as last read; 0 if none is usable.
        self.pooled: dict[str, int] = {}
        self._drawn: set[DailyId] = set()
        self._short: set[str] = set()
        self._best: dict[DailyId, int | None] = {}
        self._best_at = 0
        self._shown_last: list[DealId] = []
        self._background = background
        deals.for_dailies = self._reserved
        keyring.sealing_changed.subscribe(self._reread)
        background.forever("dailies", self.draw_ahead, every=DRAW_EVERY)

    def _reserved(self, game: str) -> int:
        """Return how many deals of a game's pool are reserved for coming dailies."""
        today = daily.day_at(self._clock.now())
        ahead = (DailyId(game, today + number) for number in range(1, daily.READY_AHEAD + 1))
        is_ready = self._fills_pools and self._drawn.issuperset(ahead)
        return 0 if is_ready else daily.DRAWN_AHEAD

    def _reread(self) -> None:
        """Reread the deals ahead, which seals their seeds with the current key."""
        self._deals.forget()
        self._drawn = set()

    async def draw_ahead(self) -> None:
        """Draw the missing deals of today and the next `daily.DRAWN_AHEAD` days.

        They are taken from the pools. While a game's pool is empty, deals without a certificate are
        drawn for today and the next `daily.UNCERTIFIED_AHEAD` days, and none for later ones.
        """
        now = self._clock.now()
        today = daily.day_at(now)
        self._drawn = {each for each in self._drawn if each.day >= today}
        near = today + daily.UNCERTIFIED_AHEAD
        if self._fills_pools and now < daily.ends(today) - daily.FILLED_UNTIL_MS:
            near = today
        # Settle today's set first: it decides which deals are missing.
        await self._list.of(today)
        for day in range(today, near + 1):
            if wanted := [each for each in self._list.wanted(day) if each not in self._drawn]:
                deals = await self._draw(wanted)
                if uncertified := [deal.game for deal in deals if deal.certificate is None]:
                    self._warn("dailies_uncertified", day=daily.date_text(day), games=uncertified)
        await self._draw_certified(range(near + 1, today + daily.DRAWN_AHEAD + 1))

    async def _draw(self, wanted: Sequence[DailyId]) -> list[Deal]:
        """Draw a day's missing deals, and return all of its deals that can be read."""
        try:
            deals = await self._deals.dailies(wanted)
        except UnreadableError as error:
            # Reported once, for example for lack of its key, and does not prevent the others from
            # being drawn.
            if len(wanted) == 1:
                self._background.judge("dailies", error, wanted[0].name)
                return []
            return [deal for each in wanted for deal in await self._draw([each])]
        self._drawn.update(wanted)
        return deals

    async def _draw_certified(self, days: Sequence[int]) -> None:
        """Draw the deals of some days from the pools while these last, the nearest day first."""
        left, useless = await self._pools.sizes(self._list.games), set[str]()
        missing = [
            each for day in days for each in self._list.wanted(day) if each not in self._drawn
        ]
        ready = daily.day_at(self._clock.now()) + daily.READY_AHEAD
        if wanted := [each for each in missing if left.get(each.game)]:
            known = await self._deals.daily_ids(wanted)
            for each in wanted:
                spared = daily.SPARED if self._fills_pools and each.day > ready else 0
                if each in known:
                    self._drawn.add(each)
                elif left[each.game] > spared:
                    left[each.game] -= 1
                    if await self._deals.draw_certified(each) is None:
                        # The remaining deals are unusable for this release, or with its keys.
                        left[each.game] = 0
                        useless.add(each.game)
                    else:
                        self._drawn.add(each)
            left = await self._pools.sizes(self._list.games)
        self._note(left | dict.fromkeys(useless, 0))

    def _note(self, pooled: dict[str, int]) -> None:
        """Record the sizes of the pools, and log a change in which pools lack deals for 14 days."""
        self.pooled = pooled
        short = {game for game, size in pooled.items() if size < daily.DRAWN_AHEAD}
        if short != self._short:
            self._short = short
            if short:
                self._warn("pools_short", deals={game: pooled[game] for game in sorted(short)})
            else:
                log.info("pools_filled")

    async def today(
        self, player: PlayerId, reading: Reading | None = None
    ) -> tuple[int, list[Today]]:
        """Return today's number (UTC days, see `daily.day_at`), and the deal of each daily.

        `reading` is awaited with the player's attempts before they are read.
        """
        day = daily.day_at(self._clock.now())
        wanted = await self._list.of(day)
        # The deals are nearly always the same as last time: query both in one round trip.
        expected = self._shown_last
        deals, started = await asyncio.gather(
            self._deals.dailies(wanted), self._attempts.started(expected, player)
        )
        self._shown_last = [deal.id for deal in deals]
        if self._shown_last != expected:
            started = await self._attempts.started(self._shown_last, player)
        if reading is not None:
            await reading(
                [attempt_id(deal, player) for deal in self._shown_last if deal in started]
            )
        best = await self._best_of(deals)
        found = []
        for deal in deals:
            attempt = None
            if deal.id in started:
                attempt = await self._attempts.find(attempt_id(deal.id, player))
            mine = attempt.result if attempt else None
            found.append(Today(deal, mine, best.get(DailyId(deal.game, day))))
        return day, found

    async def _best_of(self, deals: Sequence[Deal]) -> Mapping[DailyId, int | None]:
        """Return the cards home of the best runs at the given deals without a certificate."""
        now = self._clock.now()
        today = daily.day_at(now)
        # Only today's are cached, and read again after a while, since they may change.
        if now - self._best_at >= BEST_EVERY_MS:
            self._best_at = now
            self._best = {}
        wanted = [
            DailyId(deal.game, deal.day)
            for deal in deals
            if deal.certificate is None and deal.day is not None and deal.day <= today
        ]
        unread = [each for each in wanted if each not in self._best]
        found = dict(zip(unread, await asyncio.gather(*map(self._best_home, unread)), strict=True))
        self._best |= {each: best for each, best in found.items() if each.day == today}
        return self._best | found

    async def _best_home(self, daily_id: DailyId) -> int | None:
        groups = get_args(Group)
        boards = [of_daily(daily_id, group) for group in groups]
        pages = await asyncio.gather(*(self._leaderboards.rows(board, 1, 1) for board in boards))
        scores = [row.score for page in pages for row in page.rows]
        total = ruleset(daily_id.game).total
        return total - unpack(min(scores))[0] if scores else None

    async def ahead(self) -> list[ShownDay]:
        """Return today and the days ahead with drawn deals, in at most three round trips."""
        today = daily.day_at(self._clock.now())
        return await self._shown(range(today, today + daily.DRAWN_AHEAD + 1))

    async def load_day(self, day: int) -> ShownDay:
        """Return the deals of a day, in at most three round trips.

        Refused if none are drawn, or they are no longer kept.
        """
        (shown,) = await self._shown([day])
        if not shown.deals:
            raise Refusal(BaseRefusals.unknown_day)
        return shown

    async def _shown(self, days: Sequence[int]) -> list[ShownDay]:
        """Return the drawn deals of some consecutive days, without drawing any."""
        now = self._clock.now()
        if now >= daily.closes(days[0]):
            # Confirm the clock: a node with a wrong one must not reveal a seed early.
            now = await self._clock.confirm()
        drawn = await self._deals.daily_ids(await self._list.possible([days[0] - 1, *days]))
        with_deals = {each.day for each in drawn}
        ids = [deal for each, deal in drawn.items() if each.day in days]
        found = await asyncio.gather(*map(self._deals.find, ids))
        deals = [deal for deal in found if deal is not None]
        best = await self._best_of(deals)
        return [
            ShownDay(
                day,
                now >= daily.closes(day),
                [deal for deal in deals if deal.day == day],
                best,
                self._list.crowns(day),
                day - 1 in with_deals,
            )
            for day in days
        ]

    async def open(
        self,
        player: PlayerId,
        game: str,
        address: str = "",
        *,
        anew: bool = True,
        reading: Reading | None = None,
        starting: Callable[[Ruleset], None] | None = None,
    ) -> Snapshot:
        """Start a player's attempt at today's deal, or return the running one.

        `address` is the client's; if it is empty, its limit does not apply. `anew` permits a new
        attempt. `reading` is awaited with the ids of a running attempt before it is read, and
        `starting` is called with the rules before a new one is stored.

        Refused as `unknown_game`; as `no_daily` if it is not one of today's dailies; as
        `already_played` if today's attempt has ended; for a new attempt also as `overloaded` if
        there is no room, as `address_full` if the player's address has stored too much, or as
        `too_many_starts` if too many other players have started this daily at the same address.
        """
        if game not in games():
            raise Refusal(BaseRefusals.unknown_game)
        # Confirm the clock: a node with a wrong one must not show the cards of a day early.
        now = await self._clock.confirm()
        day = daily.day_at(now)
        # An attempt counts for the day of its start, and can be continued until that closes.
        if now < daily.closes(day - 1):
            # Only look it up: a deal of yesterday that was not drawn has no attempts.
            yesterday = await self._deals.daily_ids([DailyId(game, day - 1)])
            for deal_id in yesterday.values():
                if reading is not None:
                    await reading([attempt_id(deal_id, player)])
                attempt = await self._attempts.find(attempt_id(deal_id, player))
                if attempt is not None and attempt.end is None:
                    return await self._attempts.snapshot(attempt)
        if DailyId(game, day) not in await self._list.of(day):
            raise Refusal(DailyRefusals.no_daily)
        deal = await self._deals.daily(DailyId(game, day))
        ranked = False
        if not await self._attempts.started([deal.id], player):
            if not anew:
                raise Refusal(BaseRefusals.overloaded, wait=RETRY_AFTER_MS)
            if starting is not None:
                starting(rules_of(deal.game, deal.variant, deal.rules))
            await self._begin(player, DailyId(game, day), address)
            # Decide this at the start: otherwise, the best of several guests could be kept
            # afterwards.
            (ranked,) = await self._histories.kept([player])
        elif reading is not None:
            await reading([attempt_id(deal.id, player)])
        started = Started(
            player,
            deal.id,
            deal.game,
            deal.variant,
            None,
            deal.day,
            now,
            daily.closes(day),
            deal.rules,
            days=self._quotas.days([player]),
            ranked=ranked,
        )
        attempt = await self._attempts.start(started)
        if attempt.end is not None:
            raise Refusal(PlayRefusals.already_played)
        return await self._attempts.snapshot(attempt)

    async def _begin(self, player: PlayerId, daily_id: DailyId, address: str) -> None:
        """Record where a player starts a daily.

        Refused if the quota of that address is used up, or the operator's limit of starts is
        reached.
        """
        await self._quotas.take(self._quotas.where(player), "game", DAILY)
        own = await self._address_hashes.hash(address)
        if not own:
            return
        if not await self._starts.begin(daily_id, own, player, self._ranked_starts):
            raise Refusal(DailyRefusals.too_many_starts)
