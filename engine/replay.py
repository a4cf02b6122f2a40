"""Replays: a list of moves in text, played from a board."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import Board
from engine.errors import EngineError
from engine.notation import parse_move
from engine.play import play


def play_while_legal(board: Board, texts: Iterable[str]) -> tuple[Board, int, EngineError | None]:
    """Play moves, given as text, up to the first that is malformed or illegal.

    Returns:
        The board after the legal prefix, the number of moves in that prefix, and the error of the
        move after it; `None` if all were played.
    """
    played = 0
    for text in texts:
        try:
            board, _ = play(board, parse_move(board.ruleset, text))
        except EngineError as error:
            return board, played, error
        played += 1
    return board, played, None


def replay(board: Board, texts: Iterable[str]) -> Board:
    """Return the board after all of the moves.

    Raises:
        NotationError: a text is not a move.
        IllegalMoveError: a move is not legal where it is played.
    """
    board, _, error = play_while_legal(board, texts)
    if error is not None:
        raise error
    return board
