"""A player's history: the results of dailies, races and challenges, and what follows. Pure.

Scores, streaks and ratings are computed from the history, so that taking a result back takes back
what followed from it. Who adds a result reads an excerpt of it (`server/results/core/excerpt.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp, log
from typing import Final, NamedTuple

from msgspec import Struct

from server.base.core.ids import ChallengeId, DealId
from server.play.core.result import End, Result, pack
from server.results.core import boards
from server.results.core.boards import ALL_GAMES, PERIODIC, BoardId, Group

WON_POINTS: Final = 50
"""Points for winning a daily, in addition to those for the cards."""

SPEED_POINTS: Final = 50
"""More points for a win at once; it is one less for each minute."""

MINUTE: Final = 60_000

MAX_ROUNDS: Final = 200
"""Rounds of a game that a history certainly holds one by one; of earlier ones only the sums."""

RATING: Final = 25.0
UNCERTAINTY: Final = RATING / 3
"""Mean and standard deviation of the rating of a player who has not raced."""

_SHIFT_UNITS: Final = 10**9
_FACTOR_UNITS: Final = 10**12


class DayResult(Struct, array_like=True, frozen=True):
    """The result of a daily, as stored.

    Attributes:
        home: cards on foundations.
        left: cards not there.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        end: why it ended.
        points: what it counts for in sums.
        void: whether an operator has taken it back.
        ranked: whether the player had kept an identity when it began.
    """

    home: int
    left: int
    time: int
    moves: int
    end: End
    points: int
    void: bool = False
    ranked: bool = False

    @property
    def counts(self) -> bool:
        """Whether it counts as a day played: it brought a card home, and stands."""
        return self.points > 0 and not self.void

    @property
    def won(self) -> bool:
        """Whether it is a win that stands."""
        return self.end == "won" and not self.void

    @property
    def ranked_wins(self) -> int:
        """The number that it adds to the wins that leaderboards compare."""
        return int(self.won and self.ranked)

    @property
    def packed(self) -> int:
        """The result packed into one integer; runs that brought no card home share the last rank.

        Their moves do not count, and are packed as 0.
        """
        return pack(self.left, self.time, self.moves if self.points else 0)

    @property
    def record(self) -> int | None:
        """The packed result if it may be a best one of those that are ranked, or `None`."""
        return self.packed if self.counts and self.ranked else None


class RoundResult(Struct, array_like=True, frozen=True):
    """The result of a round of several players, as stored.

    Attributes:
        at: when the round was over, in Unix milliseconds.
        place: the rank, from 1.
        players: how many played.
        won: whether the player won.
        home: as in `DayResult`, like `left`, `time`, `moves` and `end`.
        help: whether players could ask for help; such a run is no record.
        shift: by how much the round changed the mean of the rating.
        factor: by what it multiplied the uncertainty.
        void: whether an operator has taken it back.
        ranked: whether the player had kept an identity when it began.
        contest: whether it was a contest for the player: without, it adds to nothing that
            leaderboards compare (`server.results.core.contests`).
    """

    at: int
    place: int
    players: int
    won: bool
    home: int
    left: int
    time: int
    moves: int
    end: End
    help: bool = False
    shift: float = 0.0
    factor: float = 1.0
    void: bool = False
    ranked: bool = False
    contest: bool = True

    @property
    def counts(self) -> bool:
        """Whether it adds to what leaderboards compare."""
        return self.ranked and self.contest and not self.void

    @property
    def is_rated(self) -> bool:
        """Whether it has changed the rating."""
        return self.factor != 1.0

    @property
    def packed(self) -> int:
        """The result packed into one integer."""
        return pack(self.left, self.time, self.moves)

    @property
    def record(self) -> int | None:
        """The packed result if it may be a best one of those that are ranked, or `None`."""
        return self.packed if self.time and self.counts and not self.help else None

    @property
    def ranked_wins(self) -> int:
        """The number that it adds to the wins that leaderboards compare."""
        return int(self.won and self.counts)

    @property
    def change(self) -> Change:
        """The change of the rating by it: nothing if it is void."""
        if self.void:
            return Change()
        factor = round(log(self.factor) * _FACTOR_UNITS) if self.is_rated else 0
        return Change(int(self.is_rated), round(self.shift * _SHIFT_UNITS), factor)


class ChallengeResult(Struct, array_like=True, frozen=True):
    """The result of a challenge, as stored. It counts on no leaderboard and in no rating.

    Attributes:
        at: when the challenge closed, in Unix milliseconds.
        challenge: the challenge.
        place: the rank, from 1; the last one if it is void.
        players: how many players it had.
        home: as in `DayResult`, like `left`, `time`, `moves` and `end`.
        help: whether players could ask for help.
        circle: the id of the circle that it was for, or `None`.
        void: whether an operator has taken it back.
        own_rules: whether it was played by rules that somebody has changed: then it is compared
            with nobody's elsewhere.
    """

    at: int
    challenge: ChallengeId
    place: int
    players: int
    home: int
    left: int
    time: int
    moves: int
    end: End
    help: bool = False
    circle: str | None = None
    void: bool = False
    own_rules: bool = False


class Sums(Struct, array_like=True, frozen=True):
    """The sums of the rounds of a game that are no longer held one by one, as stored.

    Attributes:
        played: rounds that stand.
        won: those that were won.
        rated: those that have changed the rating.
        mean: of the rating after them.
        uncertainty: its standard deviation.
        best: the best packed result without help of those that are ranked, or `None`.
        until: when the latest of them was over, in Unix milliseconds.
        ranked_wins: wins that leaderboards compare.
    """

    played: int = 0
    won: int = 0
    rated: int = 0
    mean: float = RATING
    uncertainty: float = UNCERTAINTY
    best: int | None = None
    until: int = -1
    ranked_wins: int = 0

    @property
    def change(self) -> Change:
        """The change of the rating by them."""
        shift = round((self.mean - RATING) * _SHIFT_UNITS)
        return Change(self.rated, shift, round(log(self.uncertainty / UNCERTAINTY) * _FACTOR_UNITS))


class Change(NamedTuple):
    """The change of a rating by rounds, in whole numbers: they add up to the same in any order.

    Attributes:
        rated: rounds that have changed it.
        shift: of the mean, in units of 10^-9.
        factor: the natural logarithm of that of the uncertainty, in units of 10^-12.
    """

    rated: int = 0
    shift: int = 0
    factor: int = 0

    def plus(self, other: Change) -> Change:
        """Return both changes together."""
        rated, shift, factor = other
        return Change(self.rated + rated, self.shift + shift, self.factor + factor)

    def minus(self, other: Change) -> Change:
        """Return this change without another one that is part of it."""
        rated, shift, factor = other
        return Change(self.rated - rated, self.shift - shift, self.factor - factor)

    @property
    def rating(self) -> Rating:
        """The rating of a player whom they have changed."""
        uncertainty = UNCERTAINTY * exp(self.factor / _FACTOR_UNITS)
        return Rating(RATING + self.shift / _SHIFT_UNITS, uncertainty, self.rated)


class Rating(NamedTuple):
    """A rating by races: a normal distribution of skill.

    Attributes:
        rated: rounds that it follows from.
    """

    mean: float
    uncertainty: float
    rated: int

    @property
    def value(self) -> int:
        """The rating as shown: what the skill exceeds almost surely, times 100, at least 0."""
        return max(0, round((self.mean - 3 * self.uncertainty) * 100))


class Scores(Struct, frozen=True):
    """The source of scores on leaderboards: the base of a history and of its excerpts.

    Attributes:
        version: how often the history has changed.
        kept: when the player first kept an identity, in Unix milliseconds; `None` for a guest.
        days: results of dailies, by game and day.
        rounds: results of rounds, by game and deal.
        sums: of earlier rounds, by game.
        challenges: results of challenges, by game and deal.
    """

    version: int = 0
    kept: int | None = None
    days: dict[tuple[str, int], DayResult] = {}
    rounds: dict[tuple[str, DealId], RoundResult] = {}
    sums: Mapping[str, Sums] = {}
    challenges: dict[tuple[str, DealId], ChallengeResult] = {}

    def group_on(self, board: BoardId) -> Group:
        """Return the group in which the player is on a leaderboard, whatever group that is of.

        Who has begun a run of its period with an identity that was kept is among the ranked
        players, by such runs alone, and who has only begun others is among the guests.
        """
        ranked = [result.ranked for result in self._results_on(board)]
        is_ranked = any(ranked) if ranked else self.kept is not None
        return "ranked" if is_ranked or board.scope not in PERIODIC else "guests"

    def score(self, board: BoardId) -> int | None:
        """Return the player's score on a leaderboard, or `None` if there is none."""
        if board.group != self.group_on(board):
            return None
        if board.is_of_results:
            return self.best(board.game) if board.scope == "best" else self._of_day(board)
        number = self._number(board)
        return -number if number else None

    def _of_day(self, board: BoardId) -> int | None:
        result = self.days.get((board.game, board.period))
        return None if result is None or result.void else result.packed

    def _number(self, board: BoardId) -> int:
        """Return the number that a leaderboard compares of which more is better."""
        match board.scope:
            case "day" | "week":
                return self._points(board)
            case "wins":
                return self.dailies_won(board.game)
            case "races":
                return self.races_won(board.game)
            case "rating":
                rating = self.rating(board.game)
                return rating.value if rating.rated else 0
        raise AssertionError(f"{board.scope} compares results")

    def _results_on(self, board: BoardId) -> Iterator[DayResult]:
        """Yield the results of the period of a leaderboard, in either group."""
        days = boards.days_of(board.period) if board.scope == "week" else (board.period,)
        for (game, day), result in self.days.items():
            if day in days and board.game in (game, ALL_GAMES):
                yield result

    def _points(self, board: BoardId) -> int:
        ranked = board.group == "ranked"
        return sum(r.points for r in self._results_on(board) if r.ranked == ranked and not r.void)

    def best(self, game: str) -> int | None:
        """Return the best packed result of a game, or `None`."""
        raise NotImplementedError

    def dailies_won(self, game: str) -> int:
        """Return how many dailies of a game, or of all, were won, of those that are ranked."""
        raise NotImplementedError

    def races_won(self, game: str) -> int:
        """Return how many rounds of a game, or of all, were won, of those that are ranked."""
        raise NotImplementedError

    def rating(self, game: str) -> Rating:
        """Return the rating by the races of a game."""
        raise NotImplementedError


class History(Scores, frozen=True):
    """All that is kept of a player's results."""

    def rounds_of(self, game: str) -> list[RoundResult]:
        """Return the rounds of a game that stand and are held, the oldest first."""
        found = (r for (each, _), r in self.rounds.items() if each == game and not r.void)
        return sorted(found, key=lambda result: result.at)

    def best(self, game: str) -> int | None:
        """Return the best packed result of a game, or `None`."""
        found = [r.record for (each, _), r in self.days.items() if each == game]
        found += [r.record for (each, _), r in self.rounds.items() if each == game]
        found.append(self.sums.get(game, Sums()).best)
        return min((each for each in found if each is not None), default=None)

    def dailies_won(self, game: str) -> int:
        """Return how many dailies of a game, or of all, were won, of those that are ranked."""
        return sum(r.ranked_wins for (each, _), r in self.days.items() if game in (each, ALL_GAMES))

    def races_won(self, game: str) -> int:
        """Return how many rounds of a game, or of all, were won, of those that are ranked."""
        earlier = sum(s.ranked_wins for each, s in self.sums.items() if game in (each, ALL_GAMES))
        held = (r for (each, _), r in self.rounds.items() if game in (each, ALL_GAMES))
        return earlier + sum(r.ranked_wins for r in held)

    def rating(self, game: str) -> Rating:
        """Return the rating by the races of a game."""
        change = self.sums.get(game, Sums()).change
        for result in self.rounds_of(game):
            change = change.plus(result.change)
        return change.rating

    def days_played(self, game: str = ALL_GAMES) -> set[int]:
        """Return the days on which a result counts, of a game or of any."""
        return {
            day for (each, day), r in self.days.items() if game in (each, ALL_GAMES) and r.counts
        }

    def days_won(self, game: str = ALL_GAMES) -> set[int]:
        """Return the days on which a daily was won, of a game or of any."""
        return {day for (each, day), r in self.days.items() if game in (each, ALL_GAMES) and r.won}


def points(result: Result, dealt: int) -> int:
    """Return the points of a daily: up to 100 for cards brought home, and up to 100 for a win.

    Args:
        result: how it ended.
        dealt: the cards that the deal itself brought home.
    """
    brought, all_cards = result.home - dealt, result.home + result.left - dealt
    # Rounded up, so that one card is a point.
    share = -(-100 * brought // all_cards)
    if result.end != "won":
        return share
    return share + WON_POINTS + max(0, SPEED_POINTS - result.time // MINUTE)
