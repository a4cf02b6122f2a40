"""Legal moves. The same code serves boards and views: it never depends on a hidden card.

What each pile takes is a bit set of cards, looked up by its top card in the ruleset's tables.
`is_legal` checks one move against it. `legal_moves` lists all moves, and tests a card against the
union of all piles' sets first, since most cards fit nowhere.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from engine.board import Board, Piles, View, count_home
from engine.cards import DOWN, Pile
from engine.fits import BITS, EMPTY, RUN_LENGTH, Fits
from engine.ruleset import Move, MoveRow, Ruleset

Layout = Board | View


def is_legal(layout: Layout, move: Move) -> bool:
    """Return whether one move is legal, without listing the others.

    The move may be any: numbers that name no pile are not legal.
    """
    ruleset, piles = layout.ruleset, layout.piles
    source, target = move.source, move.target
    if move.count != 1:
        return _is_legal_run(layout, move)
    takes = ruleset.singles.get((source, target))
    if takes is not None:
        pile, onto = piles[source], piles[target]
        card = BITS[pile[-1] if pile else EMPTY]
        return takes[onto[-1] if onto else EMPTY] & card != 0
    if source == ruleset.stock:
        return target in ruleset.stock_targets and bool(piles[source])
    return (
        source == ruleset.waste
        and target == ruleset.stock
        and not piles[target]
        and _turns_over(layout)
    )


def _is_legal_run(layout: Layout, move: Move) -> bool:
    """Return whether a move with a count other than 1 is legal."""
    ruleset, piles = layout.ruleset, layout.piles
    source, target, count = move.source, move.target, move.count
    takes = ruleset.runs.get((source, target))
    if takes is None or not 1 < count <= len(piles[source]):
        return False
    run, onto = piles[source][-count:], piles[target]
    if not takes[onto[-1] if onto else EMPTY] & BITS[run[0]]:
        return False
    columns = ruleset.tableau
    if target not in columns:
        if count != RUN_LENGTH:
            return False
    elif ruleset.by_spaces and count > 1 << piles[columns.start : columns.stop].count(b""):
        return False
    return run_length(run, ruleset.builds) == count


def legal_moves(layout: Layout) -> list[Move]:
    """Return all legal moves, each once, in no particular order."""
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
    elif _turns_over(layout):
        assert ruleset.waste is not None
        moves.append(ruleset.move(ruleset.waste, ruleset.stock))
    return moves


def is_won(layout: Layout) -> bool:
    """Return whether every card is on a foundation."""
    return count_home(layout.ruleset, layout.piles) == layout.ruleset.total


def is_stuck(layout: Layout) -> bool:
    """Return whether the board is not won and no move is legal."""
    ruleset = layout.ruleset
    if layout.piles[ruleset.stock]:
        if ruleset.stock_moves:
            return False
    elif _turns_over(layout):
        return False
    return not _some_single(layout) and not legal_moves(layout) and not is_won(layout)


def _some_single(layout: Layout) -> bool:
    """Return `True` only if some top card fits on another pile; `False` proves nothing.

    This is a cheap test before `legal_moves`: it intersects the set of all sources' top cards with
    the set of what all targets take. `Ruleset.ways` leaves out kinds of moves in which a pile may
    take its own top card, where the intersection would prove nothing.
    """
    piles, takes = layout.piles, layout.ruleset.takes
    for sources, targets in layout.ruleset.ways:
        offered = wanted = 0
        for source in sources:
            if pile := piles[source]:
                offered |= BITS[pile[-1]]
        for target in targets:
            pile = piles[target]
            wanted |= takes[target][pile[-1] if pile else EMPTY]
        if offered & wanted:
            return True
    return False


def _turns_over(layout: Layout) -> bool:
    """Return whether the waste may be turned over, given that the stock is empty."""
    ruleset = layout.ruleset
    return (
        layout.redeals < ruleset.redeals
        and ruleset.waste is not None
        and bool(layout.piles[ruleset.waste])
    )


def top_of(pile: Pile) -> int:
    """Return the top card of a pile, or `EMPTY`."""
    return pile[-1] if pile else EMPTY


def run_length(pile: Pile, builds: Fits) -> int:
    """Return how many face-up cards at the end of a pile build on one another."""
    length = 0
    for card in reversed(pile):
        if card & DOWN or (length and not builds[card][pile[-length]]):
            break
        length += 1
    return length


def _add_singles(
    sources: tuple[MoveRow, ...],
    first: int,
    taken: list[int],
    tops: list[int],
    moves: list[Move],
) -> None:
    """Append the legal moves of the sources' top cards.

    Args:
        sources: the source piles, each with its moves by target.
        first: the number of the first target pile.
        taken: the bit sets that the target piles take, from `first` on.
        tops: the top card of every pile, or `EMPTY`.
        moves: the list to append to.
    """
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
    """Append the legal moves of two or more cards between tableau piles, which take `taken`."""
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
    """Append the legal moves of whole runs from the tableau to foundations."""
    for source in ruleset.tableau:
        pile = piles[source]
        head = BITS[pile[-RUN_LENGTH]] if len(pile) >= RUN_LENGTH else 0
        if not head & ruleset.runs_home:
            continue
        free = [f for f in ruleset.foundations if ruleset.run_takes[f] & head and not piles[f]]
        if free and run_length(pile, ruleset.builds) >= RUN_LENGTH:
            moves.extend(ruleset.move(source, target, RUN_LENGTH) for target in free)


def _add_starts(ruleset: Ruleset, tops: list[int], moves: list[Move]) -> None:
    """Append the legal moves of the stock's top card to empty foundations that it may start."""
    stock = ruleset.stock
    card = BITS[tops[stock]]
    moves.extend(
        ruleset.move(stock, target)
        for target in ruleset.foundations
        if tops[target] == EMPTY and ruleset.takes[target][EMPTY] & card
    )


def fits_foundation(ruleset: Ruleset, target: int, pile: Pile, card: int) -> bool:
    """Return whether foundation `target`, holding `pile`, takes the single card `card`."""
    return bool(ruleset.homes[target][top_of(pile)][card])
