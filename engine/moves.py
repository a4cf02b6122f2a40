"""Which moves are legal. The same code serves boards and views: it never reads a hidden card.

What each pile takes is a set of cards, looked up by its top in the ruleset's tables. A card is
held against the union of those sets first, since most cards fit nowhere.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from engine.board import Board, Piles, View
from engine.cards import DOWN, Pile
from engine.ruleset import BITS, EMPTY, RUN_LENGTH, Fits, Move, MoveRow, Ruleset

Layout = Board | View


def legal_moves(layout: Layout) -> list[Move]:
    """Return every legal move, each once."""
    ruleset, piles = layout.ruleset, layout.piles
    tops = [pile[-1] if pile else EMPTY for pile in piles]
    moves: list[Move] = []
    taken = [takes[top] for takes, top in zip(ruleset.takes, tops, strict=False)]
    first = ruleset.tableau.start
    _add_singles(ruleset.homeward, 0, taken[:first], tops, moves)
    if ruleset.spreading:
        columns = taken[first:]
        _add_singles(ruleset.spreading, first, columns, tops, moves)
        if ruleset.spreads_runs:
            _add_runs(ruleset, piles, columns, tops, moves)
    if ruleset.runs_home:
        _add_runs_home(ruleset, piles, moves)
    if piles[ruleset.stock]:
        moves += ruleset.stock_moves
        if ruleset.stock_starts:
            _add_starts(ruleset, tops, moves)
    elif layout.redeals < ruleset.redeals:
        assert ruleset.waste is not None
        if piles[ruleset.waste]:
            moves.append(ruleset.move(ruleset.waste, ruleset.stock))
    return moves


def is_won(layout: Layout) -> bool:
    """Return whether every card is on a foundation."""
    home = layout.piles[: len(layout.ruleset.foundations)]
    return sum(map(len, home)) == layout.ruleset.total


def is_stuck(layout: Layout) -> bool:
    """Return whether no move is legal on a board that is not won."""
    return not is_won(layout) and not legal_moves(layout)


def top_of(pile: Pile) -> int:
    """Return the top card, or `EMPTY`."""
    return pile[-1] if pile else EMPTY


def run_length(pile: Pile, builds: Fits) -> int:
    """Return how many cards at the end of a pile build on one another, face up."""
    length = 0
    upper = -1
    for card in reversed(pile):
        if card & DOWN or (length and not builds[card][upper]):
            break
        length += 1
        upper = card
    return length


def _add_singles(
    sources: tuple[MoveRow, ...],
    first: int,
    taken: list[int],
    tops: list[int],
    moves: list[Move],
) -> None:
    """Add the moves of the sources' top cards to piles, of which `first` takes `taken[0]`."""
    wanted = reduce(or_, taken, 0)
    for source, row in sources:
        card = BITS[tops[source]]
        if card & wanted:
            for target, takes in enumerate(taken, first):
                if takes & card and target != source:
                    moves.append(row[target])


def _add_runs(
    ruleset: Ruleset, piles: Piles, taken: list[int], tops: list[int], moves: list[Move]
) -> None:
    """Add the moves of two cards or more between tableau piles, which take `taken`."""
    columns, builds = ruleset.tableau, ruleset.builds
    longest = ruleset.total
    if ruleset.by_spaces:
        onto = tops[columns.start : columns.stop]
        longest = 1 << onto.count(EMPTY)
        if longest == 1:
            return
        taken = [0 if top == EMPTY else cards for top, cards in zip(onto, taken, strict=True)]
    wanted = reduce(or_, taken, 0)
    for source in columns:
        pile = piles[source]
        upper = tops[source]
        for count, card in enumerate(pile[-2 : -longest - 1 : -1], 2):
            if not builds[card][upper]:
                break
            upper = card
            head = BITS[card]
            if head & wanted:
                for target, takes in enumerate(taken, columns.start):
                    if takes & head and target != source:
                        moves.append(ruleset.move(source, target, count))


def _add_runs_home(ruleset: Ruleset, piles: Piles, moves: list[Move]) -> None:
    """Add the moves of whole runs from the ends of piles to the foundations that take one."""
    for source in ruleset.tableau:
        pile = piles[source]
        head = BITS[pile[-RUN_LENGTH]] if len(pile) >= RUN_LENGTH else 0
        if not head & ruleset.runs_home:
            continue
        free = [f for f in ruleset.foundations if ruleset.run_takes[f] & head and not piles[f]]
        if free and run_length(pile, ruleset.builds) >= RUN_LENGTH:
            moves.extend(ruleset.move(source, target, RUN_LENGTH) for target in free)


def _add_starts(ruleset: Ruleset, tops: list[int], moves: list[Move]) -> None:
    """Add the moves of the stock's top card to the empty foundations that it starts."""
    stock = ruleset.stock
    card = BITS[tops[stock]]
    moves.extend(
        ruleset.move(stock, target)
        for target in ruleset.foundations
        if tops[target] == EMPTY and ruleset.takes[target][EMPTY] & card
    )


def fits_foundation(ruleset: Ruleset, target: int, pile: Pile, card: int) -> bool:
    """Return whether foundation `target` with the cards `pile` takes the single card."""
    return bool(ruleset.homes[target][top_of(pile)][card])
