"""Applying moves to boards."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import Board, Delta, delta_between
from engine.cards import DOWN, Pile, turned_down, turned_up
from engine.errors import IllegalMoveError
from engine.fits import RUN_LENGTH
from engine.moves import is_covered, is_legal, leaving_to
from engine.notation import move_text
from engine.ruleset import ROW, Move, Ruleset


def play(board: Board, move: Move) -> tuple[Board, Delta]:
    """Check a move and apply it; return the board after it, and the visible delta.

    Raises:
        IllegalMoveError: the rules do not allow the move on this board.
    """
    if not is_legal(board, move):
        raise IllegalMoveError(f"{move_text(board.ruleset, move)} is not a legal move here.")
    if _changes_ends(board.ruleset, move):
        return _play_ends(board, move)
    after = apply(board, move)
    return after, delta_between(board, after, _touched(board.ruleset, move))


def apply(board: Board, move: Move) -> Board:
    """Return the board after a legal move, without checking it again."""
    ruleset = board.ruleset
    if _changes_ends(ruleset, move):
        return _carry_ends(board, move)[0]
    source, target = move.source, move.target
    piles = list(board.piles)
    home, redeals = board.home, board.redeals
    if target == ROW:
        _deal_row(ruleset, piles)
    elif target == ruleset.stock:
        piles[target] = turned_down(piles[source][::-1])
        piles[source] = b""
        redeals += 1
    elif ruleset.turns_to_waste > 1 and source == ruleset.stock:
        _deal_to_waste(ruleset, piles)
    elif ruleset.pairs and source != ruleset.stock:
        home += _send_home(ruleset, piles, source, target)
    else:
        _carry(piles, source, target, move.count)
        first = ruleset.tableau.start
        if target < first:
            home += move.count
        elif source < first:
            home -= move.count
        _uncover(ruleset, piles, source)
    if ruleset.automatic:
        home += _send_runs(ruleset, piles)
    if ruleset.stock_up:
        _turn_top_up(piles, ruleset.stock)
    if ruleset.clears and not any(piles[ruleset.tableau.start : ruleset.tableau.stop]):
        home = _send_rest(ruleset, piles)
    return Board(ruleset, tuple(piles), redeals, board.moves + 1, home)


def _changes_ends(ruleset: Ruleset, move: Move) -> bool:
    """Return whether a legal move changes only the ends of its two piles, as most do."""
    source, target, stock = move.source, move.target, ruleset.stock
    return (
        ruleset.only_carries
        and target not in (stock, ROW)
        and (source != stock or ruleset.turns_to_waste == 1)
    )


def _play_ends(board: Board, move: Move) -> tuple[Board, Delta]:
    """Apply a move that only changes the ends of piles, without comparing piles for the delta."""
    after, turned, carried = _carry_ends(board, move)
    source, target = move.source, move.target
    taken = source, move.count + len(turned), turned
    put = target, 0, carried
    changes = (taken, put) if source < target else (put, taken)
    return after, Delta(changes, after.redeals, after.moves)


def _carry_ends(board: Board, move: Move) -> tuple[Board, Pile, Pile]:
    """Apply a move that changes only the ends of piles (`_changes_ends`).

    Returns:
        The board after it, the card that it turned up, if any, and the carried cards.
    """
    ruleset, home, piles = board.ruleset, board.home, list(board.piles)
    source, target, count = move.source, move.target, move.count
    cards = piles[source]
    left, carried, turned = cards[:-count], turned_up(cards[-count:]), b""
    # Of the piles with face-down cards, only the stock keeps its top card so.
    if left and left[-1] & DOWN and source != ruleset.stock:
        turned = turned_up(left[-1:])
        left = left[:-1] + turned
    piles[source] = left
    piles[target] += carried
    first = ruleset.tableau.start
    if target < first:
        home += count
    elif source < first:
        home -= count
    return Board(ruleset, tuple(piles), board.redeals, board.moves + 1, home), turned, carried


def _touched(ruleset: Ruleset, move: Move) -> Iterable[int]:
    """Return the numbers of the piles that a legal move can change, in ascending order."""
    source, target = move.source, move.target
    if ruleset.reaches_all:
        return range(len(ruleset.pile_names))
    if target == ROW:
        return range(ruleset.tableau.start, ruleset.stock + 1)
    if ruleset.fill and source in ruleset.tableau:
        return sorted((source, target, *ruleset.fill))
    return (source, target) if source < target else (target, source)


def _carry(piles: list[Pile], source: int, target: int, count: int) -> None:
    """Move `count` cards from pile to pile and turn them face up."""
    cards = piles[source]
    piles[source] = cards[:-count]
    piles[target] += turned_up(cards[-count:])


def _uncover(ruleset: Ruleset, piles: list[Pile], source: int) -> None:
    """Turn up cards that a move from the source uncovered, or fill the source if it is empty."""
    if source in ruleset.tableau and not piles[source]:
        _fill(ruleset, piles, source)
        for place in ruleset.covers[source]:
            if not is_covered(ruleset, piles, place):
                _turn_top_up(piles, place)
    elif source in ruleset.tableau or source in ruleset.reserve:
        _turn_top_up(piles, source)


def _fill(ruleset: Ruleset, piles: list[Pile], emptied: int) -> None:
    for place in ruleset.fill:
        if piles[place]:
            _carry(piles, place, emptied, 1)
            _uncover(ruleset, piles, place)
            return


def _send_home(ruleset: Ruleset, piles: list[Pile], source: int, target: int) -> int:
    """Bring a card home, with the target's if they are a pair; return the number of cards."""
    home = ruleset.foundations.start
    pair = (source,) if target == home else (source, target)
    for pile in pair:
        _carry(piles, pile, home, 1)
    for pile in pair:
        _uncover(ruleset, piles, pile)
    return len(pair)


def _send_rest(ruleset: Ruleset, piles: list[Pile]) -> int:
    """Bring all cards home, the top card of each pile first; return their number."""
    for pile in range(ruleset.stock, len(piles)):
        piles[ruleset.foundations.start] += turned_up(piles[pile][::-1])
        piles[pile] = b""
    return ruleset.total


def _send_runs(ruleset: Ruleset, piles: list[Pile]) -> int:
    """Move complete runs to the foundations that collect them; return the number of cards."""
    sent = 0
    for pile in ruleset.tableau:
        target = leaving_to(ruleset, piles, pile)
        if target is not None:
            _carry(piles, pile, target, RUN_LENGTH)
            _uncover(ruleset, piles, pile)
            sent += RUN_LENGTH
    return sent


def _deal_to_waste(ruleset: Ruleset, piles: list[Pile]) -> None:
    assert ruleset.waste is not None
    stock = piles[ruleset.stock]
    dealt = stock[-ruleset.turns_to_waste :]
    piles[ruleset.waste] += turned_up(dealt[::-1])
    piles[ruleset.stock] = stock[: len(stock) - len(dealt)]


def _deal_row(ruleset: Ruleset, piles: list[Pile]) -> None:
    stock = piles[ruleset.stock]
    dealt = stock[-len(ruleset.tableau) :][::-1]
    for target, card in zip(ruleset.tableau, turned_up(dealt), strict=False):
        piles[target] += bytes((card,))
    piles[ruleset.stock] = stock[: len(stock) - len(dealt)]


def _turn_top_up(piles: list[Pile], pile: int) -> None:
    cards = piles[pile]
    if cards and cards[-1] & DOWN:
        piles[pile] = cards[:-1] + turned_up(cards[-1:])
