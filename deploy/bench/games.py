"""One recorded game of each ruleset, on the deal that the measured node always deals.

A node searches for a way to bring another card home once all cards have been seen. The recorded
games end before that; `searched` returns what comes after in the one game that has it.
"""

from __future__ import annotations

import random
from functools import cache

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Move
from engine.search import cards_never_seen

SEED = bytes(range(SEED_BYTES))
"""The seed of every deal."""

MAX_MOVES = 300
"""The most moves of a recorded game: as many as a long game of a person has."""

SEARCHED = "robert"
"""The game in which all cards can be seen early: its waste is turned over."""

_MIN_STOCK = 10
"""The number of cards in the stock at which a game stops dealing from it, before the last time."""

_OTHER_SHARE = 0.97
"""The share of turns on which another legal move is preferred to dealing from the stock."""


@cache
def recorded(game: str, max_moves: int = MAX_MOVES) -> list[Move]:
    """Return the first moves of a ruleset's recorded game, in which no position is searched."""
    board = deal_seed(ruleset(game), SEED)
    found = []
    for move in _played(game, max_moves):
        board = apply(board, move)
        if not cards_never_seen(board):
            break
        found.append(move)
    return found


def searched() -> tuple[list[Move], int]:
    """Return a whole game of `SEARCHED`, and how many of its moves are not searched."""
    return _played(SEARCHED, MAX_MOVES), len(recorded(SEARCHED))


def _played(game: str, max_moves: int) -> list[Move]:
    rules = ruleset(game)
    choice = random.Random(7)  # noqa: S311 - not a secret
    board: Board = deal_seed(rules, SEED)
    found: list[Move] = []
    while len(found) < max_moves:
        moves = legal_moves(board)
        dealing = [move for move in moves if move.source == rules.stock]
        others = [move for move in moves if move.source != rules.stock]
        left = len(board.piles[rules.stock])
        if rules.waste is not None and left <= _MIN_STOCK and board.redeals < rules.redeals:
            left = rules.total
        if left <= _MIN_STOCK or (others and choice.random() < _OTHER_SHARE):
            dealing = []
        if not (dealing or others):
            break
        move = choice.choice(dealing or others)
        found.append(move)
        board = apply(board, move)
    return found
