"""The law of ratings: they result from the races applied in some sequential order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from math import isclose

from server.base.core.ids import PlayerId
from server.results.core.history import Change, RoundResult
from server.results.core.race_results import Decision

Followed = tuple[Decision, Mapping[PlayerId, RoundResult]]
"""The decision on a race of one game, and its results for its players."""


def out_of_order(races: Collection[Followed], but: Collection[PlayerId] = ()) -> list[Followed]:
    """Return a game's races that do not follow the others in any order.

    A race can be next if it was computed from the ratings after the races before it. It is chosen
    only if no remaining race was computed from a rating that it changes; a postponed race can still
    be next later, since it shares no such player.

    Args:
        races: all races of the game.
        but: players whose ratings have also changed in other ways.
    """
    now: defaultdict[PlayerId, Change] = defaultdict(Change)
    left = list(races)

    def is_from(race: Followed, player: PlayerId) -> bool:
        rating, before = now[player].rating, race[0].before[player]
        return isclose(before[0], rating.mean, abs_tol=1e-6) and isclose(
            before[1], rating.uncertainty, abs_tol=1e-6
        )

    def may_be_next(race: Followed) -> bool:
        players = race[1].keys() - set(but)
        changed = [player for player in players if race[1][player].is_rated]
        return all(is_from(race, player) for player in players) and not any(
            player in other[1] and is_from(other, player)
            for other in left
            if other is not race
            for player in changed
        )

    while True:
        following = next((race for race in left if may_be_next(race)), None)
        if following is None:
            return left
        left.remove(following)
        for player, result in following[1].items():
            now[player] = now[player].plus(result.change)
