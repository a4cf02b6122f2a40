"""A bounded search: can another card still reach a foundation?

The search uses only what the player knows. If it would have to guess an unseen card, or reaches
its bound, its outcome is `UNKNOWN`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from engine.board import Board
from engine.cards import DOWN, Pile
from engine.moves import is_legal, legal_moves
from engine.play import apply
from engine.ruleset import Move

MAX_POSITIONS = 3_000
"""The default bound of a search, in positions."""

_DOWN_CARDS = bytes(byte for byte in range(256) if byte & DOWN)

Position = tuple[tuple[Pile, ...], Pile, Pile, int]
"""Tableau, stock, waste and redeals: the key by which a search recognises a position."""


class Outcome(Enum):
    """The outcome of a search."""

    REACHABLE = "reachable"
    """Some line of moves brings another card onto a foundation."""
    UNREACHABLE = "unreachable"
    """No line of moves does: the board is a dead end."""
    UNKNOWN = "unknown"
    """A card that may matter is unseen, or the search reached its bound."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    Attributes:
        outcome: whether another card can reach a foundation.
        line: if it can, a shortest line of moves, the last of them onto a foundation; else empty.
    """

    outcome: Outcome
    line: tuple[Move, ...] = ()


def cards_never_seen(board: Board) -> int:
    """Return how many cards were never turned up.

    A stock that is a waste turned over lies face down, and yet every card of it has been seen.
    """
    ruleset = board.ruleset
    last = ruleset.stock if board.redeals else ruleset.stock + 1
    cards = b"".join(board.piles[ruleset.tableau.start : last])
    return len(cards) - len(cards.translate(None, _DOWN_CARDS))


def search(board: Board, positions: int = MAX_POSITIONS) -> SearchResult:
    """Search breadth-first for a line of moves that brings another card onto a foundation.

    Args:
        board: where to start. On a won board the outcome is `UNREACHABLE`.
        positions: the bound: how many positions to examine at most. One is enough to find a card
            that can go to a foundation at once, or that no move is legal.
    """
    ruleset = board.ruleset
    blind = cards_never_seen(board) > 0
    visited = {_position(board)}
    queue: deque[tuple[Board, tuple[Move, ...]]] = deque([(board, ())])
    truncated = False
    while queue:
        at, line = queue.popleft()
        moves = legal_moves(at)
        for move in moves:
            if move.target in ruleset.foundations:
                return SearchResult(Outcome.REACHABLE, (*line, move))
        if blind and moves:
            return SearchResult(Outcome.UNKNOWN)
        for move in () if truncated else moves:
            after = apply(at, move)
            position = _position(after)
            if position in visited:
                continue
            if len(visited) >= positions:
                # Nothing more is queued; what is queued already is still examined.
                truncated = True
                break
            visited.add(position)
            queue.append((after, (*line, move)))
    return SearchResult(Outcome.UNKNOWN if truncated else Outcome.UNREACHABLE)


def ends_on_foundation(board: Board, line: tuple[Move, ...]) -> bool:
    """Return whether each move of a line is legal in turn, and the last goes to a foundation."""
    for move in line:
        if not is_legal(board, move):
            return False
        board = apply(board, move)
    return bool(line) and line[-1].target in board.ruleset.foundations


def _position(board: Board) -> Position:
    """Return what identifies a board among those of one search.

    Foundations are left out: the search ends when one of them grows. Tableau piles are sorted,
    since no rule depends on their order but the dealing of rows, from left to right.
    """
    ruleset, piles = board.ruleset, board.piles
    tableau = piles[ruleset.tableau.start : ruleset.tableau.stop]
    stock = piles[ruleset.stock]
    waste = piles[ruleset.waste] if ruleset.waste is not None else b""
    if "row" not in ruleset.rules.stock.plays or not (stock or waste):
        tableau = tuple(sorted(tableau))
    return tableau, stock, waste, board.redeals
