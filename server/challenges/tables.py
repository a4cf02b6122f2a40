"""A cache of the sorted order of recently viewed tables."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from server.base.core.ids import ChallengeId
from server.challenges.core.challenge import Challenge
from server.challenges.core.table import Order, Table, order

MAX_ROWS: Final = 100_000
"""The most rows of the cached tables, 0.1 kB each, evicted in least-recently-used order."""


class ChallengeTables:
    """Sorts the tables of challenges, once for all viewers with the same access.

    Attributes:
        ordered: the number of tables sorted so far.
    """

    def __init__(self) -> None:
        self.ordered = 0
        self._known: OrderedDict[tuple[ChallengeId, bool], tuple[tuple[int, int], Order]] = (
            OrderedDict()
        )
        self._rows = 0

    def of(self, challenge: Challenge, *, shows_results: bool) -> Table:
        """Return a table, sorting it only if its order may have changed."""
        key = challenge.id, shows_results
        known = self._known.get(key)
        if known is None or known[0] != challenge.ordered:
            self.ordered += 1
            known = challenge.ordered, order(challenge, shows_results=shows_results)
            self._drop(key)
            self._known[key] = known
            self._rows += 1 + len(known[1].players)
            while self._rows > MAX_ROWS and len(self._known) > 1:
                self._drop(next(iter(self._known)))
        self._known.move_to_end(key)
        return Table(challenge, shows_results, known[1])

    def is_known(self, challenge: Challenge, *, shows_results: bool) -> bool:
        """Return whether the order that `of` needs is cached."""
        known = self._known.get((challenge.id, shows_results))
        return known is not None and known[0] == challenge.ordered

    def _drop(self, key: tuple[ChallengeId, bool]) -> None:
        known = self._known.pop(key, None)
        if known is not None:
            self._rows -= 1 + len(known[1].players)
