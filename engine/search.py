"""A bounded search: can another card still reach a foundation?

The search uses only the player's knowledge. If a line turns up an unseen card, or the search
reaches its bound, the outcome is `UNKNOWN`. If only dealing and turning the waste over can precede
the next card home, no search is needed: the order of the cards decides.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from engine.board import Board
from engine.cards import DOWN, Pile, turned_up
from engine.fits import BITS
from engine.moves import brings_home, is_legal, legal_moves, top_of
from engine.play import apply
from engine.ruleset import ENDLESS, Move, Ruleset

MAX_POSITIONS = 3_000  # by default

# The most moves that a search examines: a hundred per position, in some seconds.
MAX_EXAMINED = 300_000

_DOWN_CARDS = bytes(byte for byte in range(256) if byte & DOWN)

Position = tuple[object, ...]  # the key of a position within a search


class Outcome(Enum):
    """The outcome of a search."""

    REACHABLE = "reachable"  # a line of moves brings another card onto a foundation
    UNREACHABLE = "unreachable"  # no line of moves does: the board is a dead end
    UNKNOWN = "unknown"  # a card that may matter is unseen, or the search reached its bound


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search."""

    outcome: Outcome
    # A shortest line of moves that ends on a foundation; empty if there is none.
    line: tuple[Move, ...] = ()


def cards_never_seen(board: Board) -> int:
    """Return the number of cards that were never turned up."""
    ruleset, piles = board.ruleset, board.piles
    # A stock made from the waste is face down, but all its cards have been seen.
    last = ruleset.stock if board.redeals else ruleset.stock + 1
    cards = b"".join(piles[ruleset.tableau.start : last])
    if ruleset.reserve:
        cards += b"".join(piles[ruleset.reserve.start : ruleset.reserve.stop])
    return len(cards) - len(cards.translate(None, _DOWN_CARDS))


def search(board: Board, positions: int = MAX_POSITIONS) -> SearchResult:
    """Search breadth-first for a line of moves that brings another card onto a foundation.

    On a won board the outcome is `UNREACHABLE`.

    Args:
        positions: the most positions to examine. One is enough to find a card that can go to a
            foundation immediately, to find that no move is legal, and if moves only deal.
    """
    ruleset = board.ruleset
    unseen = cards_never_seen(board)
    visited = {_position(board)}
    queue: deque[tuple[Board, tuple[Move, ...]]] = deque([(board, ())])
    truncated, examined = False, 0
    while queue:
        at, line = queue.popleft()
        moves = legal_moves(at)
        examined += len(moves)
        if examined > MAX_EXAMINED:
            return SearchResult(Outcome.UNKNOWN)
        for move in moves:
            if at.home >= board.home and brings_home(ruleset, move):
                return SearchResult(Outcome.REACHABLE, (*line, move))
        if _only_deals(ruleset) and not unseen:
            return _search_deals(at)
        # Nothing is queued beyond the bound, but the queue is still examined.
        for move in () if truncated and not (unseen or ruleset.automatic) else moves:
            after = apply(at, move)
            if unseen and cards_never_seen(after) < unseen:
                return SearchResult(Outcome.UNKNOWN)
            if after.home > board.home:
                return SearchResult(Outcome.REACHABLE, (*line, move))
            position = _position(after)
            if truncated or position in visited:
                continue
            if len(visited) >= positions:
                truncated = True
                continue
            visited.add(position)
            queue.append((after, (*line, move)))
    return SearchResult(Outcome.UNKNOWN if truncated else Outcome.UNREACHABLE)


def _only_deals(ruleset: Ruleset) -> bool:
    """Return whether every move not to a foundation deals a card or turns the waste over."""
    return (
        ruleset.rules.stock.plays == ("waste",)
        and ruleset.turns_to_waste == 1
        and not (ruleset.spreading or ruleset.storing or ruleset.reserve)
    )


def _search_deals(board: Board) -> SearchResult:
    """Decide exactly, in 2 to 10 µs, if moves only deal and no card can go home immediately."""
    ruleset, piles = board.ruleset, board.piles
    stock, waste = ruleset.stock, ruleset.waste
    assert waste is not None
    ways = [
        (ruleset.takes[target][top_of(piles[target])], ruleset.move(waste, target))
        for target in ruleset.foundations
        if ruleset.single(waste, target) is not None
    ]
    deal = ruleset.move(stock, waste)
    # Foundations and tableau stay unchanged until a card of the waste goes home. Thus each card of
    # the stock comes up once, and then, if the waste may be turned over, each card of the waste.
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


def leads_home(board: Board, line: tuple[Move, ...]) -> bool:
    """Return whether each move of a line is legal in turn, and the last brings a card home."""
    home = before = board.home
    for move in line:
        if not is_legal(board, move):
            return False
        before, board = board.home, apply(board, move)
    return board.home > max(home, before)


def _position(board: Board) -> Position:
    """Return the key of a board within one search."""
    ruleset, piles = board.ruleset, board.piles
    tableau = piles[ruleset.tableau.start : ruleset.tableau.stop]
    stock = piles[ruleset.stock]
    waste = piles[ruleset.waste] if ruleset.waste is not None else b""
    # No rule depends on the order of tableau piles, except dealing rows from left to right, and
    # covering cards of peaks, which do not change before a card goes home.
    if "row" not in ruleset.rules.stock.plays or not (stock or waste):
        tableau = tuple(sorted(tableau))
    # Other foundations only grow, which ends the search.
    kept = piles[: len(ruleset.foundations)] if ruleset.gives_back else ()
    rest = piles[ruleset.reserve.start : ruleset.reserve.stop]
    cells = tuple(sorted(piles[ruleset.cells.start : ruleset.cells.stop]))
    # Whether a card of the stock was seen need not be told: the search ends at an unseen card.
    redeals = 0 if ruleset.redeals == ENDLESS else board.redeals
    return tableau, stock, waste, redeals, kept, rest, cells
