"""Excerpts of histories: the parts that a new or voided result changes, and derived values.

A history grows with every day played. Adding or voiding a result therefore reads an excerpt: the
days of the affected weeks, the affected round, and each game's stored totals. A player's page is
built likewise.

Totals are sums, from which results can be subtracted, except for the best results. The whole
history is read when one of these is voided, when there are too many rounds, or when a game's sums
of dailies are not stored yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from server.base.core.ids import DealId
from server.results.core.boards import ALL_GAMES
from server.results.core.contests import Lately, Meeting
from server.results.core.history import (
    MAX_ROUNDS,
    Bests,
    ChallengeResult,
    Change,
    DayResult,
    History,
    Rating,
    RoundResult,
    Scores,
    Sums,
    Withheld,
    better,
    with_record,
)
from server.results.core.played_days import DayBests, PlayedDays
from server.results.core.race_results import Race

# The excess of rounds over `MAX_ROUNDS` that is moved to the sums in one batch.
MORE_ROUNDS: Final = 100


class Totals(Struct, array_like=True, frozen=True):
    """The totals of a game's valid, ranked results, as stored."""

    won: int = 0
    races: int = 0
    # The number of rounds that changed the rating; `shift` and `factor` as in `Change`.
    rated: int = 0
    shift: int = 0
    factor: int = 0
    bests: Bests = {}  # the best packed results, by variant
    held: int = 0  # the number of individually stored rounds, including void and unranked ones

    @property
    def change(self) -> Change:
        """The rounds' total change of the rating."""
        return Change(self.rated, self.shift, self.factor)

    def with_day(self, result: DayResult) -> Totals:
        """Return the totals plus the result of a daily."""
        won = self.won + result.ranked_wins
        return replace(self, won=won, bests=with_record(self.bests, result))

    def with_round(self, result: RoundResult) -> Totals:
        """Return the totals plus the result of a round."""
        bests = with_record(self.bests, result)
        change = self.change.plus(result.change)
        return Totals(self.won, self.races + result.ranked_wins, *change, bests, self.held + 1)

    def with_sums(self, sums: Sums) -> Totals:
        """Return the totals plus the sums of earlier rounds."""
        change = self.change.plus(sums.change)
        bests = better(self.bests, sums.bests)
        return Totals(self.won, self.races + sums.ranked_wins, *change, bests, self.held)

    def without_day(self, result: DayResult) -> Totals:
        """Return the totals minus the result of a daily, which must not be a best one."""
        return replace(self, won=self.won - result.ranked_wins)

    def without_round(self, result: RoundResult) -> Totals:
        """Return the totals minus the result of a round, which must not be a best one."""
        races = self.races - result.ranked_wins
        change = self.change.minus(result.change)
        return Totals(self.won, races, *change, self.bests, self.held - 1)


class Excerpt(Scores, frozen=True):
    """The part of a history that concerns a result or some leaderboards."""

    totals: Mapping[str, Totals] = {}  # the totals of all valid results, by game
    # For each game, the race being decided on, based on the current rating and recent opponents. No
    # other race can be recorded before it.
    claims: Mapping[str, Race] = {}
    lately: Mapping[str, Lately] = {}  # recent races and opponents, by game
    played: Mapping[str, PlayedDays] = {}  # the sums of all dailies, by game
    # The deals of individually stored rounds, by game, sorted by id.
    held: Mapping[str, tuple[DealId, ...]] = {}
    # The whole history, if it was read. The excerpt then contains all stored rounds of its games.
    whole: History | None = None
    # Likewise the second-best results of dailies alone, by game.
    next_days: Mapping[str, DayBests] = {}

    def lacks_sums(self, games: Iterable[str]) -> bool:
        """Return whether the sums of dailies are missing for any of these games."""
        return any(game in self.totals and game not in self.played for game in games)

    def bests(self, game: str) -> Bests:
        """Return the best packed results of a game, by variant."""
        return self._of(game).bests

    def dailies_won(self, game: str) -> int:
        """Return the number of dailies won at a game, or at all games."""
        return sum(each.won for of, each in self.totals.items() if game in (of, ALL_GAMES))

    def races_won(self, game: str) -> int:
        """Return the number of rounds won at a game, or at all games."""
        return sum(each.races for of, each in self.totals.items() if game in (of, ALL_GAMES))

    def change(self, game: str) -> Change:
        """Return the total change of the rating by a game's races."""
        return self._of(game).change

    def rating_without(self, game: str, deal: DealId) -> Rating:
        """Return the rating without one race, which the excerpt contains if it is recorded."""
        found = self.rounds.get((game, deal))
        change = self.change(game)
        return (change if found is None else change.minus(found.change)).rating

    def met_before(self, race: Race) -> list[Meeting]:
        """Return the player's races before a race, within the window that affects its weight."""
        return self.lately.get(race.game, Lately()).before(race.deal, race.at)

    def _of(self, game: str) -> Totals:
        return self.totals.get(game, Totals())

    def _days_of(self, game: str) -> PlayedDays:
        return self.played.get(game, PlayedDays())

    def with_day(self, game: str, day: int, result: DayResult) -> Excerpt | None:
        """Return the excerpt with the result of a daily, unless it already has one."""
        if (game, day) in self.days:
            return self
        return self._with_day(game, day, result, self._of(game), self._days_of(game))

    def with_void(self, game: str, day: int, void: bool) -> Excerpt | None:
        """Return the excerpt with the result of a daily voided or restored, if it exists.

        Return `None` if the whole history is needed.
        """
        found = self.days.get((game, day))
        if found is None or found.void == void:
            return self
        totals, played = self._of(game).without_day(found), self._days_of(game)
        is_best = _is_best(found, totals.bests)
        # An excerpt does not contain the second-best result.
        if void and (is_best or played.is_best(day, found)) and self.whole is None:
            return None
        if void and is_best and self.whole is not None:
            totals = replace(totals, bests=self.whole.bests(game, [day]))
        if void:
            played = played.without_day(day, found, self.next_days.get(game, {}))
        return self._with_day(game, day, replace(found, void=void), totals, played)

    def _with_day(
        self, game: str, day: int, result: DayResult, totals: Totals, played: PlayedDays
    ) -> Excerpt | None:
        withheld = self._withheld_after(game, day, self.days.get((game, day)), result)
        if withheld is None:
            return None
        return replace(
            self,
            days={**self.days, (game, day): result},
            totals={**self.totals, game: totals.with_day(result)},
            played={**self.played, game: played.with_day(day, result)},
            withheld=withheld,
        )

    def withholding(self, game: str, deal: DealId, *, withheld: bool) -> Excerpt | None:
        """Return the excerpt with a race left out of public totals, or included again.

        Return `None` if the whole history is needed, as in `with_void`.
        """
        if withheld == self.is_withheld(game, deal):
            return self
        held = self.withheld.get(game, Withheld({}, self.bests(game)))
        if withheld:
            found, results = self.rounds.get((game, deal)), dict(held.results)
            results[deal] = found
            bests = held.bests
            if found is not None and _is_best(found, bests):
                if self.whole is None:
                    return None
                bests = self.whole.bests(game, results)
        else:
            results = {of: result for of, result in held.results.items() if of != deal}
            found = held.results[deal]
            bests = held.bests if found is None else with_record(held.bests, found)
        others = {of: each for of, each in self.withheld.items() if of != game}
        after = {**others, game: Withheld(results, bests)} if results else others
        return replace(self, withheld=after)

    def _withheld_after(
        self,
        game: str,
        key: int | DealId,
        before: DayResult | RoundResult | None,
        after: DayResult | RoundResult,
    ) -> Mapping[str, Withheld] | None:
        """Return `withheld` after a change of one result, given its day or deal.

        Return `None` if the whole history is needed, as in `with_void`.
        """
        held = self.withheld.get(game)
        if held is None:
            return self.withheld
        is_gone = before is not None and before.record != after.record
        if isinstance(after, RoundResult) and key in held.results:
            held = replace(held, results={**held.results, DealId(str(key)): after})
        elif before is None or not is_gone or not _is_best(before, held.bests):
            held = replace(held, bests=with_record(held.bests, after))
        elif self.whole is None:
            return None
        else:
            others = self.whole.bests(game, {*held.results, key})
            held = replace(held, bests=with_record(others, after))
        return {**self.withheld, game: held}

    def with_challenge(self, game: str, deal: DealId, result: ChallengeResult) -> Excerpt:
        """Return the excerpt with the result of a challenge added or replaced."""
        key = (game, deal)
        if self.challenges.get(key) == result:
            return self
        return replace(self, challenges={**self.challenges, key: result})

    def has_round(self, game: str, deal: DealId, at: int) -> bool:
        """Return whether the result of a round that ended at a time has been recorded."""
        # A round no later than the latest one in the sums has been moved there.
        return (game, deal) in self.rounds or at <= self.sums.get(game, Sums()).until

    def with_claim(self, race: Race) -> Excerpt:
        """Return the excerpt with a claim for a race, unless claimed or already recorded."""
        if race.game in self.claims or self.has_round(race.game, race.deal, race.at):
            return self
        return replace(self, claims={**self.claims, race.game: race})

    def with_round(
        self, game: str, deal: DealId, result: RoundResult, meeting: Meeting | None = None
    ) -> Excerpt | None:
        """Return the excerpt with the result of a round added or replaced.

        This removes the race's claim, and adds its opponents if `meeting` is given. A round already
        moved to the sums changes nothing. Return `None` if the whole history is needed, as in
        `with_void`.
        """
        after = self._with_result(game, deal, result)
        if after is None:
            return None
        claim = after.claims.get(game)
        if claim is not None and claim.deal == deal:
            after = replace(after, claims={of: r for of, r in after.claims.items() if of != game})
        if meeting is not None and not self.has_round(game, deal, result.at):
            lately = after.lately.get(game, Lately()).plus(meeting)
            after = replace(after, lately={**after.lately, game: lately})
        return after

    def _with_result(self, game: str, deal: DealId, result: RoundResult) -> Excerpt | None:
        key, totals = (game, deal), self._of(game)
        found = self.rounds.get(key)
        if found == result or (found is None and self.has_round(game, deal, result.at)):
            return self
        if found is not None:
            totals = totals.without_round(found)
            if found.record != result.record and _is_best(found, totals.bests):
                if self.whole is None:
                    return None
                totals = replace(totals, bests=self.whole.bests(game, [deal]))
        rounds, sums = {**self.rounds, key: result}, self.sums
        totals = totals.with_round(result)
        # Moving rounds in batches makes reads of the whole history rare.
        if totals.held >= MAX_ROUNDS + MORE_ROUNDS:
            if self.whole is None:
                return None
            sums = {**sums, game: _taken(game, rounds, sums.get(game, Sums()))}
            totals = replace(totals, held=MAX_ROUNDS)
        deals = {*self.held.get(game, ()), deal}
        if sums is not self.sums:
            deals = {each for of, each in rounds if of == game}
        withheld = self._withheld_after(game, deal, found, result)
        if withheld is None:
            return None
        return replace(
            self,
            rounds=rounds,
            sums=sums,
            totals={**self.totals, game: totals},
            played={game: PlayedDays(), **self.played},
            held={**self.held, game: tuple(sorted(deals))},
            withheld=withheld,
        )


def _taken(game: str, rounds: dict[tuple[str, DealId], RoundResult], sums: Sums) -> Sums:
    """Remove a game's oldest rounds, and return the sums including them."""
    oldest = sorted((r.at, key) for key, r in rounds.items() if key[0] == game)
    for _, key in oldest[:-MAX_ROUNDS]:
        sums = _added(sums, rounds.pop(key))
    return sums


def _added(sums: Sums, result: RoundResult) -> Sums:
    if result.void:
        return replace(sums, until=result.at)
    rating = sums.change.plus(result.change).rating
    return Sums(
        sums.played + 1,
        sums.won + result.won,
        rating.rated,
        rating.mean,
        rating.uncertainty,
        with_record(sums.bests, result),
        result.at,
        sums.ranked_wins + result.ranked_wins,
    )


def _is_best(result: DayResult | RoundResult, bests: Bests) -> bool:
    """Return whether a result is the best of its variant."""
    return result.record is not None and result.record == bests.get(result.variant)
