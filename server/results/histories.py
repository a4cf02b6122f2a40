"""Players' histories, and the leaderboards that follow from them.

A history is changed first, and what follows from it is written then: the scores of its player on
the leaderboards that it concerns. Whoever writes these checks afterwards that the history is still
the one that they were computed from, and else computes them again. So whatever nodes do it at the
same time, and whichever of them die, the last one to finish writes what the history says; and an
effect stays in its outbox until one has finished.

What it costs: a read of an excerpt of the history (`server/results/core/excerpt.py`), a change, a
script for each leaderboard (7 for a daily), and a read of the version, however long the history is.
So does a player's page: all of a history is read only for its player, for operators, and to take a
daily back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from msgspec.structs import replace

from server.base.core.ids import DealId, PlayerId
from server.base.work.tasks import finish_all
from server.players.store import PlayerStore
from server.results.core.boards import BoardId, boards_of_day, boards_of_round, days_needed
from server.results.core.contests import Meeting
from server.results.core.excerpt import Excerpt
from server.results.core.history import ChallengeResult, DayResult, History, RoundResult
from server.results.core.history_fields import changes
from server.results.core.race_results import Race
from server.results.daily_sets import DailySets
from server.results.histories_store import HistoryStore
from server.results.leaderboards import Leaderboards


class Histories:
    """Reads and changes players' histories.

    Args:
        store: of the histories.
        players: know who has been deleted.
        leaderboards: those that follow from the histories.
        keep_for_good: lets the credentials of a player live for good who has results.
        sets: the games that were dailies: no others have results of days.
    """

    def __init__(
        self,
        store: HistoryStore,
        players: PlayerStore,
        leaderboards: Leaderboards,
        keep_for_good: Callable[[PlayerId], Awaitable[None]],
        sets: DailySets,
    ) -> None:
        self._store = store
        self._players = players
        self._leaderboards = leaderboards
        self._keep_for_good = keep_for_good
        self._sets = sets

    async def load(self, player: PlayerId) -> History:
        """Return all of a player's history, read in slices; an empty one if there is none."""
        return (await self._store.read(player)).history

    async def size(self, player: PlayerId) -> int:
        """Return how many fields a player's history has, one for each result about."""
        (found,) = await self._store.sizes([player])
        return found

    async def page(self, player: PlayerId, days: int) -> Excerpt:
        """Return what a player's page says, with the latest results of each game's dailies."""
        return await self._store.page(player, days)

    async def excerpts(
        self,
        players: Sequence[PlayerId],
        days: Collection[int],
        rounds: Collection[tuple[str, DealId]] = (),
    ) -> list[Excerpt]:
        """Return an excerpt of each player's history, with some days of all games, and some rounds.

        It takes one round trip.
        """
        dailies = await self._sets.ever() if days else ()
        return await self._store.excerpts(players, days, rounds, dailies=dailies)

    async def has_results(self, player: PlayerId) -> bool:
        """Return whether a player has played anything that is kept."""
        (found,) = await self._store.excerpts([player], ())
        return bool(found.totals)

    async def _change(
        self,
        player: PlayerId,
        decide: Callable[[Excerpt], Excerpt | None],
        days: Collection[int] = (),
        rounds: Collection[tuple[str, DealId]] = (),
        of: str | None = None,
        *,
        challenges: Collection[tuple[str, DealId]] = (),
    ) -> Excerpt:
        """Change a player's history, and return an excerpt of it.

        Args:
            player: its owner.
            decide: returns it after the change, the same one if nothing changes; `None` if that
                takes the whole history. It is called again then, and if somebody else has changed
                the history meanwhile.
            days: those that the excerpt has.
            rounds: those that it has.
            of: the game of which a result of these is added or changed, if one is.
            challenges: those that it has.

        Raises:
            UnavailableError: the store does not answer; it may have been changed.
        """
        dailies = await self._sets.ever() if days else []
        if of is not None and of not in dailies:
            dailies.append(of)
        while True:
            (before,) = await self._store.excerpts(
                [player], days, rounds, of, challenges, dailies=dailies
            )
            is_old = of is not None and before.has_no_days([of])
            after = None if is_old else decide(before)
            if after is None:
                whole = await self._store.read(player)
                before = whole.excerpt(whole.stored, days, rounds)
                after = decide(replace(before, **whole.computed._asdict()))
                assert after is not None, "there is no more to read"
            fields = changes(before, after)
            if not fields:
                return after
            is_new = before.kept is None or not before.totals
            if is_new and after.kept is not None and (after.totals or after.challenges):
                # From now on there is something to come back for. First, since it may end here.
                await self._keep_for_good(player)
            if await self._store.change(player, before.version, fields):
                return replace(after, version=before.version + 1)

    async def add_day(
        self, player: PlayerId, game: str, day: int, result: DayResult, curve: Iterable[str]
    ) -> None:
        """Add the result of a daily, and write what follows from it. This is idempotent.

        It does nothing for a player who has been deleted.

        Args:
            player: its owner.
            game: the game's id.
            day: the number of the day.
            result: how it ended.
            curve: the fields of the day's curves that the run counts in.
        """
        if await self.is_deleted(player):
            # The attempt was still running then.
            return
        await self._change_day(player, game, day, lambda h: h.with_day(game, day, result), curve)

    async def void_day(
        self, player: PlayerId, game: str, day: int, curve: Iterable[str], *, void: bool
    ) -> None:
        """Take the result of a daily back or let it stand, and write what follows from that.

        This is idempotent. A result that there is not is left so.
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
        boards = boards_of_day(game, day, "ranked")
        after = await self._change(player, decide, days_needed(boards), of=game)
        result = after.days.get((game, day))
        if result is None or not result.ranked:
            boards = boards_of_day(game, day, "guests")
        await self._write(player, after, boards, {boards[0]: tuple(curve)})

    async def add_round(
        self,
        player: PlayerId,
        game: str,
        deal: DealId,
        result: RoundResult,
        meeting: Meeting | None = None,
    ) -> None:
        """Add the result of a round, or replace it, and write what follows from it.

        This is idempotent. It costs guests no more than the history: they are on no leaderboard of
        races. It does nothing for a player who has been deleted.

        Args:
            player: its owner.
            game: the game's id.
            deal: the round's deal.
            result: how it ended.
            meeting: whom the player has met in it, if that is to be remembered.
        """
        if await self.is_deleted(player):
            return
        added = await self._change(
            player,
            lambda h: h.with_round(game, deal, result, meeting),
            rounds=[(game, deal)],
            of=game,
        )
        if result.ranked:
            await self._write(player, added, boards_of_round(game))

    async def add_challenge(
        self, player: PlayerId, game: str, deal: DealId, result: ChallengeResult
    ) -> None:
        """Add the result of a challenge, or replace it. This is idempotent.

        Nothing follows from it. It does nothing for a player who has been deleted.

        Args:
            player: its owner.
            game: the game's id.
            deal: the challenge's deal.
            result: how it ended.
        """
        if not await self.is_deleted(player):
            await self._change(
                player,
                lambda h: h.with_challenge(game, deal, result),
                challenges=[(game, deal)],
            )

    async def claim(self, player: PlayerId, race: Race) -> Race | None:
        """Claim a history for a race that is to be entered next. This is idempotent.

        Returns:
            The other race that has claimed it, and is to be entered before; `None` if this one has
            claimed it, or has been entered.

        Raises:
            UnavailableError: the store does not answer; it may have been claimed.
        """
        of = [(race.game, race.deal)]
        found = await self._change(player, lambda h: h.with_claim(race), rounds=of)
        claim = found.claims.get(race.game)
        is_free = claim is None or claim.deal == race.deal
        return None if is_free or found.has_round(*of[0], race.at) else claim

    async def keep(self, player: PlayerId, at: int) -> None:
        """Note that a player has kept an identity, with which what begins from now on is ranked.

        This is idempotent.

        Args:
            player: the player.
            at: since when, in Unix milliseconds.
        """
        await self._change(player, lambda h: h if h.kept is not None else replace(h, kept=at))

    async def is_deleted(self, player: PlayerId) -> bool:
        """Return whether a player has been deleted, for whom no history begins anew."""
        return await self._players.is_deleted(player)

    async def delete(self, player: PlayerId) -> None:
        """Delete a player's history; the scores on leaderboards stay."""
        await self._store.delete(player)

    async def _write(
        self,
        player: PlayerId,
        found: Excerpt,
        boards: Iterable[BoardId],
        curves: dict[BoardId, tuple[str, ...]] | None = None,
    ) -> None:
        """Write a player's scores on some leaderboards, as the history has them in the end.

        Args:
            player: their owner.
            found: the history as last read, with what the leaderboards compare.
            boards: of any group; they are those of the group that the player is in on each.
            curves: the fields of a day's curves that a run counts in, by leaderboard.
        """
        curves = curves or {}
        wanted = [(board, curves.get(board, ())) for board in boards]
        while True:
            await finish_all(
                self._leaderboards.place(own, player, found.score(own), curve)
                for board, curve in wanted
                for own in [board._replace(group=found.group_on(board))]
            )
            if await self._store.version(player) == found.version:
                return
            (found,) = await self.excerpts([player], days_needed(board for board, _ in wanted))
