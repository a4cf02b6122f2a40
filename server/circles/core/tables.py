"""Tables of circles, computed from the members' histories.

A change to a history, such as a voided result, changes every table that includes it, even for a
past season.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from engine.catalog import daily_variant, games, ruleset
from server.base.core.ids import PlayerId
from server.play.core.result import Result
from server.results.core.daily_sets import DailySets
from server.results.core.excerpt import Excerpt, Totals
from server.results.core.history import ChallengeResult, DayResult, Scores, points
from server.results.core.played_days import PlayedDays


class Score(NamedTuple):
    """A player's results in dailies over some days or all time."""

    points: int = 0  # the sum of the points; 0 for all time
    played: int = 0  # the number of dailies that count
    won: int = 0
    crowns: int = 0  # the number of crowns earned
    races: int = 0  # the number of races won with a kept identity; 0 except for all time
    # The valid results by game, and the ids of the crowns earned, if the table covers a single day.
    dailies: tuple[tuple[str, DayResult], ...] = ()
    earned: tuple[str, ...] = ()


class Record(NamedTuple):
    """The packed result of a player's best run of a game's dailies, or of a race by their rules.

    The day is that of the daily, or `None` for a race.
    """

    packed: int
    day: int | None


class AllTime(NamedTuple):
    """A player's all-time score, and the best run of each game."""

    score: Score
    records: Mapping[str, Record]


class LeagueScore(NamedTuple):
    """A league result's points, and whether it is dropped."""

    points: int
    dropped: bool


class Row(NamedTuple):
    """A row of a table."""

    player: PlayerId
    rank: int  # 1 for the best; equal rows share a rank
    score: Score
    # The results in the league, in the order of its challenges.
    league: tuple[LeagueScore, ...] = ()

    @property
    def league_points(self) -> int:
        """The sum of the league results that count."""
        return sum(each.points for each in self.league if not each.dropped)

    @property
    def points(self) -> int:
        """The points of dailies and league together."""
        return self.score.points + self.league_points


def score_of(found: Excerpt, days: Collection[int], sets: DailySets) -> Score:
    """Return a player's score for some days, given an excerpt that covers them."""
    standing = {key: each for key, each in found.days.items() if key[1] in days and not each.void}
    counted: defaultdict[int, set[str]] = defaultdict(set)
    for (game, day), each in standing.items():
        if each.counts:
            counted[day].add(game)
    earned = [
        crown
        for day, played in counted.items()
        for crown, of in sets.crowns_of(day)
        if played >= of
    ]
    is_of_day = len(days) == 1
    return Score(
        points=sum(each.points for each in standing.values()),
        played=sum(map(len, counted.values())),
        won=sum(each.won for each in standing.values()),
        crowns=len(earned),
        dailies=tuple((game, each) for (game, _), each in standing.items()) if is_of_day else (),
        earned=tuple(earned) if is_of_day else (),
    )


def all_time(found: Excerpt, sets: DailySets) -> AllTime:
    """Return a player's all-time score and records, given an excerpt with all sums."""
    played = [found.played.get(game, PlayedDays()) for game in games()]
    score = Score(
        played=sum(each.days_played.bit_count() for each in played),
        won=sum(each.days_won.bit_count() for each in played),
        crowns=sets.crowns(
            {game: each.days_played for game, each in zip(games(), played, strict=True)}
        ),
        races=sum(each.races for each in found.totals.values()),
    )
    records = {}
    for game, sums in zip(games(), played, strict=True):
        # Runs of different variants cannot be compared, so those of others set no record.
        variant = daily_variant(game)
        raced = found.totals.get(game, Totals()).bests.get(variant)
        packed, day = sums.bests.get(variant, (None, None))
        best = min((each for each in (packed, raced) if each is not None), default=None)
        if best is not None:
            # The best run has a day only if it was a daily.
            records[game] = Record(best, day if best == packed else None)
    return AllTime(score, records)


def table(
    scores: Mapping[PlayerId, Score],
    league: Mapping[PlayerId, Sequence[int]] = MappingProxyType({}),
    drop: int = 0,
) -> list[Row]:
    """Return the rows of a table, highest points first.

    `league` has each player's points in the league's challenges; the `drop` worst do not count.
    """
    rows = [
        Row(player, 0, score, drop_worst(league.get(player, ()), drop))
        for player, score in scores.items()
    ]
    return _ranked(rows, lambda row: (row.points,))


def table_of_all(scores: Mapping[PlayerId, Score]) -> list[Row]:
    """Return the rows of an all-time table, ordered by dailies won and then dailies played."""
    rows = [Row(player, 0, score) for player, score in scores.items()]
    return _ranked(rows, lambda row: (row.score.won, row.score.played))


def _ranked(rows: Iterable[Row], value: Callable[[Row], tuple[int, ...]]) -> list[Row]:
    """Return rows with their ranks, highest value first."""
    ordered: list[Row] = []
    for place, row in enumerate(sorted(rows, key=value, reverse=True), 1):
        shares = bool(ordered) and value(ordered[-1]) == value(row)
        ordered.append(row._replace(rank=ordered[-1].rank if shares else place))
    return ordered


def drop_worst(results: Sequence[int], drop: int) -> tuple[LeagueScore, ...]:
    """Return a league's results, marking the worst as dropped; among equals, the first."""
    worst = sorted(range(len(results)), key=lambda at: (results[at], at))[:drop]
    return tuple(LeagueScore(each, at in worst) for at, each in enumerate(results))


def records(found: Mapping[PlayerId, AllTime]) -> dict[str, tuple[PlayerId, Record]]:
    """Return the best run of each game among the players; among equals, the first player's."""
    best: dict[str, tuple[PlayerId, Record]] = {}
    for player, each in found.items():
        for game, record in each.records.items():
            if game not in best or record.packed < best[game][1].packed:
                best[game] = player, record
    return {game: best[game] for game in games() if game in best}


Form = Literal["daily", "race", "challenge"]


class Duel(NamedTuple):
    """The head-to-head results of two players on the same deals of a game, for one form of play."""

    game: str
    form: Form
    won: int
    lost: int
    drawn: int


def league_points(game: str, result: ChallengeResult | None) -> int:
    """Return the league points of a result: the points of such a daily, or 0 without a result."""
    if result is None or result.void:
        return 0
    run = Result(result.home, result.left, result.time, result.moves, result.end)
    return points(run, ruleset(game).home_at_start)


def winner(game: str, results: Mapping[PlayerId, ChallengeResult]) -> PlayerId | None:
    """Return the winner of a challenge: the first of several, or `None` if no card came home."""
    # A first place without a card home wins nothing.
    won = (p for p, r in results.items() if r.place == 1 and league_points(game, r))
    return next(won, None)


def duels(one: Scores, other: Scores) -> list[Duel]:
    """Return the head-to-head results on the deals that both players have played.

    Challenges and races by custom rules do not count.
    """
    pairs: defaultdict[tuple[str, Form], list[int]] = defaultdict(list)
    for key, day in one.days.items():
        against = other.days.get(key)
        if against is not None and not (day.void or against.void):
            pairs[key[0], "daily"].append(_sign(against.packed - day.packed))
    for race, round_ in one.rounds.items():
        met = other.rounds.get(race)
        hidden = one.is_withheld(*race) or other.is_withheld(*race)
        if met is not None and not (hidden or round_.void or met.void):
            pairs[race[0], "race"].append(_sign(met.place - round_.place))
    for deal, challenge in one.challenges.items():
        theirs = other.challenges.get(deal)
        both = (challenge, theirs) if theirs is not None else ()
        if theirs is not None and not any(each.void or each.own_rules for each in both):
            pairs[deal[0], "challenge"].append(_sign(theirs.place - challenge.place))
    return [
        Duel(game, form, signs.count(1), signs.count(-1), signs.count(0))
        for (game, form), signs in sorted(pairs.items())
    ]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
