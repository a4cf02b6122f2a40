"""Runs: finished attempts, which are public once their deals are closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from engine.deal import deal_seed
from server.base.core.days import DailyId
from server.base.core.ids import AttemptId, DealId, PlayerId, attempt_id, split_attempt_id
from server.base.core.refusal import BaseRefusals, Refusal, RefusalCode
from server.base.journals.core.machine import PAUSE_EVERY
from server.base.journals.reader import rules_of
from server.deals.store import Deal
from server.play.attempts import Attempts
from server.play.core import result as ranking
from server.play.core.result import Result, Row, unpack
from server.play.core.run import Run, RunFile, Runner, file_of, states_of
from server.players.core.names import Profile
from server.players.profiles import Profiles
from server.results.core import boards
from server.results.core.boards import Group
from server.results.leaderboards import REACH, Leaderboards
from server.rooms.rooms import Rooms
from server.runs.closed_deals import ClosedDeals
from server.runs.core.refusals import RunRefusals

MAX_READS = 8  # concurrent reads of runs per node; further ones are refused before they delay moves

# Runs on a deal of a round or a challenge that a player is shown, besides their own and its
# neighbours: a challenge has up to 1,000.
SHOWN = 50

RETRY_AFTER_MS = 1_000  # until a refused read can be retried


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run, with its deal and its player."""

    run: Run
    deal: Deal
    profile: Profile


class RunRow(NamedTuple):
    """A run's place in the ranking of its deal."""

    attempt: AttemptId
    rank: int  # from 1, shared by equal results
    profile: Profile
    left: int  # cards that are not on the foundations
    time: int  # milliseconds from the start to the last card that reached a foundation
    moves: int
    undos: int = 0  # see `server.play.core.result.Result`, also for `hints` and `peeked`
    hints: int = 0
    peeked: bool = False


_Ranked: TypeAlias = tuple[PlayerId, int, Result]  # (player, rank, result) of a run


class Runs:
    """Reads runs of closed deals, without a cache.

    A run costs one range read of a stream, with a page per 1,000 entries, and about a microsecond
    per entry.
    """

    def __init__(
        self,
        deals: ClosedDeals,
        attempts: Attempts,
        rooms: Rooms,
        *,
        leaderboards: Leaderboards,
        profiles: Profiles,
    ) -> None:
        self._deals = deals
        self._attempts = attempts
        self._rooms = rooms
        self._leaderboards = leaderboards
        self._profiles = profiles
        self._reading = 0

    async def load(self, attempt: AttemptId, viewer: PlayerId | None = None) -> FoundRun:
        """Return a run; `viewer` is `None` for the public.

        Refused as `unknown_run`; as `deal_open` while its deal may be played; as `overloaded`
        during too many concurrent reads.
        """
        parts = split_attempt_id(attempt)
        if parts is None:
            raise Refusal(BaseRefusals.unknown_run)
        deal_id, player = parts
        with self._limited_read():
            deal = await self._closed(deal_id, BaseRefusals.unknown_run, viewer)
            run = await self._attempts.run(attempt)
            if run is None and await self._attempts.find(attempt) is not None:
                # Its deadline had passed unnoticed; `find` has ended it now.
                run = await self._attempts.run(attempt)
            if run is None:
                raise Refusal(BaseRefusals.unknown_run)
            return FoundRun(run, deal, (await self._profiles.load([player]))[player])

    async def file(self, attempt: AttemptId) -> RunFile:
        """Return the file of a run, whose moves are replayed for it. Refused as `load`.

        Raises:
            UnreadableError: a newer release stored it, or defined its rules.
        """
        found = await self.load(attempt)
        run, deal, profile = found.run, found.deal, found.profile
        rules = rules_of(run.start.game, run.start.variant, run.start.rules)
        with self._limited_read():
            for number, each in enumerate(states_of(run, deal_seed(rules, deal.seed)), 1):
                state = each
                # A long run must not block the event loop.
                if number % PAUSE_EVERY == 0:
                    await asyncio.sleep(0)
        return file_of(
            run,
            state,
            seed=deal.seed,
            commitment=deal.commitment,
            player=Runner(profile.id, profile.name, profile.tag, profile.is_bot),
        )

    async def page(
        self, deal_id: DealId, group: Group, first: int, count: int
    ) -> tuple[int, list[RunRow]]:
        """Return the number of runs on a deal, and a page of them, best first.

        `group` are the players of runs at a daily; in a room, both race together. `first` counts
        from 1. Refused as `on` does.
        """
        with self._limited_read():
            deal = await self._closed(deal_id, BaseRefusals.unknown_deal)
            if deal.day is None:
                ranked = await self._ranked(deal)
                rows = await self._rows(deal, ranked[first - 1 : first - 1 + count])
                return len(ranked), rows
            board = boards.of_daily(DailyId(deal.game, deal.day), group)
            size, found = await self._leaderboards.rows(board, first, count)
            profiles = await self._leaderboards.profiles(found)
            return size, [_run_row(deal, row, profiles) for row in found]

    async def on(
        self, deal_id: DealId, player: PlayerId, pay: Callable[[int], None] = lambda _: None
    ) -> tuple[int, list[RunRow]]:
        """Return the number of runs on a deal, and a player's selection of them, best first.

        These are the first runs, and the player's own run with its neighbours. The runs of a round
        are kept for a week after it. `pay` is called with the number of runs of a round or a
        challenge before they are ranked. Refused as `unknown_deal`; as `deal_open` while it may be
        played; as `overloaded` during too many concurrent reads.
        """
        with self._limited_read():
            deal = await self._closed(deal_id, BaseRefusals.unknown_deal, player)
            if deal.day is not None:
                return await self._of_day(deal, DailyId(deal.game, deal.day), player)
            ranked = await self._ranked(deal, pay)
            own = next((at for at, (each, _, _) in enumerate(ranked) if each == player), 0)
            around = ranked[max(own - REACH, SHOWN) : own + REACH + 1]
            return len(ranked), await self._rows(deal, [*ranked[:SHOWN], *around])

    async def _of_day(
        self, deal: Deal, daily_id: DailyId, player: PlayerId
    ) -> tuple[int, list[RunRow]]:
        board = await self._leaderboards.own(boards.of_daily(daily_id, "ranked"), player)
        page = await self._leaderboards.page(board, player)
        rows = {row.player: row for row in (*page.top, *page.around)}
        return page.size, [_run_row(deal, row, page.profiles) for row in rows.values()]

    async def _ranked(
        self, deal: Deal, pay: Callable[[int], None] = lambda _: None
    ) -> list[_Ranked]:
        """Return the ranked runs on a deal of a round or a challenge, best first."""
        if deal.occasion is not None:
            occasions = self._deals.occasions_of(deal.occasion)
            results, home = await occasions.results(deal.occasion)
        else:
            assert deal.room is not None, "a deal belongs to a day, a room or an occasion"
            played = await self._rooms.round_on(deal.room, deal.id)
            if played is None:
                return []
            results, home = played.results, played.home
        pay(len(results))
        return [(each, rank, results[each]) for each, rank in ranking.ranks(results, home).items()]

    async def _rows(self, deal: Deal, ranked: Sequence[_Ranked]) -> list[RunRow]:
        profiles = await self._profiles.load([each for each, _, _ in ranked])
        return [
            RunRow(
                attempt_id(deal.id, each),
                rank,
                profiles[each],
                found.left,
                found.time,
                found.moves,
                found.undos,
                found.hints,
                found.peeked,
            )
            for each, rank, found in ranked
        ]

    async def _closed(
        self, deal_id: DealId, unknown: RefusalCode, viewer: PlayerId | None = None
    ) -> Deal:
        """Return a closed deal; a missing one is refused with the code `unknown`."""
        try:
            deal, seed = await self._deals.load(deal_id, viewer)
        except Refusal as refusal:
            raise Refusal(unknown) from refusal
        if seed is None:
            raise Refusal(RunRefusals.deal_open)
        return deal

    @contextmanager
    def _limited_read(self) -> Iterator[None]:
        if self._reading >= MAX_READS:
            raise Refusal(BaseRefusals.overloaded, wait=RETRY_AFTER_MS)
        self._reading += 1
        try:
            yield
        finally:
            self._reading -= 1


def _run_row(deal: Deal, row: Row, profiles: Mapping[PlayerId, Profile]) -> RunRow:
    attempt, profile = attempt_id(deal.id, row.player), profiles[row.player]
    return RunRow(attempt, row.rank, profile, *unpack(row.score))
