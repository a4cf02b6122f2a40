"""Races that count: their decisions, and their results for each player.

Pace bots are ignored: a round with a single other player is not a race, and neither the bot nor a
win against it enters a history.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from statistics import fmean

from msgspec import Struct

from engine.schema import STANDARD
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.play.core import result as ranking
from server.play.core.result import Help, Result
from server.results.core import contests, ratings
from server.results.core.contests import Meeting, Pair, has_played
from server.results.core.history import RoundResult
from server.results.core.ratings import Change, Skill


class Race(Struct, frozen=True, omit_defaults=True):
    """A finished race, as stored."""

    deal: DealId
    game: str
    at: int  # when it ended, in Unix milliseconds
    home: int  # the number of cards that are home after dealing; -1 if every run is ranked
    help: Help
    results: dict[PlayerId, Result]
    room: RoomCode
    starts: int  # when it started, in Unix milliseconds
    rated: bool = True  # whether it can change ratings, as `Round.rated`
    counts: bool = True  # whether it enters histories and leaderboards, as `Round.counts`
    variant: str = STANDARD

    @property
    def may_be_rated(self) -> bool:
        """Whether it changes the ratings of players with a contest in it."""
        return self.rated and self.help == "none"


class Decision(Struct, frozen=True):
    """The inputs for computing a race's rating changes, decided once and stored."""

    race: Race
    # Each player's rating before it: mean and standard deviation.
    before: dict[PlayerId, tuple[float, float]]
    # The players who had a kept identity when it started; only they are on leaderboards.
    ranked: frozenset[PlayerId] = frozenset()
    pairs: tuple[Pair, ...] = ()  # the pairs of players with reduced weight
    # The number of wins within `contests.WINDOW_MS` before without any opponent having played, by
    # player; only nonzero numbers.
    hollow: dict[PlayerId, int] = {}


def decide(
    race: Race,
    before: Mapping[PlayerId, tuple[float, float]],
    kept: Mapping[PlayerId, int | None],
    lately: Mapping[PlayerId, Collection[Meeting]],
    networks: Mapping[PlayerId, str],
) -> Decision:
    """Return the decision on a race, given the state before it.

    `before` are the ratings, `kept` when each player first kept an identity (Unix milliseconds;
    `None` for a guest), `lately` each player's races within `contests.WINDOW_MS`, and `networks`
    the players' networks, where known.
    """
    hollow = {player: sum(each.hollow for each in lately[player]) for player in race.results}
    return Decision(
        race,
        dict(before),
        frozenset(
            p for p in race.results for at in [kept[p]] if at is not None and at <= race.starts
        ),
        contests.pairs(race.results, lately, networks),
        {player: count for player, count in hollow.items() if count},
    )


def results(decision: Decision, void: Collection[PlayerId]) -> dict[PlayerId, RoundResult]:
    """Return a race's result for each of its players, given the players with void results.

    A player had a contest if the race has a winner among the valid results and has weight against
    another player with a valid result. The race then counts on leaderboards, and changes the rating
    if it is rated. Ranks and ratings ignore the players with void results.
    """
    race = decision.race
    standing = {p: r for p, r in race.results.items() if p not in void}
    ranks = ranking.ranks(standing, race.home)
    winners = ranking.winners(standing, race.home)
    counting = _contests(decision, standing, ranks) if winners else {}
    changes = _changes(decision, counting, ranks) if race.may_be_rated else {}
    found = {}
    for player, result in race.results.items():
        assert result.end is not None, "all runs of a race are over"
        change = changes.get(player, Change(0.0, 1.0))
        found[player] = RoundResult(
            race.at,
            ranks.get(player, len(race.results)),
            len(race.results),
            player in winners,
            result.home,
            result.left,
            result.time,
            result.moves,
            result.end,
            race.help != "none",
            change.shift,
            change.factor,
            player in void,
            player in decision.ranked,
            player in counting,
            race.variant,
        )
    return found


def _contests(
    decision: Decision, standing: Mapping[PlayerId, Result], ranks: Mapping[PlayerId, int]
) -> dict[PlayerId, dict[PlayerId, float]]:
    """Return the players with a contest, and its weight against each opponent."""
    return {
        player: weights
        for player in decision.ranked & standing.keys()
        if (weights := contests.weights(player, standing, ranks, decision.pairs))
    }


def _changes(
    decision: Decision,
    counting: Mapping[PlayerId, Mapping[PlayerId, float]],
    ranks: Mapping[PlayerId, int],
) -> dict[PlayerId, Change]:
    """Return a race's rating changes for the players with a contest."""
    rated: dict[frozenset[PlayerId], dict[PlayerId, Change]] = {}
    found = {}
    for player, weights in counting.items():
        # Each is rated against the opponents with weight only, and the change is scaled by the mean
        # of the weights.
        field = frozenset([player, *weights])
        # Players with the same opponents share a computation.
        if field not in rated:
            rated[field] = ratings.rate({p: Skill(*decision.before[p]) for p in field}, ranks)
        found[player] = rated[field][player].scaled(fmean(weights.values()))
    return found


def meetings(decision: Decision) -> dict[PlayerId, Meeting]:
    """Return the race as recorded in the history of each player with a kept identity."""
    race = decision.race
    won = ranking.winners(race.results, race.home)
    found = {}
    for player in decision.ranked:
        others = tuple(sorted(race.results.keys() - {player}))
        hollow = player in won and not any(has_played(race.results[each]) for each in others)
        found[player] = Meeting(race.deal, race.at, others, hollow)
    return found
