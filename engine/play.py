"""Moves change boards: here, and nowhere else."""

from __future__ import annotations

from engine.board import Board, Delta, delta_between
from engine.cards import DOWN, Pile, turned_down, turned_up
from engine.errors import IllegalMoveError
from engine.moves import legal_moves
from engine.notation import move_text
from engine.ruleset import ROW, Move, Ruleset


def play(board: Board, move: Move) -> tuple[Board, Delta]:
    """Play a move by the rules.

    Returns:
        The board after the move, and what a viewer may see of the change.

    Raises:
        IllegalMoveError: the rules do not allow it here.
    """
    if move not in legal_moves(board):
        raise IllegalMoveError(f"{move_text(board.ruleset, move)} is not a legal move here.")
    after = apply(board, move)
    return after, delta_between(board, after)


def apply(board: Board, move: Move) -> Board:
    """Return the board after a move that is known to be legal."""
    ruleset = board.ruleset
    piles = list(board.piles)
    redeals = board.redeals
    if move.target == ROW:
        _deal_row(ruleset, piles)
    elif move.source == ruleset.waste and move.target == ruleset.stock:
        piles[move.target] = turned_down(piles[move.source][::-1])
        piles[move.source] = b""
        redeals += 1
    else:
        _carry(ruleset, piles, move)
    if ruleset.rules.stock.top == "up":
        _turn_top_up(piles, ruleset.stock)
    return Board(ruleset, tuple(piles), redeals, board.moves + 1)


def _carry(ruleset: Ruleset, piles: list[Pile], move: Move) -> None:
    """Move cards from pile to pile, and do what follows of itself."""
    source, target, count = move.source, move.target, move.count
    cards = piles[source][-count:]
    piles[source] = piles[source][:-count]
    piles[target] += turned_up(cards)
    if source in ruleset.tableau:
        _turn_top_up(piles, source)
        if not piles[source]:
            _fill(ruleset, piles, source)


def _fill(ruleset: Ruleset, piles: list[Pile], emptied: int) -> None:
    """Fill an emptied pile at once, where the rules say so, from the first place that has cards."""
    tableau = ruleset.rules.tableau
    assert tableau is not None
    for place in tableau.fill:
        source = ruleset.waste if place == "waste" else ruleset.stock
        assert source is not None
        if piles[source]:
            _carry(ruleset, piles, Move(source, emptied))
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
