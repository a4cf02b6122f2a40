"""An excerpt of a player's history: what a result of it changes, and what follows from that. Pure.

A history grows with every day that its player plays. So whoever adds a result, or takes one back,
reads the days of the weeks that it concerns, the round that it is about, and for each game the
totals of all results that stand, to which the result is added or from which it is taken. It costs
the same however long somebody has played. So does a player's page, which says of all days what
`PlayedDays` do, and shows the rounds whose deals are listed.

Totals are sums, from which anything can be taken, but for the best result. When that is taken
back, when there are too many rounds, and when it is not stored yet what a game's dailies add up to,
all of a history is read.
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
    ChallengeResult,
    Change,
    DayResult,
    Rating,
    RoundResult,
    Scores,
    Sums,
)
from server.results.core.played_days import Best, PlayedDays
from server.results.core.race_results import Race

MORE_ROUNDS: Final = 100
"""Rounds beyond `MAX_ROUNDS` from which on those are added to the sums, all at once."""


class Totals(Struct, array_like=True, frozen=True):
    """The totals of all results of a game that stand and are ranked, as stored.

    Attributes:
        won: dailies won.
        races: rounds won.
        rated: rounds that have changed the rating; with `shift` and `factor` as in `Change`.
        best: the best packed result, or `None`.
        held: rounds that are held one by one, whether they stand and are ranked or not.
    """

    won: int = 0
    races: int = 0
    rated: int = 0
    shift: int = 0
    factor: int = 0
    best: int | None = None
    held: int = 0

    @property
    def change(self) -> Change:
        """The change of the rating by the rounds."""
        return Change(self.rated, self.shift, self.factor)

    def with_day(self, result: DayResult) -> Totals:
        """Return them with the result of one more daily."""
        won = self.won + result.ranked_wins
        return replace(self, won=won, best=better(self.best, result.record))

    def with_round(self, result: RoundResult) -> Totals:
        """Return them with the result of one more round."""
        best = better(self.best, result.record)
        change = self.change.plus(result.change)
        return Totals(self.won, self.races + result.ranked_wins, *change, best, self.held + 1)

    def with_sums(self, sums: Sums) -> Totals:
        """Return them with the sums of earlier rounds."""
        change = self.change.plus(sums.change)
        best = better(self.best, sums.best)
        return Totals(self.won, self.races + sums.ranked_wins, *change, best, self.held)

    def without_day(self, result: DayResult) -> Totals:
        """Return them without the result of a daily, which is not the best."""
        return replace(self, won=self.won - result.ranked_wins)

    def without_round(self, result: RoundResult) -> Totals:
        """Return them without the result of a round, which is not the best."""
        races = self.races - result.ranked_wins
        change = self.change.minus(result.change)
        return Totals(self.won, races, *change, self.best, self.held - 1)


class Excerpt(Scores, frozen=True):
    """The part of a history that some leaderboards, or a result, are about.

    Attributes:
        totals: of all results that stand, by game.
        claims: the races, by game, that are being decided on by the rating and by whom the player
            has met: until it has one of them, the history takes no other.
        lately: whom the player has met, by game.
        played: what all results of dailies add up to, by game.
        held: the deals of the rounds that are held one by one, by game, in the order of their ids.
        next_best: what the best results would be without one of them, by game, if the whole history
            was read; then the excerpt has all rounds of its games that are held, too.
        next_days: so the best results of dailies alone, with their days.
    """

    totals: Mapping[str, Totals] = {}
    claims: Mapping[str, Race] = {}
    lately: Mapping[str, Lately] = {}
    played: Mapping[str, PlayedDays] = {}
    held: Mapping[str, tuple[DealId, ...]] = {}
    next_best: Mapping[str, int | None] | None = None
    next_days: Mapping[str, Best | None] = {}

    def has_no_days(self, games: Iterable[str]) -> bool:
        """Whether what the dailies of these games add up to has to be computed first."""
        return any(game in self.totals and game not in self.played for game in games)

    def best(self, game: str) -> int | None:
        """Return the best packed result of a game, or `None`."""
        return self._of(game).best

    def dailies_won(self, game: str) -> int:
        """Return how many dailies of a game, or of all, were won."""
        return sum(each.won for of, each in self.totals.items() if game in (of, ALL_GAMES))

    def races_won(self, game: str) -> int:
        """Return how many rounds of a game, or of all, were won."""
        return sum(each.races for of, each in self.totals.items() if game in (of, ALL_GAMES))

    def rating(self, game: str) -> Rating:
        """Return the rating by the races of a game."""
        return self._of(game).change.rating

    def rating_without(self, game: str, deal: DealId) -> Rating:
        """Return the rating by all races of a game but one, which the excerpt has if it counts."""
        found = self.rounds.get((game, deal))
        change = self._of(game).change
        return (change if found is None else change.minus(found.change)).rating

    def met_before(self, race: Race) -> list[Meeting]:
        """Return whom the player has met in races before one, as far as it counts."""
        return self.lately.get(race.game, Lately()).before(race.deal, race.at)

    def _of(self, game: str) -> Totals:
        return self.totals.get(game, Totals())

    def _days_of(self, game: str) -> PlayedDays:
        return self.played.get(game, PlayedDays())

    def with_day(self, game: str, day: int, result: DayResult) -> Excerpt:
        """Return it with the result of a daily, unless it has one."""
        if (game, day) in self.days:
            return self
        return self._with_day(game, day, result, self._of(game), self._days_of(game))

    def with_void(self, game: str, day: int, void: bool) -> Excerpt | None:
        """Return it with the result of a daily taken back or not, if it has one.

        `None` if that takes the whole history: an excerpt does not know which result is the best
        after this one.
        """
        found = self.days.get((game, day))
        if found is None or found.void == void:
            return self
        totals, played = self._of(game).without_day(found), self._days_of(game)
        is_best = found.record is not None and found.record == totals.best
        if void and (is_best or day == played.best_day) and self.next_best is None:
            return None
        if void and is_best and self.next_best is not None:
            totals = replace(totals, best=self.next_best.get(game))
        if void:
            played = played.without_day(day, found, self.next_days.get(game))
        return self._with_day(game, day, replace(found, void=void), totals, played)

    def _with_day(
        self, game: str, day: int, result: DayResult, totals: Totals, played: PlayedDays
    ) -> Excerpt:
        return replace(
            self,
            days={**self.days, (game, day): result},
            totals={**self.totals, game: totals.with_day(result)},
            played={**self.played, game: played.with_day(day, result)},
        )

    def with_challenge(self, game: str, deal: DealId, result: ChallengeResult) -> Excerpt:
        """Return it with the result of a challenge, in place of the one that it has."""
        key = (game, deal)
        if self.challenges.get(key) == result:
            return self
        return replace(self, challenges={**self.challenges, key: result})

    def has_round(self, game: str, deal: DealId, at: int) -> bool:
        """Return whether it has had the result of a round that was over at a time.

        A round that is no later than those of the sums has gone there before.
        """
        return (game, deal) in self.rounds or at <= self.sums.get(game, Sums()).until

    def with_claim(self, race: Race) -> Excerpt:
        """Return it with a race that is to be entered next, unless it has it, or another one."""
        if race.game in self.claims or self.has_round(race.game, race.deal, race.at):
            return self
        return replace(self, claims={**self.claims, race.game: race})

    def with_round(
        self, game: str, deal: DealId, result: RoundResult, meeting: Meeting | None = None
    ) -> Excerpt | None:
        """Return it with the result of a round, in place of the one that it has.

        With it goes the race's claim, and comes whom the player has met, if that is to be
        remembered. The oldest rounds of the game go into the sums when there are `MORE_ROUNDS` too
        many. A round that has gone there before changes nothing.

        `None` if that takes the whole history, as with `with_void`.
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
            gone = found.record
            if gone is not None and gone != result.record and gone == totals.best:
                if self.next_best is None:
                    return None
                totals = replace(totals, best=self.next_best.get(game))
        rounds, sums = {**self.rounds, key: result}, self.sums
        totals = totals.with_round(result)
        if totals.held >= MAX_ROUNDS + MORE_ROUNDS:
            if self.next_best is None:
                return None
            sums = {**sums, game: _taken(game, rounds, sums.get(game, Sums()))}
            totals = replace(totals, held=MAX_ROUNDS)
        deals = {*self.held.get(game, ()), deal}
        if sums is not self.sums:
            deals = {each for of, each in rounds if of == game}
        return replace(
            self,
            rounds=rounds,
            sums=sums,
            totals={**self.totals, game: totals},
            played={game: PlayedDays(), **self.played},
            held={**self.held, game: tuple(sorted(deals))},
        )


def _taken(game: str, rounds: dict[tuple[str, DealId], RoundResult], sums: Sums) -> Sums:
    """Take the oldest rounds of a game away, and return the sums with them."""
    oldest = sorted((r.at, key) for key, r in rounds.items() if key[0] == game)
    for _, key in oldest[:-MAX_ROUNDS]:
        sums = _added(sums, rounds.pop(key))
    return sums


def _added(sums: Sums, result: RoundResult) -> Sums:
    """Return the sums with one more round."""
    if result.void:
        return replace(sums, until=result.at)
    rating = sums.change.plus(result.change).rating
    return Sums(
        sums.played + 1,
        sums.won + result.won,
        rating.rated,
        rating.mean,
        rating.uncertainty,
        better(sums.best, result.record),
        result.at,
        sums.ranked_wins + result.ranked_wins,
    )


def better(one: int | None, other: int | None) -> int | None:
    """Return the better one of two packed results; `None` is no result."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
