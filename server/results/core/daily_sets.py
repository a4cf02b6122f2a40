"""The sets of dailies: which games were dailies on which days, and the crowns of who played all.

An operator changes the list of games. What a day's set was is stored by then, so that days keep
their crowns. Pure.
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
    """The sets of dailies as they followed one another.

    Attributes:
        changes: the first day of each set and the ids of its games, sorted by day, at least one.
            The first one also holds for all days before it, of which nothing is stored.
        fixed: the last day whose set is certain; -1 if none is. Later ones may get another.
    """

    changes: tuple[tuple[int, frozenset[str]], ...]
    fixed: int = -1

    def of(self, day: int) -> frozenset[str]:
        """Return the ids of the games that are dailies on a day."""
        return self.changes[max(0, bisect_right(self.changes, day, key=itemgetter(0)) - 1)][1]

    @property
    def ever(self) -> frozenset[str]:
        """The ids of the games that have been dailies on any day."""
        return frozenset().union(*(games for _, games in self.changes))

    def crowns(self, played: Mapping[str, DaySet]) -> DaySet:
        """Return the days on which a player has played the whole set.

        It takes a few operations on sets for each change of the list, however many days there are.

        Args:
            played: the days that count, by game.
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
