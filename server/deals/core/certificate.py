"""Certificates: the proofs about deals before they are played: their par, and a line."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from msgspec import Struct

from engine.board import Board
from engine.errors import EngineError
from engine.notation import move_text, parse_move
from engine.play import play
from engine.ruleset import Move, Ruleset
from server.base.core.days import Level
from server.base.core.numbers import Count

MAX_TEXT = 1 << 16  # maximum size of an unpacked text in bytes; the longest known lines have 2,500


class Certificate(Struct, frozen=True):
    """The certificate of a daily's deal: proved before anyone could play it.

    Attributes:
        winnable: whether it can be won.
        par: the number of moves of the winning line; if it cannot be won, the maximum number of
            cards that can come home.
        level: its difficulty among the certified deals of its game: 1 easy, 2 medium, 3 hard.
    """

    winnable: bool
    par: Count
    level: Level


def line_of(ruleset: Ruleset, moves: Iterable[Move]) -> str:
    """Return a line of moves as text, separated by spaces."""
    return " ".join(move_text(ruleset, move) for move in moves)


def moves_of(line: str | None) -> list[str] | None:
    """Split the line that proves a closed deal's certificate into its moves, or return `None`."""
    return None if line is None else line.split()


def proves(board: Board, line: str, par: int, *, winnable: bool) -> bool:
    """Return whether a line proves a par, from the first board of a deal.

    `par` is as in `Certificate`, and `winnable` says whether the line must win. It does not check
    that no other line brings more cards home.
    """
    moves = line.split()
    try:
        for text in moves:
            board, _ = play(board, parse_move(board.ruleset, text))
    except EngineError:
        return False
    return board.won == winnable and par == (len(moves) if winnable else board.home)


def packed(text: str) -> bytes:
    """Compress a text such as a line; a move takes about two bytes."""
    return zlib.compress(text.encode(), 9)


def unpacked(data: bytes) -> str:
    """Decompress a text, or raise a `ValueError` if it is malformed or too long."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MAX_TEXT)
    except zlib.error as error:
        raise ValueError("This is not a packed text.") from error
    if not unpacking.eof:
        raise ValueError("This packed text is too long.")
    return text.decode()
