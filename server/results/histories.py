"""The histories service: changes histories, and updates the leaderboards derived from them.

A change is written to the history first. The player's scores on the affected leaderboards are
written next. The writer then checks that the history still has the version from which the scores
were computed, and repeats the computation otherwise. Whichever nodes write concurrently or die, the
last writer leaves scores that match the history. An effect stays in the outbox until one writer has
finished.

A change costs a read of an excerpt (`server/results/core/excerpt.py`), a write, and a script per
leaderboard (7 for a daily) with a read of the version, independent of the history's length. A
player's page is likewise independent of it. The whole history is read only for its player, for
operators, and for voiding a daily.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from msgspec.structs import replace

from server.base.core.ids import DealId, PlayerId
from server.players.store import PlayerStore
from server.results.core.boards import BoardId, Group, boards_of_day, boards_of_round, days_needed
from server.results.core.contests import Meeting
from server.results.core.excerpt import Excerpt
from server.results.core.history import ChallengeResult, DayResult, History, RoundResult
from server.results.core.history_fields import changes
from server.results.core.race_results import Race
from server.results.daily_sets import DailySets
from server.results.histories_store import HistoryStore
from server.results.leaderboards import Leaderboards
from server.results.leaderboards_store import Placement


class Histories:
    """Reads and changes players' histories.

    Args:
        store: the store of the histories.
        players: the source of deleted players.
        leaderboards: the leaderboards derived from the histories.
        keep_for_good: removes the expiry of a player's credentials once they have results.
        sets: the daily sets; only their games have results of days.
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
        """Return a player's whole history, read in slices; empty if there is none."""
        return (await self._store.read(player)).history

    async def size(self, player: PlayerId) -> int:
        """Return the number of fields in a player's history, about one per result."""
        (found,) = await self._store.sizes([player])
        return found

    async def page(self, player: PlayerId, days: int) -> Excerpt:
        """Return the excerpt for a player's page, with each game's latest dailies."""
        return await self._store.page(player, days)

    async def excerpts(
        self,
        players: Sequence[PlayerId],
        days: Collection[int],
        rounds: Collection[tuple[str, DealId]] = (),
    ) -> list[Excerpt]:
        """Return each player's excerpt, with some days of all games and some rounds.

        It takes one round trip.
        """
        dailies = await self._sets.ever() if days else ()
        return await self._store.excerpts(players, days, rounds, dailies=dailies)

    async def has_results(self, player: PlayerId) -> bool:
        """Return whether a player has any stored results."""
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
        """Change a player's history, and return the resulting excerpt.

        Args:
            player: the history's owner.
            decide: returns the changed excerpt, the same one for no change, or `None` if it needs
                the whole history. It is called again with the whole history, and after a concurrent
                change.
            days: the days to include in the excerpt.
            rounds: the rounds to include.
            of: the game of a result to add or change, or `None`.
            challenges: the challenges to include.

        Raises:
            UnavailableError: if the store does not answer; the change may or may not be stored.
        """
        dailies = await self._sets.ever() if days else []
        if of is not None and of not in dailies:
            dailies.append(of)
        while True:
            (before,) = await self._store.excerpts(
                [player], days, rounds, of, challenges, dailies=dailies
            )
            is_old = of is not None and before.lacks_sums([of])
            # A history stored without sums must be read in full to add them.
            after = None if is_old else decide(before)
            if after is None:
                whole = await self._store.read(player)
                before = whole.excerpt(whole.stored, days, rounds)
                after = decide(replace(before, **whole.computed._asdict()))
                assert after is not None, "the whole history has been read"
            fields = changes(before, after)
            # The change has already been applied.
            if not fields:
                return after
            is_new = before.kept is None or not before.totals
            if is_new and after.kept is not None and (after.totals or after.challenges):
                # Write this first: if the node dies here, the retry of the change repeats it.
                await self._keep_for_good(player)
            if await self._store.change(player, before.version, fields):
                return replace(after, version=before.version + 1)

    async def add_day(
        self, player: PlayerId, game: str, day: int, result: DayResult, curve: Iterable[str]
    ) -> None:
        """Add the result of a daily, and update the leaderboards. This is idempotent.

        A deleted player's result is ignored.

        Args:
            player: the history's owner.
            game: the game's id.
            day: the number of the day.
            result: the result.
            curve: the fields of the day's curves that the run increments.
        """
        if await self.is_deleted(player):
            # The player was deleted while the attempt was running.
            return
        await self._change_day(player, game, day, lambda h: h.with_day(game, day, result), curve)

    async def void_day(
        self, player: PlayerId, game: str, day: int, curve: Iterable[str], *, void: bool
    ) -> None:
        """Void or restore the result of a daily, and update the leaderboards.

        This is idempotent. It does nothing if there is no result.
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
        needed = days_needed(boards_of_day(game, day, "ranked", None))
        after = await self._change(player, decide, needed, of=game)
        result = after.days.get((game, day))
        group: Group = "ranked" if result is not None and result.ranked else "guests"
        boards = boards_of_day(game, day, group, None if result is None else result.variant)
        await self._write(player, after, boards, {boards[0]: tuple(curve)})

    async def add_round(
        self,
        player: PlayerId,
        game: str,
        deal: DealId,
        result: RoundResult,
        meeting: Meeting | None = None,
    ) -> None:
        """Add or replace the result of a round, and update the leaderboards.

        This is idempotent. A deleted player's result is ignored. For guests only the history
        changes, because they are not on leaderboards of races.

        Args:
            player: the history's owner.
            game: the game's id.
            deal: the round's deal.
            result: the result.
            meeting: the race as recorded for later weights, or `None`.
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
            await self._write(player, added, boards_of_round(game, result.variant))

    async def withhold(self, player: PlayerId, game: str, deal: DealId, *, withheld: bool) -> None:
        """Leave a race out of a player's public totals, or include it again. This is idempotent.

        Whether the race is already recorded does not matter. A deleted player is ignored.
        """
        if await self.is_deleted(player):
            return
        found = await self._change(
            player,
            lambda h: h.withholding(game, deal, withheld=withheld),
            rounds=[(game, deal)],
        )
        if found.kept is not None:
            # A race that is not recorded yet changes no best run.
            race = found.rounds.get((game, deal))
            boards = boards_of_round(game, None if race is None else race.variant)
            await self._write(player, found, boards)

    async def add_challenge(
        self, player: PlayerId, game: str, deal: DealId, result: ChallengeResult
    ) -> None:
        """Add or replace the result of a challenge. This is idempotent.

        No leaderboard depends on it. A deleted player's result is ignored.

        Args:
            player: the history's owner.
            game: the game's id.
            deal: the challenge's deal.
            result: the result.
        """
        if not await self.is_deleted(player):
            await self._change(
                player,
                lambda h: h.with_challenge(game, deal, result),
                challenges=[(game, deal)],
            )

    async def claim(self, player: PlayerId, race: Race) -> Race | None:
        """Claim a history for the next race to record. This is idempotent.

        Returns:
            Another race that holds the claim and must be recorded first; `None` if this race holds
            the claim or is already recorded.

        Raises:
            UnavailableError: if the store does not answer; the claim may or may not be stored.
        """
        of = [(race.game, race.deal)]
        found = await self._change(player, lambda h: h.with_claim(race), rounds=of)
        claim = found.claims.get(race.game)
        is_free = claim is None or claim.deal == race.deal
        return None if is_free or found.has_round(*of[0], race.at) else claim

    async def keep(self, player: PlayerId, at: int) -> None:
        """Record that a player kept an identity, so that runs started from now on are ranked.

        This is idempotent.

        `at` is the time in Unix milliseconds.
        """
        await self._change(player, lambda h: h if h.kept is not None else replace(h, kept=at))

    async def is_deleted(self, player: PlayerId) -> bool:
        """Return whether a player was deleted. A deleted player gets no new history."""
        return await self._players.is_deleted(player)

    async def delete(self, player: PlayerId) -> None:
        """Delete a player's history. The scores on leaderboards stay."""
        await self._store.delete(player)

    async def _write(
        self,
        player: PlayerId,
        found: Excerpt,
        boards: Iterable[BoardId],
        curves: dict[BoardId, tuple[str, ...]] | None = None,
    ) -> None:
        """Write a player's scores on some leaderboards, repeating until they match the history.

        Args:
            player: the player.
            found: the excerpt that covers these leaderboards.
            boards: leaderboards of either group; the player's own group on each is used.
            curves: the fields of a day's curves that a run increments, by leaderboard.
        """
        curves = curves or {}
        wanted = [(board, curves.get(board, ())) for board in boards]
        while True:
            placements = [
                Placement(own, found.score(own), curve)
                for board, curve in wanted
                for own in [board._replace(group=found.group_on(board))]
            ]
            if await self._leaderboards.place(player, placements) == found.version:
                return
            (found,) = await self.excerpts([player], days_needed(board for board, _ in wanted))
