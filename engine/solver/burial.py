"""Clauses for the number of cards that can come home from piles that only give to foundations.

`piles` proves them correct. The variables, for cards in chains that may have to wait on a pile:

- `home(x, t)`: x is home once the t-th card is dealt and all possible cards have gone home.
- `on(x, k)`: x, a card of the stock, is put on pile k.
- `before(x, y)`: x goes home before y, or only y never goes home.
- `over(y, x)`: y is put on a pile that still contains x, at any depth.
- `at_least[n]`: more than n cards come home.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from engine.cards import Card
from engine.solver.stacks import Places, Stacks, in_chains, pile_of, straight_home

TRUE = 1  # the variable that is always true: it replaces known literals in formulas
FALSE = -TRUE

Clause = list[int]


@dataclass(frozen=True, slots=True)
class Encoding:
    """The clauses of a position."""

    variables: int  # numbered from 1
    clauses: list[Clause]  # each a list of literals
    # `at_least[n]` is the literal for more than n cards home, to demand by another clause.
    at_least: list[int]
    # For each card of the stock that may have to wait, the variables of the piles.
    on: dict[Card, list[int]]

    def places(self, model: Sequence[bool]) -> Places:
        """Return the piles of the stock's cards in a model."""
        return {
            card: next(pile for pile, variable in enumerate(piles) if model[variable])
            for card, piles in self.on.items()
        }


def encode(stacks: Stacks) -> Encoding:
    """Return the clauses of a position with a stock, from which no card can go home immediately."""
    return _Encoder(stacks).encode()


class _Encoder:
    """Writes the clauses. Time t is the moment after the t-th card of the stock is dealt."""

    def __init__(self, stacks: Stacks) -> None:
        self.stacks = stacks
        self.variables = TRUE
        self.clauses: list[Clause] = [[TRUE]]
        self.times = len(stacks.stock)
        self.piles = range(len(stacks.piles))
        self.place = in_chains(stacks)
        self.dealt = {card: time for time, card in enumerate(stacks.stock)}
        self.lies_on = pile_of(stacks)
        self.straight = straight_home(stacks)
        # The cards that may have to wait on a pile, from bottom to top.
        self.waiting = [
            card for card in (*b"".join(stacks.piles), *stacks.stock) if card not in self.straight
        ]
        self.home: dict[Card, list[int]] = {}
        self.on: dict[Card, list[int]] = {}
        self.befores: dict[tuple[Card, Card], int] = {}

    def encode(self) -> Encoding:
        for chain in self.stacks.chains:
            self._go_home(chain)
        for card in self.waiting:
            if card not in self.place:
                self.home[card] = [FALSE] * self.times
        self._choose_piles()
        self._order()
        for x, y in combinations(self.waiting, 2):
            if y in self.dealt:
                self._may_bury(y, x)
            elif self.lies_on[x] == self.lies_on[y]:
                self._bury(TRUE, y, x, 0)
        counts = [[self.home[card][-1] for card in chain] for chain in self.stacks.chains]
        while len(counts) > 1:
            pairs = zip(counts[::2], counts[1::2], strict=False)
            odd = counts[len(counts) // 2 * 2 :]
            counts = [self._sum(one, two) for one, two in pairs] + odd
        on = {card: self.on[card] for card in self.waiting if card in self.dealt}
        return Encoding(self.variables, self.clauses, counts[0] if counts else [], on)

    def _new(self) -> int:
        self.variables += 1
        return self.variables

    def _add(self, *literals: int) -> None:
        """Add a clause without its known literals."""
        if TRUE not in literals:
            self.clauses.append([literal for literal in literals if literal != FALSE])

    def _go_home(self, chain: bytes) -> None:
        """Make the cards of a chain go home in order, and stay there."""
        earliest = 0
        previous = [TRUE] * self.times
        for card in chain:
            earliest = max(earliest, self.dealt.get(card, 0))
            home = [FALSE] * self.times
            self.home[card] = home
            for time in range(earliest, self.times):
                home[time] = TRUE if card in self.straight else self._new()
                self._add(-home[time], previous[time])
            for earlier, later in pairwise(home):
                self._add(-earlier, later)
            previous = home

    def _choose_piles(self) -> None:
        """Put each card that may have to wait on one pile."""
        empty = [pile for pile in self.piles if not self.stacks.piles[pile]]
        used = [FALSE] * len(empty)
        for card in self.waiting:
            if card in self.lies_on:
                self.on[card] = [
                    TRUE if pile == self.lies_on[card] else FALSE for pile in self.piles
                ]
                continue
            on = self.on[card] = [self._new() for _ in self.piles]
            self._add(*on)
            for one, two in combinations(on, 2):
                self._add(-one, -two)
            # Empty piles are interchangeable, so they are used from left to right.
            for nth, (left, right) in enumerate(pairwise(empty)):
                self._add(-on[right], used[nth])
                now = self._new()
                self._add(-now, on[left], used[nth])
                used[nth] = now

    def _before(self, x: Card, y: Card) -> int:
        """Return the literal `before(x, y)` of two cards, both in chains."""
        (one, at), (two, other) = self.place[x], self.place[y]
        if one == two:
            return TRUE if at < other else FALSE
        return -self.befores[y, x] if one > two else self.befores[x, y]

    def _order(self) -> None:
        """Make `before` a total order that agrees with each chain."""
        waiting = {*self.waiting}
        chains = [[card for card in chain if card in waiting] for chain in self.stacks.chains]
        # Within two chains, transitivity for neighbours is enough; across three, triples are
        # needed.
        for one, two in combinations(chains, 2):
            for x in one:
                for y in two:
                    self.befores[x, y] = self._new()
            for y in two:
                for x, later in pairwise(one):
                    self._add(-self.befores[later, y], self.befores[x, y])
            for x in one:
                for y, later in pairwise(two):
                    self._add(-self.befores[x, y], self.befores[x, later])
        for one, two, three in combinations(chains, 3):
            for x in one:
                for y in two:
                    for z in three:
                        xy, yz, xz = self.befores[x, y], self.befores[y, z], self.befores[x, z]
                        self._add(-xy, -yz, xz)
                        self._add(xy, yz, -xz)

    def _may_bury(self, y: Card, x: Card) -> None:
        """Add the consequences of putting y, of the stock, on the pile of the earlier x."""
        time = self.dealt[y]
        gone = self.home[x][time - 1] if time else FALSE
        if self._frees(y, x):
            return
        over = self._new()
        for one, two in zip(self.on[x], self.on[y], strict=True):
            self._add(-one, -two, gone, over)
        self._bury(over, y, x, time)

    def _bury(self, over: int, y: Card, x: Card, time: int) -> None:
        """Add the consequence of the literal `over(y, x)` from a time on: x waits for y."""
        if self._frees(y, x):
            return
        if y not in self.place:
            self._add(-over, -self.home[x][-1])
            return
        self._add(-over, -self.home[x][-1], self._before(y, x))
        if self.place[x][0] != self.place[y][0]:
            for at in range(time, self.times):
                self._add(-over, -self.home[x][at], self.home[y][at])

    def _frees(self, y: Card, x: Card) -> bool:
        """Return whether y on x delays nothing: x waits for y anyway, or forever."""
        if x not in self.place:
            return True
        one, two = self.place[x], self.place.get(y)
        return two is not None and one[0] == two[0] and two[1] < one[1]

    def _sum(self, one: list[int], two: list[int]) -> list[int]:
        """Return literals whose n-th, from 1 on, is true only if n of the given ones are.

        Both lists must be sorted so that true literals come first.
        """
        total = [self._new() for _ in range(len(one) + len(two))]
        for i in range(len(one) + 1):
            for j in range(len(two) + 1):
                if i + j < len(total):
                    least = one[i] if i < len(one) else FALSE
                    other = two[j] if j < len(two) else FALSE
                    self._add(-total[i + j], least, other)
        return total
