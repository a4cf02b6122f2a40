"""A bounded search: can another card still reach a foundation?

The search uses only what the player knows. If it would have to guess an unseen card, or reaches
its bound, its outcome is `UNKNOWN`. Where only dealing and turning the waste over can come before
the next card home, no position is searched: the order in which cards come up decides.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from engine.board import Board
from engine.cards import DOWN, Pile, turned_up
from engine.fits import BITS
from engine.moves import is_legal, legal_moves, top_of
from engine.play import apply
from engine.ruleset import Move, Ruleset

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
            that can go to a foundation at once, or that no move is legal; and for every outcome
            where moves only deal.
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
        if _only_deals(ruleset):
            return _search_deals(at)
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


def _only_deals(ruleset: Ruleset) -> bool:
    """Return whether all moves but those to foundations deal to the waste, or turn it over."""
    return ruleset.rules.stock.plays == ("waste",) and not ruleset.spreading


def _search_deals(board: Board) -> SearchResult:
    """Search where no card can go home at once, and moves only deal: exactly, in 2 to 10 µs.

    Until a card of the waste goes home, foundations and tableau stay as they are. So each card of
    the stock comes up once, and then, if the waste may be turned over, each card of the waste.
    """
    ruleset, piles = board.ruleset, board.piles
    stock, waste = ruleset.stock, ruleset.waste
    assert waste is not None
    ways = [
        (ruleset.takes[target][top_of(piles[target])], ruleset.move(waste, target))
        for target in ruleset.foundations
        if (waste, target) in ruleset.singles
    ]
    deal = ruleset.move(stock, waste)
    passes: list[tuple[Pile, tuple[Move, ...]]] = [(turned_up(piles[stock][::-1]), ())]
    if board.redeals < ruleset.redeals:
        deals = (deal,) * len(piles[stock])
        passes.append((piles[waste], (*deals, ruleset.move(waste, stock))))
    for cards, before in passes:
        for nth, card in enumerate(cards, 1):
            for takes, home in ways:
                if takes & BITS[card]:
                    line = (*before, *[deal] * nth, home)
                    return SearchResult(Outcome.REACHABLE, line)
    return SearchResult(Outcome.UNREACHABLE)


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
