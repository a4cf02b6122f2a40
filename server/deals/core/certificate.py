"""Certificates: what was proved of a deal before anybody plays it, its par, and by which line."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct

from engine.board import Board
from engine.errors import EngineError
from engine.notation import move_text, parse_move
from engine.play import play
from engine.ruleset import Move, Ruleset
from server.base.core.days import Level

MAX_TEXT = 1 << 16
"""The most bytes that are unpacked; the longest known lines have 2,500."""


class Certificate(Struct, frozen=True):
    """The certificate of a daily's deal: what was proved before anybody could play it.

    Attributes:
        winnable: whether it can be won.
        par: the moves of the line that wins it; if it cannot be won, the most cards that can come
            home.
        level: how hard it is among the certified deals of its game: 1 easy, 2 medium, 3 hard.
    """

    winnable: bool
    par: Annotated[int, Meta(ge=0)]
    level: Level


def line_of(ruleset: Ruleset, moves: Iterable[Move]) -> str:
    """Return a line of moves as text, with a space between two moves."""
    return " ".join(move_text(ruleset, move) for move in moves)


def moves_of(line: str | None) -> list[str] | None:
    """Return the moves of the line that proves a closed deal's certificate, if there is one."""
    return None if line is None else line.split()


def proves(board: Board, line: str, par: int, *, winnable: bool) -> bool:
    """Return whether a line leads from a board to what is said of it.

    That no line brings more cards home is not looked at.

    Args:
        board: the first board of a deal.
        line: the moves.
        par: as in `Certificate`.
        winnable: whether the line is to win.
    """
    moves = line.split()
    try:
        for text in moves:
            board, _ = play(board, parse_move(board.ruleset, text))
    except EngineError:
        return False
    return board.won == winnable and par == (len(moves) if winnable else board.home)


def packed(text: str) -> bytes:
    """Return a text, such as that of a line, in a compact form: a move takes about two bytes."""
    return zlib.compress(text.encode(), 9)


def unpacked(data: bytes) -> str:
    """Return the text in its compact form.

    Raises:
        ValueError: it is no such form, or too long.
    """
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MAX_TEXT)
    except zlib.error as error:
        raise ValueError("This is no packed text.") from error
    if not unpacking.eof:
        raise ValueError("This packed text is too long.")
    return text.decode()
