"""Positions of games without a tableau, with the most cards that can come home, and a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from random import Random
from typing import Any

from engine.board import Board
from engine.cards import pile_names
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.solver.passes import applies, solve
from tests.engine.solver.passes_boards import RULES, short_board

SEEDS = [bytes([number]) * 32 for number in range(3)]
SHORT_BOARDS = 4
"""Boards of short packs for each of the rules."""


def entries() -> Iterator[dict[str, Any]]:
    """Yield positions, each with its rules, the most cards that can come home, and a line.

    Short packs come first, then deals, then positions in the middle of each pass of runs that
    follow hints.
    """
    chance = Random("passes")
    for rules in RULES:
        for _ in range(SHORT_BOARDS):
            yield solved(short_board(rules, chance, 20))
    rulesets = [ruleset(game.id, variant) for game in games().values() for variant in game.variants]
    for rules in filter(applies, rulesets):
        for seed in SEEDS:
            board = deal_seed(rules, seed)
            yield solved(board)
            run = list(hinted(board))
            for at in range(20, len(run), 45):
                yield solved(run[at])
        yield solved(run[len(run) // 2])


def solved(board: Board) -> dict[str, Any]:
    solution = solve(board)
    return {
        "rules": asdict(board.ruleset.rules),
        "piles": [pile_names(pile) for pile in board.piles],
        "redeals": board.redeals,
        "verdict": solution.verdict.value,
        "home": solution.home,
        "line": [move_text(board.ruleset, move) for move in solution.line],
    }


def hinted(board: Board) -> Iterator[Board]:
    """Yield the boards of a run that follows hints, and sometimes a hash."""
    while True:
        move = hint(board)
        digest = sha256(str(board.moves).encode()).digest()
        if digest[0] < 32 and (moves := legal_moves(board)):
            move = moves[digest[1] % len(moves)]
        if move is None:
            return
        yield board
        board = apply(board, move)
