"""One long recorded game of each ruleset, on the deal that the measured node always deals.

The recorded games avoid their end and leave cards unseen, so that the node never searches for a way
to bring another card home.
"""

from __future__ import annotations

import random
from functools import cache

from engine.catalog import ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Move

SEED = bytes(range(SEED_BYTES))
"""The seed of every deal."""

MAX_MOVES = 300
"""The most moves of a recorded game: as many as a long game of a person has."""

_MIN_STOCK = 10
"""The number of cards in the stock at which a game stops dealing from it."""

_OTHER_SHARE = 0.97
"""The share of turns on which another legal move is preferred to dealing from the stock."""


@cache
def recorded(game: str, max_moves: int = MAX_MOVES) -> list[Move]:
    """Return the moves of the recorded game of a ruleset, at most `max_moves` of them."""
    rules = ruleset(game)
    choice = random.Random(7)  # noqa: S311 - not a secret
    board = deal_seed(rules, SEED)
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
