"""A hint: what a good simple player would do next, by what the player sees.

`RULES.md` describes how a move is chosen. Who follows hints alone comes to an end: each of them
brings a card home, prepares that for the next hint, or gets further in a way that no later hint
takes back.
"""

from __future__ import annotations

from engine.board import Board, View, view_of
from engine.cards import DOWN, RANKS, Card
from engine.moves import Layout, legal_moves, stock_moves
from engine.play import apply
from engine.ruleset import ENDLESS, ROW, Move, Ruleset

Worth = tuple[int, ...]
"""How good a move is. Worths are compared from the left, and more is better."""

_HOME, _PREPARES, _JOINS, _UNCOVERS, _WASTE_JOINS, _WASTE, _DEALS, _SPREADS = range(8, 0, -1)


def hint(layout: Layout) -> Move | None:
    """Return the move that a good simple player would make, or `None` if none gets further.

    It depends only on what the player sees: two boards with equal views have the same hint. It
    costs as much as listing the moves of the layout and of each layout that one move leads to:
    less than a millisecond.
    """
    ruleset = layout.ruleset
    view = layout if isinstance(layout, View) else view_of(layout)
    seen = Board(ruleset, view.piles, view.redeals, view.moves)
    moves = legal_moves(seen)
    homeward = [move for move in moves if move.target in ruleset.foundations]
    worths = {move: _worth(seen, move) for move in homeward or moves}
    useful = [(worth, _order(move), move) for move, worth in worths.items() if worth]
    return max(useful)[-1] if useful else None


def _order(move: Move) -> Worth:
    """Return what decides between moves of equal worth: piles on the left come first."""
    return -move.source, -move.target, -move.count


def _worth(seen: Board, move: Move) -> Worth | None:
    """Return how good a legal move is; `None` if it leads nowhere.

    The board has no move home, or this is one.
    """
    ruleset = seen.ruleset
    source, target, count = move.source, move.target, move.count
    if target in ruleset.foundations:
        last = seen.piles[source][-1]
        return _HOME, count, 0 if last & DOWN else -ruleset.turns[last]
    if source in ruleset.foundations:
        return None
    if target == ruleset.stock:
        return (_DEALS,) if _has_use(seen) else None
    return (_DEALS,) if target in (ROW, ruleset.waste) else _worth_to_place(seen, move)


def _worth_to_place(seen: Board, move: Move) -> Worth | None:
    """Return how good a move to a tableau pile or a cell is, from anywhere but a foundation."""
    ruleset = seen.ruleset
    source, target = move.source, move.target
    onto = seen.piles[target]
    turn = ruleset.turns[seen.piles[source][-move.count]]
    turns = [ruleset.turns[card] for card in onto if not card & DOWN]
    buried = sum(each < turn for each in turns)
    gap = min(turns, default=len(RANKS))
    if _leads_home(seen, move):
        return _PREPARES, -buried, -gap
    if source in ruleset.tableau:
        return _worth_from_pile(seen, move)
    if onto and ruleset.orders_tableau:
        return _WASTE_JOINS, -buried
    if source == ruleset.stock:
        return _DEALS, -buried, -gap
    # A card that leaves one place of its own for another gets nowhere.
    return None if source in ruleset.cells or target in ruleset.cells else (_WASTE,)


def _worth_from_pile(seen: Board, move: Move) -> Worth | None:
    """Return how good a move from a tableau pile to another, or to a cell, is."""
    ruleset = seen.ruleset
    source, target, count = move.source, move.target, move.count
    head = seen.piles[source][-count]
    left, onto = seen.piles[source][:-count], seen.piles[target]
    uncovers = bool(left) and left[-1] & DOWN != 0
    bond = 0 if not left or uncovers else _bond(ruleset, left[-1], head)
    new_bond = _bond(ruleset, onto[-1], head) if onto and ruleset.orders_tableau else 0
    waits = _waits_for_cards(seen)
    if new_bond:
        empties = not left
        useful = new_bond > bond and not (empties and ruleset.rows_need_cards and _has_stock(seen))
        return (_JOINS, new_bond, uncovers, empties, count) if useful else None
    if uncovers:
        return _UNCOVERS, target in ruleset.tableau, count
    if bond and not waits:
        return None
    spreads = left and not onto and (waits or not _has_stock(seen))
    return (_SPREADS, target in ruleset.tableau, -bond, -len(left)) if spreads else None


def _bond(ruleset: Ruleset, below: Card, card: Card) -> int:
    """Return how well a card lies on another: 2 if they move together, 1 if it only builds."""
    return ruleset.builds[below][card] + ruleset.carries[below][card]


def _has_stock(seen: Board) -> bool:
    """Return whether the stock has cards."""
    return bool(seen.piles[seen.ruleset.stock])


def _waits_for_cards(seen: Board) -> bool:
    """Return whether the stock has cards and deals none until every tableau pile has some."""
    return seen.ruleset.rows_need_cards and _has_stock(seen) and not stock_moves(seen)


def _has_use(seen: Board) -> bool:
    """Return whether turning the waste over leads anywhere.

    Where it ends, it always may. Without end it does if a card fits somewhere which the next pass
    brings up, were nothing else played.
    """
    ruleset = seen.ruleset
    if ruleset.redeals < ENDLESS:
        return True
    assert ruleset.waste is not None
    waste, at_once = seen.piles[ruleset.waste], ruleset.turns_to_waste
    tops = {*waste[at_once - 1 :: at_once], waste[-1]}
    piles = list(seen.piles)
    for top in tops:
        piles[ruleset.waste] = bytes((top,))
        passing = Board(ruleset, tuple(piles), seen.redeals, seen.moves, seen.home)
        moves = (move for move in legal_moves(passing) if move.source == ruleset.waste)
        if any(move.target != ruleset.stock and _worth(passing, move) for move in moves):
            return True
    return False


def _leads_home(seen: Board, move: Move) -> bool:
    """Return whether a move brings a card home, or leaves one that is seen to go home next."""
    after = apply(seen, move)
    return after.home > seen.home or any(
        move.target in seen.ruleset.foundations for move in legal_moves(after)
    )
