"""Daily sets: the games that are dailies on each day, and the crowns for playing them.

Operators can change the list of games. Each day's set is stored in time, so that past days keep
their crowns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, itemgetter
from typing import NamedTuple, TypeAlias

from engine.catalog import games, in_order
from server.results.core.played_days import DaySet


class CrownSet(NamedTuple):
    """Dailies of a day that together earn a crown, once a player has played all of them."""

    crown: str  # its id (`engine.schema.listing.Crown`); empty for a day's only crown
    games: frozenset[str]


CrownSets: TypeAlias = tuple[CrownSet, ...]


def by_crown(of: Collection[str]) -> CrownSets:
    """Group the games of a day's set by their crowns."""
    found: dict[str, set[str]] = {}
    for game in in_order(of):
        found.setdefault(games()[game].listing.crown, set()).add(game)
    if len(found) <= 1:
        return (CrownSet("", frozenset(of)),)
    return tuple(CrownSet(crown, frozenset(each)) for crown, each in found.items())


@dataclass(frozen=True, slots=True)
class DailySets:
    """The history of daily sets."""

    # Pairs of a set's first day and its games by crown, sorted by day, at least one. The first set
    # also applies to all earlier days.
    changes: tuple[tuple[int, CrownSets], ...]
    fixed: int = -1  # the last day with a final set, or -1. Later sets can still change.

    def of(self, day: int) -> frozenset[str]:
        """Return the ids of a day's games."""
        return _all_of(self.crowns_of(day))

    def crowns_of(self, day: int) -> CrownSets:
        """Return a day's games by crown."""
        return self.changes[max(0, bisect_right(self.changes, day, key=itemgetter(0)) - 1)][1]

    @property
    def ever(self) -> frozenset[str]:
        """The ids of all games that were dailies on any day."""
        return frozenset().union(*(_all_of(sets) for _, sets in self.changes))

    def crowns(self, played: Mapping[str, DaySet]) -> int:
        """Return the number of crowns earned, given the days that count by game.

        It takes a few bit-set operations per change of the list, independent of the number of days.
        """
        found, ends = 0, [first for first, _ in self.changes[1:]]
        for (first, sets), end in zip(self.changes, [*ends, None], strict=True):
            for _, of in sets:
                days = reduce(and_, (played.get(game, 0) for game in of))
                if end is not None:
                    days &= (1 << end) - 1
                if first != self.changes[0][0]:
                    days = days >> first << first
                found += days.bit_count()
        return found


def _all_of(sets: CrownSets) -> frozenset[str]:
    return frozenset().union(*(of for _, of in sets))
