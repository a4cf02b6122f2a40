"""Moves change boards: here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import Board, Delta, delta_between
from engine.cards import DOWN, Pile, turned_down, turned_up
from engine.errors import IllegalMoveError
from engine.moves import is_legal
from engine.notation import move_text
from engine.ruleset import ROW, Move, Ruleset


def play(board: Board, move: Move) -> tuple[Board, Delta]:
    """Play a move by the rules.

    Returns:
        The board after the move, and what a viewer may see of the change.

    Raises:
        IllegalMoveError: the rules do not allow it here.
    """
    if not is_legal(board, move):
        raise IllegalMoveError(f"{move_text(board.ruleset, move)} is not a legal move here.")
    after = apply(board, move)
    return after, delta_between(board, after, _touched(board.ruleset, move))


def apply(board: Board, move: Move) -> Board:
    """Return the board after a move that is known to be legal."""
    ruleset = board.ruleset
    source, target = move.source, move.target
    piles = list(board.piles)
    home, redeals = board.home, board.redeals
    if target == ROW:
        _deal_row(ruleset, piles)
    elif target == ruleset.stock:
        piles[target] = turned_down(piles[source][::-1])
        piles[source] = b""
        redeals += 1
    else:
        _carry(piles, source, target, move.count)
        first = ruleset.tableau.start
        if target < first:
            home += move.count
        if first <= source < ruleset.stock:
            bared = piles[source]
            if not bared:
                _fill(ruleset, piles, source)
            elif bared[-1] & DOWN:
                _turn_top_up(piles, source)
    if ruleset.stock_up:
        _turn_top_up(piles, ruleset.stock)
    return Board(ruleset, tuple(piles), redeals, board.moves + 1, home)


def _touched(ruleset: Ruleset, move: Move) -> Iterable[int]:
    """Return the piles that a legal move can change, by ascending number."""
    source, target = move.source, move.target
    if target == ROW:
        return range(ruleset.tableau.start, ruleset.stock + 1)
    if ruleset.fill and source in ruleset.tableau:
        return sorted((source, target, *ruleset.fill))
    return (source, target) if source < target else (target, source)


def _carry(piles: list[Pile], source: int, target: int, count: int) -> None:
    """Move cards from pile to pile, face up."""
    cards = piles[source]
    moved = cards[-count:]
    piles[source] = cards[:-count]
    piles[target] += turned_up(moved) if moved[0] & DOWN else moved


def _fill(ruleset: Ruleset, piles: list[Pile], emptied: int) -> None:
    """Fill an emptied pile at once from the first place that has cards."""
    for place in ruleset.fill:
        if piles[place]:
            _carry(piles, place, emptied, 1)
            return


def _deal_row(ruleset: Ruleset, piles: list[Pile]) -> None:
    """Deal one card onto each tableau pile, from the left, while the stock lasts."""
    stock = piles[ruleset.stock]
    dealt = stock[-len(ruleset.tableau) :][::-1]
    for target, card in zip(ruleset.tableau, turned_up(dealt), strict=False):
        piles[target] += bytes((card,))
    piles[ruleset.stock] = stock[: len(stock) - len(dealt)]


def _turn_top_up(piles: list[Pile], pile: int) -> None:
    cards = piles[pile]
    if cards and cards[-1] & DOWN:
        piles[pile] = cards[:-1] + turned_up(cards[-1:])
