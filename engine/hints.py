"""A hint: what a good simple player would do next, by what the player sees.

`RULES.md` describes how a move is chosen. Who follows hints alone comes to an end: each of them
brings a card home, prepares that for the next hint, or gets further in a way that no later hint
takes back.
"""

from __future__ import annotations

from engine.board import Board, View, view_of
from engine.cards import DOWN, RANKS
from engine.moves import Layout, legal_moves
from engine.play import apply
from engine.ruleset import ROW, Move

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
    if target == ROW or target not in ruleset.tableau:
        return (_DEALS,)
    onto = seen.piles[target]
    turn = ruleset.turns[seen.piles[source][-count]]
    turns = [ruleset.turns[card] for card in onto if not card & DOWN]
    buried = sum(each < turn for each in turns)
    gap = min(turns, default=len(RANKS))
    if _leads_home(seen, move):
        return _PREPARES, -buried, -gap
    joins = bool(onto) and ruleset.orders_tableau
    if source in ruleset.tableau:
        return _worth_between(seen, move, joins=joins)
    if joins:
        return _WASTE_JOINS, -buried
    return (_WASTE,) if source == ruleset.waste else (_DEALS, -buried, -gap)


def _worth_between(seen: Board, move: Move, *, joins: bool) -> Worth | None:
    """Return how good a move from tableau pile to tableau pile is.

    Args:
        seen: the board.
        move: the move.
        joins: whether the cards come to lie on one that they build on.
    """
    ruleset = seen.ruleset
    source, target, count = move.source, move.target, move.count
    left = seen.piles[source][:-count]
    uncovers = bool(left) and left[-1] & DOWN != 0
    if left and not uncovers and ruleset.builds[left[-1]][seen.piles[source][-count]]:
        return None
    if joins:
        return _JOINS, uncovers, not left, count
    if uncovers:
        return _UNCOVERS, count
    spreads = left and not seen.piles[target] and not seen.piles[ruleset.stock]
    return (_SPREADS, -len(left)) if spreads else None


def _leads_home(seen: Board, move: Move) -> bool:
    """Return whether a card that is seen can go home after a move."""
    after = legal_moves(apply(seen, move))
    return any(move.target in seen.ruleset.foundations for move in after)
