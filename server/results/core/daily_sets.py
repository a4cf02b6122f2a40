"""Daily sets: the games that are dailies on each day, and crowns for playing all of them.

Operators can change the list of games. Each day's set is stored in time, so that past days keep
their crowns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, itemgetter

from server.results.core.played_days import DaySet


@dataclass(frozen=True, slots=True)
class DailySets:
    """The history of daily sets."""

    # Pairs of a set's first day and its games' ids, sorted by day, at least one. The first set also
    # applies to all earlier days.
    changes: tuple[tuple[int, frozenset[str]], ...]
    fixed: int = -1  # the last day with a final set, or -1. Later sets can still change.

    def of(self, day: int) -> frozenset[str]:
        """Return the ids of a day's games."""
        return self.changes[max(0, bisect_right(self.changes, day, key=itemgetter(0)) - 1)][1]

    @property
    def ever(self) -> frozenset[str]:
        """The ids of all games that were dailies on any day."""
        return frozenset().union(*(games for _, games in self.changes))

    def crowns(self, played: Mapping[str, DaySet]) -> DaySet:
        """Return the days with the whole set played, given the days that count by game.

        It takes a few bit-set operations per change of the list, independent of the number of days.
        """
        found, ends = 0, [first for first, _ in self.changes[1:]]
        for (first, games), end in zip(self.changes, [*ends, None], strict=True):
            days = reduce(and_, (played.get(game, 0) for game in games))
            if end is not None:
                days &= (1 << end) - 1
            if first != self.changes[0][0]:
                days = days >> first << first
            found |= days
        return found
