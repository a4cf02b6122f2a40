"""Games whose piles only give to foundations, reduced to the facts that matter to solvers.

Every foundation takes its cards in a fixed order, a chain. The player's only choice is the pile for
each card of the stock; all possible cards go home immediately, for the reason given in `piles`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from engine.board import Board
from engine.cards import PACK_SIZE, Card, turned_up
from engine.fits import EMPTY
from engine.ruleset import Ruleset

# The pile of each card of the stock, counted from 0. Missing cards go to the first pile.
Places = Mapping[Card, int]


@dataclass(frozen=True, slots=True)
class Stacks:
    """A position."""

    chains: tuple[bytes, ...]  # by foundation, the remaining cards in order
    piles: tuple[bytes, ...]  # each from bottom to top
    stock: bytes  # the next card first

    @property
    def left(self) -> int:
        """The number of cards that are not on foundations."""
        return sum(map(len, self.piles)) + len(self.stock)


def chains_of(ruleset: Ruleset) -> tuple[bytes, ...] | None:
    """Return the cards of each chain, from an empty foundation on; no card is in two.

    It is `None` if the next card of a foundation is ambiguous, because several cards fit, or
    because there are fewer foundations than starting cards.
    """
    chains: list[bytes] = []
    first = 0
    for group in ruleset.rules.foundations:
        fits = ruleset.homes[first]
        first += group.piles
        starts = _taken(fits[EMPTY])
        if len(starts) > group.piles:
            return None
        for start in starts:
            chain = [start]
            while after := _taken(fits[chain[-1]]):
                if len(after) > 1 or after[0] in chain:
                    return None
                chain += after
            chains.append(bytes(chain))
    cards = b"".join(chains)
    return tuple(chains) if len(cards) == len(set(cards)) else None


def _taken(row: bytes) -> list[Card]:
    return [card for card in range(PACK_SIZE) if row[card]]


def stacks_of(board: Board) -> Stacks:
    """Return the position of a board whose ruleset has chains."""
    ruleset, piles = board.ruleset, board.piles
    chains = chains_of(ruleset)
    assert chains is not None
    home = {card for pile in ruleset.foundations for card in piles[pile]}
    tableau = tuple(turned_up(piles[pile]) for pile in ruleset.tableau)
    stock = turned_up(piles[ruleset.stock])[::-1]
    there = {*b"".join(tableau), *stock}
    ahead = []
    for chain in chains:
        cards = [card for card in chain if card not in home]
        # The board may have less than a pack.
        end = next((at for at, card in enumerate(cards) if card not in there), len(cards))
        ahead.append(bytes(cards[:end]))
    return Stacks(tuple(ahead), tableau, stock)


class Table:
    """A position that changes while it is played."""

    def __init__(self, stacks: Stacks) -> None:
        self.piles = [list(pile) for pile in stacks.piles]  # each from bottom to top
        # The next cards of the foundations.
        self.wanted = {chain[0] for chain in stacks.chains if chain}
        self._after = {card: after for chain in stacks.chains for card, after in pairwise(chain)}

    def place(self, card: Card, pile: int) -> None:
        """Lay a card on a pile."""
        self.piles[pile].append(card)

    def take(self, card: Card) -> None:
        """Send a wanted card home."""
        self.wanted.remove(card)
        if card in self._after:
            self.wanted.add(self._after[card])

    def settle(self) -> Iterator[tuple[int, Card]]:
        """Send all possible cards home, and yield each card's pile and the card."""
        moved = True
        while moved:
            moved = False
            # From left to right, repeatedly, each emptied as far as possible.
            for number, pile in enumerate(self.piles):
                while pile and pile[-1] in self.wanted:
                    card = pile.pop()
                    self.take(card)
                    moved = True
                    yield number, card


def settled(stacks: Stacks) -> Stacks:
    """Return the position after all possible cards of piles have gone home."""
    table = Table(stacks)
    home = {card for _, card in table.settle()}
    chains = tuple(bytes(card for card in chain if card not in home) for chain in stacks.chains)
    return Stacks(chains, tuple(map(bytes, table.piles)), stacks.stock)


def brought_home(stacks: Stacks, places: Places) -> int:
    """Return the number of cards that go home with these places."""
    table = Table(stacks)
    home = sum(1 for _ in table.settle())
    for card in stacks.stock:
        table.place(card, places.get(card, 0))
        home += sum(1 for _ in table.settle())
    return home


def in_chains(stacks: Stacks) -> dict[Card, tuple[int, int]]:
    """Return the chain's number, and the place in the chain, of each card in a chain."""
    return {
        card: (number, at)
        for number, chain in enumerate(stacks.chains)
        for at, card in enumerate(chain)
    }


def straight_home(stacks: Stacks) -> set[Card]:
    """Return the cards of the stock that go home when dealt, for any places of other cards.

    All preceding cards in their chains are such cards, too, and come earlier in the stock.
    """
    turn = {card: at for at, card in enumerate(stacks.stock)}
    found = set()
    for chain in stacks.chains:
        last = -1
        for card in chain:
            if turn.get(card, -1) <= last:
                break
            found.add(card)
            last = turn[card]
    return found


def pile_of(stacks: Stacks) -> dict[Card, int]:
    """Return the pile of each card on a pile."""
    return {card: number for number, pile in enumerate(stacks.piles) for card in pile}
