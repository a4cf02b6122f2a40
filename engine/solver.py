"""Whether a board without unseen cards can still bring a card home: a bounded search.

It uses no more than the player knows. A search that would have to guess an unseen card, or that
comes to its bound, says that it is unknown.
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

MOST_POSITIONS = 3_000
"""Positions that a search looks at unless told otherwise."""

_DOWN_CARDS = bytes(byte for byte in range(256) if byte & DOWN)

Position = tuple[tuple[Pile, ...], Pile, Pile, int]
"""Tableau, stock, waste and redeals."""


class Hope(Enum):
    """What a search found."""

    HOPEFUL = "hopeful"
    """Some line of moves brings another card onto a foundation."""
    HOPELESS = "hopeless"
    """No line of moves does."""
    UNKNOWN = "unknown"
    """A card is unseen that may matter, or there are more positions than the search may look at."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and where there is hope, the way: moves of which the last goes home."""

    hope: Hope
    way: tuple[Move, ...] = ()


def unseen_cards(board: Board) -> int:
    """Return how many cards were never turned up.

    A stock that is a waste turned over lies face down, and yet every card of it has been seen.
    """
    ruleset = board.ruleset
    last = ruleset.stock if board.redeals else ruleset.stock + 1
    cards = b"".join(board.piles[ruleset.tableau.start : last])
    return len(cards) - len(cards.translate(None, _DOWN_CARDS))


def search(board: Board, positions: int = MOST_POSITIONS) -> Found:
    """Search for a line of moves that brings another card home.

    Args:
        board: a board that is not won; on one that is, there is nothing left to bring.
        positions: how many positions to look at, at most. One is enough to see that a card can go
            home at once, or that no move is legal.
    """
    ruleset = board.ruleset
    blind = unseen_cards(board) > 0
    known = {_position(board)}
    waiting: deque[tuple[Board, tuple[Move, ...]]] = deque([(board, ())])
    left_out = False
    while waiting:
        at, way = waiting.popleft()
        moves = legal_moves(at)
        for move in moves:
            if move.target in ruleset.foundations:
                return Found(Hope.HOPEFUL, (*way, move))
        if blind and moves:
            return Found(Hope.UNKNOWN)
        for move in () if left_out else moves:
            after = apply(at, move)
            position = _position(after)
            if position in known:
                continue
            if len(known) >= positions:
                # Those that are waiting are looked at all the same.
                left_out = True
                break
            known.add(position)
            waiting.append((after, (*way, move)))
    return Found(Hope.UNKNOWN if left_out else Hope.HOPELESS)


def leads_home(board: Board, way: tuple[Move, ...]) -> bool:
    """Return whether the moves are legal one after another, and the last of them goes home."""
    for move in way:
        if not is_legal(board, move):
            return False
        board = apply(board, move)
    return bool(way) and way[-1].target in board.ruleset.foundations


def _position(board: Board) -> Position:
    """Return what tells a board from the others of its search.

    The foundations are not in it: a search is over when one of them grows. The order of tableau
    piles is not either, since no rule tells them apart but the dealing of rows, from the left.
    """
    ruleset, piles = board.ruleset, board.piles
    tableau = piles[ruleset.tableau.start : ruleset.tableau.stop]
    stock = piles[ruleset.stock]
    waste = piles[ruleset.waste] if ruleset.waste is not None else b""
    if "row" not in ruleset.rules.stock.plays or not (stock or waste):
        tableau = tuple(sorted(tableau))
    return tableau, stock, waste, board.redeals
