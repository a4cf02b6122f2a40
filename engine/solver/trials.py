"""Randomized plays of a sensible player who sees no card before it is dealt.

They measure how hard a position is for people, and often win it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from engine.cards import PACK_SIZE, RANKS, Card
from engine.solver.stacks import Places, Stacks, Table, in_chains

PLAYS = 64

SEED = 2_463_534_242
SAME_CHAIN = 16  # the weight of burying a card of the same chain, which then can never go home
BURIED = 4  # the weight of each buried card with an earlier turn
CHANCE = 3  # the maximum random number added to the weight of a pile; a bit mask
WORD = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Trials:
    """The outcome of the plays."""

    home: int  # the most after a play
    places: Places  # in that play
    left: int  # cards left out, summed over all plays


def trials(stacks: Stacks) -> Trials:
    """Play a position `PLAYS` times, with the same random numbers each time."""
    player = _Player(stacks)
    plays = [player.play() for _ in range(PLAYS)]
    home, places = max(plays, key=lambda play: play[0])
    return Trials(home, places, sum(stacks.left - home for home, _ in plays))


class _Player:
    """Plays a position repeatedly, with random numbers of Marsaglia's xorshift32."""

    def __init__(self, stacks: Stacks) -> None:
        self.stacks = stacks
        self.random = SEED
        # For each card, the number of preceding cards in its chain.
        self.turns = [PACK_SIZE] * PACK_SIZE
        self.chains = [-1] * PACK_SIZE
        for card, (chain, turn) in in_chains(stacks).items():
            self.turns[card] = turn
            self.chains[card] = chain

    def play(self) -> tuple[int, Places]:
        """Return the number of cards home after a play, and the places of the stock's cards."""
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
        """Return the pile on which a card does about the least harm; the first if equal."""
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
            # A card that buries nothing goes on a pile whose cards are needed only a little later.
            weight += max(0, first - turn)
            if weight < least:
                best, least = number, weight
        return best

    def _chance(self) -> int:
        word = self.random
        word ^= word << 13 & WORD
        word ^= word >> 17
        word ^= word << 5 & WORD
        self.random = word
        return word & CHANCE
