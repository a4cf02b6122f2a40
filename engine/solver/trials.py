"""Plays by chance, each sensible, of somebody who sees no card before it is dealt.

They show how hard a position is for people, and often win it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from engine.cards import PACK_SIZE, RANKS, Card
from engine.solver.stacks import Places, Stacks, Table, in_chains

PLAYS = 64

SEED = 2_463_534_242

SAME_CHAIN = 16
"""The weight of burying a card of the same chain, which can never go home then."""

BURIED = 4
"""The weight of each card that is buried though its turn comes earlier."""

CHANCE = 3
"""The greatest random number that is added to the weight of a pile; a mask of bits."""

WORD = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Trials:
    """The outcome of the plays.

    Attributes:
        home: the most cards that one of them brought home.
        places: where that one put the stock's cards.
        left: how many cards did not go home, in all of them together.
    """

    home: int
    places: Places
    left: int


def trials(stacks: Stacks) -> Trials:
    """Play a position `PLAYS` times; the random numbers are always the same."""
    player = _Player(stacks)
    plays = [player.play() for _ in range(PLAYS)]
    home, places = max(plays, key=lambda play: play[0])
    return Trials(home, places, sum(stacks.left - home for home, _ in plays))


class _Player:
    """Plays a position again and again, by random numbers of Marsaglia's xorshift32."""

    def __init__(self, stacks: Stacks) -> None:
        self.stacks = stacks
        self.random = SEED
        self.turns = [PACK_SIZE] * PACK_SIZE
        """For each card, how many of its chain go home before it."""
        self.chains = [-1] * PACK_SIZE
        for card, (chain, turn) in in_chains(stacks).items():
            self.turns[card] = turn
            self.chains[card] = chain

    def play(self) -> tuple[int, Places]:
        """Return how many cards one play brings home, and where it puts the stock's cards."""
        table = Table(self.stacks)
        home = sum(1 for _ in table.settle())
        places: dict[Card, int] = {}
        for card in self.stacks.stock:
            if card in table.wanted:
                table.take(card)
                home += 1
            else:
                places[card] = self._choose(table, card)
                table.place(card, places[card])
            home += sum(1 for _ in table.settle())
        return home, places

    def _choose(self, table: Table, card: Card) -> int:
        """Return the pile on which a card does the least harm, by and large; the first of equals.

        A card that buries nothing goes where it is needed little earlier than those below it.
        """
        turns, chains = self.turns, self.chains
        turn, chain = turns[card], chains[card]
        best, least = 0, WORD
        for number, pile in zip(count(), table.piles):
            weight = self._chance()
            first = len(RANKS)
            for other in pile:
                earlier = turns[other]
                if earlier < turn:
                    weight += SAME_CHAIN + BURIED if chains[other] == chain else BURIED
                first = min(first, earlier)
            weight += max(0, first - turn)
            if weight < least:
                best, least = number, weight
        return best

    def _chance(self) -> int:
        """Return a random number from 0 to `CHANCE`."""
        word = self.random
        word ^= word << 13 & WORD
        word ^= word >> 17
        word ^= word << 5 & WORD
        self.random = word
        return word & CHANCE
