"""One long legal game of each kind, on the one deal that the measured node deals.

A game avoids moves that end it, and keeps cards unseen, so that a node that plays it along never
looks for a way home.
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

LONGEST = 300
"""Moves of a game that could go on: as many as a person's long one has."""

_FEW = 10
"""Cards of the stock at which a game takes no more from it."""

_AHEAD = 0.97
"""How often another move is taken where the stock could be."""


@cache
def recorded(game: str, longest: int = LONGEST) -> list[Move]:
    """Return the moves of a game."""
    rules = ruleset(game)
    choice = random.Random(7)  # noqa: S311 - not a secret
    board = deal_seed(rules, SEED)
    found: list[Move] = []
    while len(found) < longest:
        moves = legal_moves(board)
        dealing = [move for move in moves if move.source == rules.stock]
        others = [move for move in moves if move.source != rules.stock]
        left = len(board.piles[rules.stock])
        if rules.waste is not None and left <= _FEW and board.redeals < rules.redeals:
            left = rules.total
        if left <= _FEW or (others and choice.random() < _AHEAD):
            dealing = []
        if not (dealing or others):
            break
        move = choice.choice(dealing or others)
        found.append(move)
        board = apply(board, move)
    return found
