"""Replays: a list of moves played from a board."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import Board
from engine.errors import EngineError
from engine.notation import parse_move
from engine.play import play


def can_play(board: Board, texts: Iterable[str]) -> tuple[Board, int, EngineError | None]:
    """Play moves from their texts for as long as they are legal.

    Returns:
        The board after the valid prefix, that prefix's length, and the first move's error or
        `None` if all were played.
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
    """Return the board after the moves.

    Raises:
        EngineError: one of them is no move or not legal.
    """
    board, _, error = can_play(board, texts)
    if error is not None:
        raise error
    return board
