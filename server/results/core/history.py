"""A player's history: results of dailies, races and challenges, and the scores derived from them.

Scores, streaks and ratings are computed from the history, so that voiding a result undoes all its
consequences.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from math import exp, log
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from engine.schema import STANDARD
from server.base.core.ids import ChallengeId, DealId
from server.play.core.result import End, Result, pack
from server.results.core import boards
from server.results.core.boards import ALL_GAMES, PERIODIC, BoardId, Group

WON_POINTS: Final = 50  # points for winning a daily, in addition to those for the cards
SPEED_POINTS: Final = 50  # additional points for an immediate win, minus one per minute

MINUTE: Final = 60_000

# The number of a game's latest rounds always stored individually. Older rounds are summed.
MAX_ROUNDS: Final = 200

RATING: Final = 25.0
# Mean (`RATING`) and standard deviation of the rating of a player without races.
UNCERTAINTY: Final = RATING / 3

_SHIFT_UNITS: Final = 10**9
_FACTOR_UNITS: Final = 10**12


Bests: TypeAlias = dict[str, int]
"""Packed results by variant. It is never changed in place."""


class DayResult(Struct, array_like=True, frozen=True):
    """The result of a daily, as stored."""

    home: int  # the number of cards on the foundations
    left: int  # the number of other cards
    time: int  # milliseconds from the start to the last card that reached a foundation
    moves: int
    end: End
    points: int  # its points in sums
    void: bool = False  # whether an operator voided it
    ranked: bool = False  # whether the player had a kept identity when it started
    variant: str = STANDARD

    @property
    def counts(self) -> bool:
        """Whether it counts as a day played: it is valid and brought a card home."""
        return self.points > 0 and not self.void

    @property
    def won(self) -> bool:
        """Whether it is a valid win."""
        return self.end == "won" and not self.void

    @property
    def ranked_wins(self) -> int:
        """Its contribution to the wins on leaderboards."""
        return int(self.won and self.ranked)

    @property
    def packed(self) -> int:
        """The result packed into one integer."""
        # Runs without a card home share the last rank, whatever their moves.
        return pack(self.left, self.time, self.moves if self.points else 0)

    @property
    def record(self) -> int | None:
        """The packed result if it is eligible as a ranked best result, or `None`."""
        return self.packed if self.counts and self.ranked else None


class RoundResult(Struct, array_like=True, frozen=True):
    """The result of a round with several players, as stored."""

    at: int  # when the round ended, in Unix milliseconds
    place: int  # the rank, from 1
    players: int
    won: bool
    home: int  # as in `DayResult`; likewise `left`, `time`, `moves` and `end`
    left: int
    time: int
    moves: int
    end: End
    help: bool = False  # whether help was allowed; such a run is not a record
    shift: float = 0.0  # the change of the rating's mean
    factor: float = 1.0  # the factor applied to the rating's uncertainty
    void: bool = False  # whether an operator voided it
    ranked: bool = False  # whether the player had a kept identity when it started
    # Whether it was a contest for the player. Otherwise it adds nothing to leaderboards
    # (`server.results.core.contests`).
    contest: bool = True
    variant: str = STANDARD

    @property
    def counts(self) -> bool:
        """Whether it adds to leaderboards."""
        return self.ranked and self.contest and not self.void

    @property
    def is_rated(self) -> bool:
        """Whether it changed the rating."""
        return self.factor != 1.0

    @property
    def packed(self) -> int:
        """The result packed into one integer."""
        return pack(self.left, self.time, self.moves)

    @property
    def record(self) -> int | None:
        """The packed result if it is eligible as a ranked best result, or `None`."""
        return self.packed if self.time and self.counts and not self.help else None

    @property
    def ranked_wins(self) -> int:
        """Its contribution to the wins on leaderboards."""
        return int(self.won and self.counts)

    @property
    def change(self) -> Change:
        """Its change of the rating; zero if it is void."""
        if self.void:
            return Change()
        # Logarithms turn factors into sums, which can be subtracted exactly.
        factor = round(log(self.factor) * _FACTOR_UNITS) if self.is_rated else 0
        return Change(int(self.is_rated), round(self.shift * _SHIFT_UNITS), factor)


class ChallengeResult(Struct, array_like=True, frozen=True):
    """The result of a challenge, as stored. It does not affect leaderboards or ratings."""

    at: int  # when the challenge closed, in Unix milliseconds
    challenge: ChallengeId
    place: int  # the rank, from 1; the last rank if it is void
    players: int
    home: int  # as in `DayResult`; likewise `left`, `time`, `moves` and `end`
    left: int
    time: int
    moves: int
    end: End
    help: bool = False
    circle: str | None = None  # the id of the challenge's circle, or `None`
    void: bool = False  # whether an operator voided it
    # Whether the challenge used custom rules. Its results are then not compared elsewhere.
    own_rules: bool = False


class Sums(Struct, array_like=True, frozen=True):
    """The sums of a game's rounds that are no longer stored individually."""

    played: int = 0
    won: int = 0
    rated: int = 0  # the number of rounds that changed the rating
    mean: float = RATING  # the mean of the rating after them
    uncertainty: float = UNCERTAINTY  # the standard deviation of the rating after them
    bests: Bests = {}  # the best ranked packed results without help, by variant
    until: int = -1  # when the latest of them ended, in Unix milliseconds
    ranked_wins: int = 0  # the number of wins on leaderboards

    @property
    def change(self) -> Change:
        """The rounds' total change of the rating."""
        shift = round((self.mean - RATING) * _SHIFT_UNITS)
        return Change(self.rated, shift, round(log(self.uncertainty / UNCERTAINTY) * _FACTOR_UNITS))


class Change(NamedTuple):
    """The change of a rating by rounds, in integers so that sums do not depend on the order."""

    rated: int = 0  # the number of rounds that changed it
    shift: int = 0  # the change of the mean, in units of 10^-9
    factor: int = 0  # the natural logarithm of the factor of the uncertainty, in units of 10^-12

    def plus(self, other: Change) -> Change:
        """Return the sum of both changes."""
        rated, shift, factor = other
        return Change(self.rated + rated, self.shift + shift, self.factor + factor)

    def minus(self, other: Change) -> Change:
        """Return this change minus another one that is part of it."""
        rated, shift, factor = other
        return Change(self.rated - rated, self.shift - shift, self.factor - factor)

    @property
    def rating(self) -> Rating:
        """The initial rating with this change applied."""
        uncertainty = UNCERTAINTY * exp(self.factor / _FACTOR_UNITS)
        return Rating(RATING + self.shift / _SHIFT_UNITS, uncertainty, self.rated)


class Rating(NamedTuple):
    """A rating from `rated` races: a normal distribution of skill."""

    mean: float
    uncertainty: float
    rated: int

    @property
    def value(self) -> int:
        """The displayed rating: the skill's lower bound (mean - 3 sigma) times 100, at least 0."""
        return max(0, round((self.mean - 3 * self.uncertainty) * 100))


class Withheld(Struct, array_like=True, frozen=True):
    """The races of a game that count in no public total yet, as stored.

    A challenge on the deal of each is open. Ratings of later races already build on them.
    """

    # The results by deal; `None` until the race is recorded.
    results: dict[DealId, RoundResult | None]
    bests: Bests = {}  # the best packed results of all other runs, by variant


class Scores(Struct, frozen=True):
    """The source of leaderboard scores: the base of histories and their excerpts.

    Scores are public, so they leave `withheld` races out. The other totals include them.
    """

    version: int = 0
    # When the player first kept an identity, in Unix milliseconds; `None` for a guest.
    kept: int | None = None
    days: dict[tuple[str, int], DayResult] = {}  # results of dailies, by game and day
    rounds: dict[tuple[str, DealId], RoundResult] = {}  # results of rounds, by game and deal
    sums: Mapping[str, Sums] = {}  # sums of earlier rounds, by game
    # Results of challenges, by game and deal.
    challenges: dict[tuple[str, DealId], ChallengeResult] = {}
    withheld: Mapping[str, Withheld] = {}  # by game

    def group_on(self, board: BoardId) -> Group:
        """Return the player's group on a leaderboard, ignoring the group in its id."""
        # On a periodic board, a player with a run started under a kept identity is ranked, by such
        # runs alone. A player with only other runs is a guest.
        ranked = [result.ranked for result in self._results_on(board)]
        is_ranked = any(ranked) if ranked else self.kept is not None
        return "ranked" if is_ranked or board.scope not in PERIODIC else "guests"

    def score(self, board: BoardId) -> int | None:
        """Return the player's score on a leaderboard, or `None`."""
        if board.group != self.group_on(board):
            return None
        if board.is_of_results:
            if board.scope == "best":
                return self.public_best(board.game, board.variant)
            return self._of_day(board)
        number = self._number(board)
        return -number if number else None

    def _of_day(self, board: BoardId) -> int | None:
        result = self.days.get((board.game, board.period))
        return None if result is None or result.void else result.packed

    def _number(self, board: BoardId) -> int:
        """Return the number that a leaderboard compares; higher is better."""
        match board.scope:
            case "day" | "week":
                return self._points(board)
            case "wins":
                return self.dailies_won(board.game)
            case "races":
                won = sum(each.ranked_wins for each in self._withheld_of(board.game))
                return self.races_won(board.game) - won
            case "rating":
                hidden = (each.change for each in self._withheld_of(board.game))
                rating = reduce(Change.minus, hidden, self.change(board.game)).rating
                return rating.value if rating.rated else 0
        raise AssertionError(f"{board.scope} compares results")

    def is_withheld(self, game: str, deal: DealId) -> bool:
        """Return whether no public total may include a race yet."""
        return game in self.withheld and deal in self.withheld[game].results

    def _withheld_of(self, game: str) -> Iterator[RoundResult]:
        for of, held in self.withheld.items():
            if game in (of, ALL_GAMES):
                yield from (each for each in held.results.values() if each is not None)

    def public_best(self, game: str, variant: str) -> int | None:
        """Return the best packed result of a variant except withheld ones, or `None`."""
        held = self.withheld.get(game)
        return (self.bests(game) if held is None else held.bests).get(variant)

    def _results_on(self, board: BoardId) -> Iterator[DayResult]:
        """Yield the results in a leaderboard's period, for either group."""
        days = boards.days_of(board.period) if board.scope == "week" else (board.period,)
        for (game, day), result in self.days.items():
            if day in days and board.game in (game, ALL_GAMES):
                yield result

    def _points(self, board: BoardId) -> int:
        ranked = board.group == "ranked"
        return sum(r.points for r in self._results_on(board) if r.ranked == ranked and not r.void)

    def bests(self, game: str) -> Bests:
        """Return the best packed results of a game, by variant."""
        raise NotImplementedError

    def dailies_won(self, game: str) -> int:
        """Return the number of ranked dailies won at a game, or at all games."""
        raise NotImplementedError

    def races_won(self, game: str) -> int:
        """Return the number of ranked rounds won at a game, or at all games."""
        raise NotImplementedError

    def change(self, game: str) -> Change:
        """Return the total change of the rating by a game's races."""
        raise NotImplementedError

    def rating(self, game: str) -> Rating:
        """Return the rating from a game's races."""
        return self.change(game).rating


class History(Scores, frozen=True):
    """All stored results of a player."""

    def rounds_of(self, game: str) -> list[RoundResult]:
        """Return a game's valid, individually stored rounds, oldest first."""
        found = (r for (each, _), r in self.rounds.items() if each == game and not r.void)
        return sorted(found, key=lambda result: result.at)

    def bests(self, game: str, without: Collection[int | DealId] = ()) -> Bests:
        """Return the best packed results of a game, by variant.

        `without` are days and deals whose results are left out.
        """
        found = self.sums.get(game, Sums()).bests
        for results in (self.days, self.rounds):
            for (of, key), result in results.items():
                if of == game and key not in without:
                    found = with_record(found, result)
        return found

    def dailies_won(self, game: str) -> int:
        """Return the number of ranked dailies won at a game, or at all games."""
        return sum(r.ranked_wins for (each, _), r in self.days.items() if game in (each, ALL_GAMES))

    def races_won(self, game: str) -> int:
        """Return the number of ranked rounds won at a game, or at all games."""
        earlier = sum(s.ranked_wins for each, s in self.sums.items() if game in (each, ALL_GAMES))
        held = (r for (each, _), r in self.rounds.items() if game in (each, ALL_GAMES))
        return earlier + sum(r.ranked_wins for r in held)

    def change(self, game: str) -> Change:
        """Return the total change of the rating by a game's races."""
        change = self.sums.get(game, Sums()).change
        for result in self.rounds_of(game):
            change = change.plus(result.change)
        return change

    def days_played(self, game: str = ALL_GAMES) -> set[int]:
        """Return the days with a result that counts, of a game or of any."""
        return {
            day for (each, day), r in self.days.items() if game in (each, ALL_GAMES) and r.counts
        }

    def days_won(self, game: str = ALL_GAMES) -> set[int]:
        """Return the days with a daily won, of a game or of any."""
        return {day for (each, day), r in self.days.items() if game in (each, ALL_GAMES) and r.won}


def with_record(bests: Bests, result: DayResult | RoundResult) -> Bests:
    """Return the best results including another one, if it is eligible."""
    record, known = result.record, bests.get(result.variant)
    if record is None or (known is not None and known <= record):
        return bests
    return {**bests, result.variant: record}


def better(one: Bests, other: Bests) -> Bests:
    """Return the better of two packed results of each variant."""
    return one | {of: min(each, one.get(of, each)) for of, each in other.items()}


def points(result: Result, dealt: int) -> int:
    """Return the points of a daily: up to 100 for cards brought home, and up to 100 for a win.

    `dealt` is the number of cards that are home after dealing.
    """
    brought, all_cards = result.home - dealt, result.home + result.left - dealt
    # Round up, so that a single card earns a point.
    share = -(-100 * brought // all_cards)
    if result.end != "won":
        return share
    return share + WON_POINTS + max(0, SPEED_POINTS - result.time // MINUTE)
