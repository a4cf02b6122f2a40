"""Players' histories, and the leaderboards that follow from them.

A history is changed first, and what follows from it is written then: the scores of its player on
the leaderboards that it concerns. Whoever writes these checks afterwards that the history is still
the one that they were computed from, and else computes them again. So whatever nodes do it at the
same time, and whichever of them die, the last one to finish writes what the history says; and an
effect stays in its outbox until one has finished.

What it costs: a read of an excerpt of the history (`server/core/excerpt.py`), a change, a script
for each leaderboard (7 for a daily), and a read of the version, however long the history is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import get_args

from msgspec.structs import replace

from engine.catalog import games
from server.core.boards import (
    BoardId,
    Group,
    boards_of_day,
    boards_of_round,
    days_needed,
    open_boards,
)
from server.core.excerpt import Excerpt
from server.core.history import DayResult, History, RoundResult
from server.core.history_fields import changes
from server.core.ids import DealId, PlayerId
from server.service.leaderboards import Leaderboards
from server.service.store import Store
from server.service.tasks import finish_all


class Histories:
    """Reads and changes players' histories."""

    def __init__(self, store: Store, leaderboards: Leaderboards) -> None:
        self._store = store
        self._leaderboards = leaderboards

    async def find(self, player: PlayerId) -> History:
        """Return all of a player's history, which is read in slices; an empty one if there is none.

        Raises:
            UnavailableError: the store does not answer.
        """
        return (await self._store.histories.read(player)).history

    async def excerpts(
        self,
        players: Sequence[PlayerId],
        days: Collection[int],
        rounds: Collection[tuple[str, DealId]] = (),
    ) -> list[Excerpt]:
        """Return an excerpt of each player's history, with some days of all games, and some rounds.

        It takes one round trip, unless a history was written without totals.

        Raises:
            UnavailableError: the store does not answer.
        """
        found = await self._store.histories.excerpts(players, days, rounds)
        return [
            await self._whole(player, days, rounds) if each.has_no_totals else each
            for player, each in zip(players, found, strict=True)
        ]

    async def has_results(self, player: PlayerId) -> bool:
        """Return whether a player has played anything that is kept.

        Raises:
            UnavailableError: the store does not answer.
        """
        (found,) = await self._store.histories.excerpts([player], ())
        return bool(found.totals)

    async def _whole(
        self, player: PlayerId, days: Collection[int], rounds: Collection[tuple[str, DealId]]
    ) -> Excerpt:
        found = await self._store.histories.read(player)
        return found.excerpt(found.totals, days, rounds)

    async def _change(
        self,
        player: PlayerId,
        decide: Callable[[Excerpt], Excerpt | None],
        days: Collection[int] = (),
        rounds: Collection[tuple[str, DealId]] = (),
    ) -> Excerpt:
        """Change a player's history, and return an excerpt of it.

        Args:
            player: whose it is.
            decide: returns it after the change, the same one if nothing changes; `None` if that
                takes the whole history. It is called again then, and if somebody else has changed
                the history meanwhile.
            days: those that the excerpt has.
            rounds: those that it has.

        Raises:
            UnavailableError: the store does not answer; it may have been changed.
        """
        histories = self._store.histories
        while True:
            (before,) = await histories.excerpts([player], days, rounds)
            after = None if before.has_no_totals else decide(before)
            if after is None:
                whole = await histories.read(player)
                before = whole.excerpt(whole.stored, days, rounds)
                after = decide(replace(before, totals=whole.totals))
                assert after is not None, "there is no more to read"
            fields = changes(before, after)
            if not fields:
                return after
            is_new = before.kept is None or not before.totals
            if is_new and after.kept is not None and after.totals:
                # From now on there is something to come back for. First, since it may end here.
                await self._store.accounts.extend(player, for_good=True)
            if await histories.change(player, before.version, fields):
                return replace(after, version=before.version + 1)

    async def add_day(
        self, player: PlayerId, game: str, day: int, result: DayResult, curve: Iterable[str]
    ) -> None:
        """Add the result of a daily, and write what follows from it. This is idempotent.

        It does nothing for a player who has been deleted.

        Args:
            player: whose it is.
            game: the game's id.
            day: the number of the day.
            result: how it ended.
            curve: the fields of the day's curves that the run counts in.

        Raises:
            UnavailableError: the store does not answer.
        """
        if await self.is_deleted(player):
            # The attempt was still running then.
            return
        await self._change_day(player, game, day, lambda h: h.with_day(game, day, result), curve)

    async def void_day(
        self, player: PlayerId, game: str, day: int, curve: Iterable[str], *, void: bool
    ) -> None:
        """Take the result of a daily back or let it stand, and write what follows from that.

        This is idempotent. A result that there is not is left so. Boards of a closed day show a
        result that stands again in the group that its player is in now.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._change_day(player, game, day, lambda h: h.with_void(game, day, void), curve)

    async def _change_day(
        self,
        player: PlayerId,
        game: str,
        day: int,
        decide: Callable[[Excerpt], Excerpt | None],
        curve: Iterable[str],
    ) -> None:
        days = days_needed(boards_of_day(game, day, "ranked"))
        after = await self._change(player, decide, days)
        boards = boards_of_day(game, day, after.group)
        await self._write(player, after, boards, {boards[0]: tuple(curve)})

    async def add_round(
        self, player: PlayerId, game: str, deal: DealId, result: RoundResult
    ) -> None:
        """Add the result of a round, or replace it, and write what follows from it.

        This is idempotent. It costs guests no more than the history: they are on no leaderboard of
        races. It does nothing for a player who has been deleted.

        Raises:
            UnavailableError: the store does not answer.
        """
        if await self.is_deleted(player):
            return
        added = await self._change(
            player, lambda h: h.with_round(game, deal, result), rounds=[(game, deal)]
        )
        if added.group == "ranked":
            await self._write(player, added, boards_of_round(game))

    async def keep(self, player: PlayerId, at: int) -> None:
        """Note that a player has kept an identity, and move the scores of open leaderboards.

        This is idempotent. Leaderboards of days that were closed at that time stay as they are.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._change(player, lambda h: h if h.kept is not None else replace(h, kept=at))
        await self.refresh(player, at)

    async def is_deleted(self, player: PlayerId) -> bool:
        """Return whether a player has been deleted, for whom no history begins anew.

        Raises:
            UnavailableError: the store does not answer.
        """
        return await self._store.accounts.is_deleted(player)

    async def delete(self, player: PlayerId) -> None:
        """Delete a player's history; the scores on leaderboards stay.

        Raises:
            UnavailableError: the store does not answer.
        """
        await self._store.histories.delete(player)

    async def refresh(self, player: PlayerId, at: int | None = None) -> None:
        """Write the player's scores on all leaderboards that can still change.

        A daily's result that is not entered yet is left to its effect, which counts the run in the
        day's curves, too.

        Args:
            player: the player.
            at: the time for which that is said, in Unix milliseconds; now if `None`.

        Raises:
            UnavailableError: the store does not answer.
        """
        at = self._store.clock.now() if at is None else at
        days = days_needed(open_boards(games(), at, "ranked"))
        (found,) = await self.excerpts([player], days)
        boards = open_boards(games(), at, found.group)
        runs = [board for board in boards if board.scope == "day" and board.is_of_results]
        entered = await asyncio.gather(*(self._is_entered(player, board) for board in runs))
        left = {board for board, is_entered in zip(runs, entered, strict=True) if not is_entered}
        await self._write(player, found, [board for board in boards if board not in left])

    async def _is_entered(self, player: PlayerId, board: BoardId) -> bool:
        """Return whether a player is on a leaderboard, in either group."""
        groups = [board._replace(group=group) for group in get_args(Group)]
        rows = [await self._store.leaderboards.around(each, [player], 0) for each in groups]
        return any(found for (found,) in rows)

    async def _write(
        self,
        player: PlayerId,
        found: Excerpt,
        boards: Iterable[BoardId],
        curves: dict[BoardId, tuple[str, ...]] | None = None,
    ) -> None:
        """Write a player's scores on some leaderboards, as the history has them in the end.

        Args:
            player: whose they are.
            found: the history as last read, with what the leaderboards compare.
            boards: of the group that the history has; if that changes meanwhile, of the new one.
            curves: the fields of a day's curves that a run counts in, by leaderboard.

        Raises:
            UnavailableError: the store does not answer.
        """
        curves = curves or {}
        wanted = [(board, curves.get(board, ())) for board in boards]
        while True:
            group: Group = found.group
            await finish_all(
                self._leaderboards.place(own, player, found.score(own), curve)
                for board, curve in wanted
                for own in [board._replace(group=group)]
            )
            if await self._store.histories.version(player) == found.version:
                return
            (found,) = await self.excerpts([player], days_needed(board for board, _ in wanted))
