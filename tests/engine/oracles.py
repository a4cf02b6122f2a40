"""Checks of the engine's fast functions against slow ones that list all moves or piles."""

from __future__ import annotations

from functools import cache

from engine.board import Board, delta_between, view_of
from engine.moves import is_legal, is_stuck, is_won, legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply, play
from engine.ruleset import ROW, Move

HUGE = 10**9
COUNTS = [-HUGE, *range(-1, 15), 26, 104, HUGE]


@cache
def every_move(piles: int) -> list[Move]:
    """Return the moves between this many piles, and many with impossible numbers."""
    numbers = [-HUGE, *range(-3, piles + 2), HUGE]
    assert ROW in numbers
    return [Move(s, t, n) for s in numbers for t in numbers for n in COUNTS]


def check_board(board: Board) -> None:
    """Check that the listed moves are exactly the legal ones, and that a stuck board has none."""
    moves = legal_moves(board)
    listed, view = set(moves), view_of(board)
    every = [*every_move(len(board.piles)), *moves]
    assert {move for move in every if is_legal(board, move)} == listed
    assert {move for move in every if is_legal(view, move)} == listed
    check_stuck(board)


def check_stuck(board: Board) -> None:
    stuck = not is_won(board) and not legal_moves(board)
    assert is_stuck(board) == is_stuck(view_of(board)) == stuck


def check_move(board: Board, move: Move) -> None:
    """Check the board after a legal move, and its delta, numbers and text."""
    rules = board.ruleset
    after, delta = play(board, move)
    assert after == apply(board, move)
    assert delta == delta_between(board, after)
    # A board built from its piles recounts the cards on its foundations.
    assert after == Board(rules, after.piles, after.redeals, after.moves)
    assert rules.move_of(*rules.numbers_of(move)) == move
    assert parse_move(rules, move_text(rules, move)) == move
