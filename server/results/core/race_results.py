"""Races that count: rounds of several players that are over, and what they are to each. Pure.

The pace bot counts for nothing here: a round with one player beside it is no race, and neither it
nor a win in it is in anybody's history.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from statistics import fmean

from msgspec import Struct

from server.base.core.ids import DealId, PlayerId, RoomCode
from server.play.core import result as ranking
from server.play.core.result import Help, Result
from server.results.core import contests, ratings
from server.results.core.contests import Meeting, Pair, has_played
from server.results.core.history import RoundResult
from server.results.core.ratings import Change, Skill


class Race(Struct, frozen=True, omit_defaults=True):
    """A race that is over, as stored.

    Attributes:
        deal: what it was played on.
        game: the game's id.
        at: when it was over, in Unix milliseconds.
        home: how many cards the deal itself brought home; -1 if every run is ranked.
        help: the help that the players might ask for.
        results: how the players' runs ended.
        room: the code of the room that it was in.
        starts: when it began, in Unix milliseconds.
        rated: whether it may change ratings, as `Round.rated`.
        counts: whether it is in histories and on leaderboards, as `Round.counts`.
    """

    deal: DealId
    game: str
    at: int
    home: int
    help: Help
    results: dict[PlayerId, Result]
    room: RoomCode
    starts: int
    rated: bool = True
    counts: bool = True

    @property
    def may_be_rated(self) -> bool:
        """Whether it moves the ratings of those for whom its results make it a contest."""
        return self.rated and self.help == "none"


class Decision(Struct, frozen=True):
    """The decision on a race, made once and stored, from which changes of ratings are computed.

    Attributes:
        race: the race.
        before: each player's rating before it: mean and standard deviation.
        ranked: who had kept an identity when it began: those whom it counts for on leaderboards.
        pairs: those whose contest counts less than that of strangers.
        hollow: how many races those have won within `contests.WINDOW_MS` before, if any, against
            nobody who had played.
    """

    race: Race
    before: dict[PlayerId, tuple[float, float]]
    ranked: frozenset[PlayerId] = frozenset()
    pairs: tuple[Pair, ...] = ()
    hollow: dict[PlayerId, int] = {}


def decide(
    race: Race,
    before: Mapping[PlayerId, tuple[float, float]],
    kept: Mapping[PlayerId, int | None],
    lately: Mapping[PlayerId, Collection[Meeting]],
    networks: Mapping[PlayerId, str],
) -> Decision:
    """Return what the changes of ratings by a race are computed from, by what is known before it.

    Args:
        race: the race.
        before: each player's rating.
        kept: since when each has kept an identity, in Unix milliseconds; `None` for a guest.
        lately: the races that each had within `contests.WINDOW_MS` before it.
        networks: those that players are in, if that is known.
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
    """Return what a race is to each of its players.

    It adds to what leaderboards compare for those for whom it was a contest: somebody has won it,
    among those whose results stand, and it counts against one of these. It changes their ratings if
    it may. They are ranked and rated as if the others had not played.

    Args:
        decision: the race, and the ratings before it.
        void: those whose results an operator has taken back.
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
        )
    return found


def _contests(
    decision: Decision, standing: Mapping[PlayerId, Result], ranks: Mapping[PlayerId, int]
) -> dict[PlayerId, dict[PlayerId, float]]:
    """Return for whom a race was a contest, and how much it counts against each opponent."""
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
    """Return what a race does to the ratings of those for whom it was a contest.

    Each is rated as if only those had played against whom the race counts, and moves by the mean of
    how much it does.
    """
    rated: dict[frozenset[PlayerId], dict[PlayerId, Change]] = {}
    found = {}
    for player, weights in counting.items():
        field = frozenset([player, *weights])
        if field not in rated:
            rated[field] = ratings.rate({p: Skill(*decision.before[p]) for p in field}, ranks)
        found[player] = rated[field][player].scaled(fmean(weights.values()))
    return found


def meetings(decision: Decision) -> dict[PlayerId, Meeting]:
    """Return the race as those have to remember it who had kept an identity."""
    race = decision.race
    won = ranking.winners(race.results, race.home)
    found = {}
    for player in decision.ranked:
        others = tuple(sorted(race.results.keys() - {player}))
        hollow = player in won and not any(has_played(race.results[each]) for each in others)
        found[player] = Meeting(race.deal, race.at, others, hollow)
    return found
