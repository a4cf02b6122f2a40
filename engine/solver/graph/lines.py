"""Lines of the search as moves of the engine."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import Board
from engine.moves import top_of
from engine.play import play
from engine.ruleset import Move
from engine.solver.graph import indices as idx
from engine.solver.graph.layout import Layout


def line_of(board: Board, layout: Layout, encoded: Iterable[int]) -> tuple[tuple[Move, ...], Board]:
    """Return the engine's moves for a line of the search, and the board after them.

    Raises:
        IllegalMoveError: search and engine disagree on the rules.
    """
    ruleset = board.ruleset
    stock, waste = ruleset.stock, ruleset.waste
    line = []

    def append(source: int, target: int, count: int = 1) -> None:
        nonlocal board
        line.append(ruleset.move(source, target, count))
        board, _ = play(board, line[-1])

    for number in encoded:
        if board.won:
            break  # the other cards went home when the tableau was empty
        source, target, count = number & 63, number >> 6 & 63, number >> 12 & 63
        to = target - idx.HOME if target >= idx.HOME else layout.piles[target]
        if source >= idx.HOME:
            append(source - idx.HOME, to)
        elif source < idx.TALON:
            append(layout.piles[source], to, count)
        elif waste is None:
            append(stock, to)
        else:
            card = layout.drawn[number >> 25 & 63]
            while top_of(board.piles[waste]) != card:
                if board.piles[stock]:
                    append(stock, waste)
                else:
                    append(waste, stock)
            append(waste, to)
    return tuple(line), board
