"""A ruleset and a board in the arrays of the search."""

from __future__ import annotations

from engine.board import Board
from engine.cards import PACK_SIZE, Card, turned_up
from engine.fits import EMPTY, pair_fits
from engine.moves import top_of
from engine.ruleset import ENDLESS, Move, Ruleset
from engine.solver.beam.random_numbers import numbers
from engine.solver.clearing import indices as idx
from engine.solver.clearing.indices import Ints

MAX_REDEALS = 31  # a position has five bits for them


def fits_layout(ruleset: Ruleset) -> bool:
    """Return whether a layout can represent these rules.

    They need peaks and one foundation, and no reserve or cells. Either single cards go home, and
    the stock is dealt there; or pairs of one pack do, and the stock is dealt to the waste.
    """
    rules = ruleset.rules
    if not ruleset.peaks or len(ruleset.foundations) > 1 or rules.reserve or rules.cells:
        return False
    if ruleset.pairs:
        return (
            rules.packs == 1
            and rules.waste is not None
            and rules.waste.plays == ("foundation",)
            and (ruleset.redeals <= MAX_REDEALS or ruleset.redeals == ENDLESS)
        )
    stock = rules.stock
    dealt_home = stock.plays == ("foundation",) and stock.to_foundation == "any"
    return ruleset.groups[0].takes == "card" and (dealt_home or not stock.plays)


class Layout:
    """The tables of a board's search, and the meaning of its moves."""

    def __init__(self, board: Board, steps: int, deepest: int, log_seen: int) -> None:
        ruleset = board.ruleset
        self._ruleset = ruleset
        self._piles = [pile for pile in ruleset.tableau if board.piles[pile]]
        cards = [turned_up(board.piles[pile])[0] for pile in self._piles]
        self.tables = t = numbers([0]) * idx.TABLES
        t[idx.PLACES] = len(cards)
        t[idx.PEAKS] = (1 << len(cards)) - 1
        t[idx.STEPS_LIMIT], t[idx.DEEPEST], t[idx.MASK] = steps, deepest, (1 << log_seen) - 1
        numbered = {pile: place for place, pile in enumerate(self._piles)}
        for pile, place in numbered.items():
            covering = (numbered[p] for p in ruleset.covered_by[pile] if p in numbered)
            t[idx.ACROSS + place] = sum(1 << other for other in covering)
        self.first, self.second = 0, len(board.piles[ruleset.stock])
        if ruleset.pairs:
            assert ruleset.waste is not None
            waste, stock = board.piles[ruleset.waste], board.piles[ruleset.stock]
            cards += [*waste, *turned_up(stock[::-1])]
            self.first = len(waste)
            self._add_pairs(cards, board.redeals)
        else:
            self._add_builds(cards, board)
        t[idx.CARDS] = len(cards)
        wins = ruleset.clears or not ruleset.pairs
        t[idx.GOAL] = t[idx.PEAKS] if wins else (1 << len(cards)) - 1
        self.seen = idx.FRAMES + idx.FRAME * (deepest + 2)
        self.best = self.seen + (1 << log_seen)

    def _add_pairs(self, cards: list[Card], redeals: int) -> None:
        t, ruleset, fits = self.tables, self._ruleset, pair_fits()
        t[idx.PAIRS], t[idx.TURNS] = 1, ruleset.turns_to_waste
        t[idx.ENDLESS] = int(ruleset.redeals == ENDLESS)
        self.second = 0 if t[idx.ENDLESS] else ruleset.redeals - redeals
        places = t[idx.PLACES]
        # The cards that must go home before each place's card.
        above = [0] * len(cards)
        for place in reversed(range(places)):
            for other in range(place + 1, places):
                if t[idx.ACROSS + place] >> other & 1:
                    above[place] |= 1 << other | above[other]
        for one, card in enumerate(cards):
            if ruleset.homes[0][EMPTY][card]:
                t[idx.ALONE] |= 1 << one
            for other, partner in enumerate(cards):
                # Two cards of the stock never are available at once, and neither are two of which
                # one must go home before the other.
                apart = min(one, other) >= places or above[one] >> other & 1
                if fits[card][partner] and not (apart or above[other] >> one & 1):
                    t[idx.PARTNERS + one] |= 1 << other

    def _add_builds(self, cards: list[Card], board: Board) -> None:
        t, ruleset = self.tables, self._ruleset
        stock, top = turned_up(board.piles[ruleset.stock]), top_of(board.piles[0])
        fits = ruleset.homes[0]
        # Cards of a kind take and follow the same cards.
        traits = [(fits[c], bytes(fits[other][c] for other in range(PACK_SIZE))) for c in range(52)]
        known = {trait: kind for kind, trait in enumerate(dict.fromkeys(traits))}
        kinds = [known[trait] for trait in traits]
        for one in range(PACK_SIZE):
            for other in range(PACK_SIZE):
                t[idx.TAKES + kinds[one]] |= fits[one][other] << kinds[other]
        for other in range(PACK_SIZE):
            t[idx.TAKES + PACK_SIZE] |= fits[EMPTY][other] << kinds[other]
        self.first = kinds[top] if top != EMPTY else PACK_SIZE
        for place, card in enumerate(cards):
            t[idx.KINDS + place] = kinds[card]
        for below, card in enumerate(stock):
            t[idx.STOCK + below + 1] = kinds[card]

    def move_of(self, number: int) -> Move:
        """Return a move of the search as the engine's."""
        ruleset = self._ruleset
        if number in (idx.DEAL, idx.REDEAL):
            target = ruleset.foundations.start if ruleset.waste is None else ruleset.waste
            if number == idx.REDEAL:
                return ruleset.move(target, ruleset.stock)
            return ruleset.move(ruleset.stock, target)
        card, partner = number & 63, number >> 6
        target = ruleset.foundations.start
        if ruleset.pairs and partner != idx.NO_PARTNER:
            target = self._pile(partner)
        return ruleset.move(self._pile(card), target)

    def _pile(self, card: int) -> int:
        if card < len(self._piles):
            return self._piles[card]
        assert self._ruleset.waste is not None
        return self._ruleset.waste

    def memory(self) -> Ints:
        """Return memory with the board's position in the first frame."""
        t = self.tables
        memory = numbers([0]) * (self.best + t[idx.DEEPEST] + 2)
        memory[idx.FRAMES + idx.ALIVE] = (1 << t[idx.CARDS]) - 1
        memory[idx.FRAMES + idx.FIRST] = self.first
        memory[idx.FRAMES + idx.SECOND] = self.second
        return memory
