"""Races that count: rounds of several players that are over, and what they are to each. Pure.

The pace bot counts for nothing here: a round with one player beside it is no race, and neither it
nor a win in it is in anybody's history.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from server.core import ranking, ratings
from server.core.history import RoundResult
from server.core.ids import PACE_BOT, DealId, PlayerId
from server.core.race import Room
from server.core.ratings import Change, Skill
from server.core.stored import Help, StoredResult

MIN_PLAYERS = 2
"""Players, without the pace bot, from which on a round is a race."""


class Race(Struct, frozen=True, omit_defaults=True):
    """A race that is over, as stored.

    Attributes:
        deal: what it was played on.
        game: the game's id.
        at: when it was over, in Unix milliseconds.
        home: how many cards the deal itself brought home; -1 if every run is ranked.
        help: what help the players might ask for.
        results: how the players' runs ended.
    """

    deal: DealId
    game: str
    at: int
    home: int
    help: Help
    results: dict[PlayerId, StoredResult]


class Decision(Struct, frozen=True):
    """What the changes of ratings by a race are computed from, decided once and stored.

    Attributes:
        race: the race.
        before: each player's rating before it: mean and standard deviation.
    """

    race: Race
    before: dict[PlayerId, tuple[float, float]]


def race_over(room: Room) -> Race | None:
    """Return the race that a room's last round was; `None` if it is not over, or was no race.

    A round that an operator has ended by closing the room is none, nor one without a move.
    """
    round_ = room.round
    if round_ is None or not round_.over or room.closed:
        return None
    results = {
        player: StoredResult.of(round_.results[player])
        for player in round_.players
        if player != PACE_BOT
    }
    if len(results) < MIN_PLAYERS or not any(result.moves for result in results.values()):
        return None
    terms = round_.terms
    return Race(round_.deal, terms.game, room.at, round_.home, terms.help, results)


def results(decision: Decision, void: Collection[PlayerId]) -> dict[PlayerId, RoundResult]:
    """Return what a race is to each of its players.

    It changes ratings if no help was allowed and somebody has won it, among those whose results
    stand, who are several. They are ranked and rated as if the others had not played.

    Args:
        decision: the race, and the ratings before it.
        void: those whose results an operator has taken back.
    """
    race = decision.race
    standing = {p: r.restored() for p, r in race.results.items() if p not in void}
    ranks = ranking.ranks(standing, race.home)
    winners = ranking.winners(standing, race.home)
    changes: dict[PlayerId, Change] = {}
    if race.help == "none" and winners and len(standing) >= MIN_PLAYERS:
        changes = ratings.rate({p: Skill(*decision.before[p]) for p in standing}, ranks)
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
        )
    return found
