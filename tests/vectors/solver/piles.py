"""Positions of games in which piles give only to foundations, with their solutions.

An entry has only the parts on which all SAT solvers agree: neither the line nor the number of
conflicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from random import Random
from typing import Any

from engine.board import Board
from engine.cards import PACK_SIZE, pile_names
from engine.catalog import games, ruleset
from engine.deal import lay_out
from engine.solver.piles import STEPS_PER_CONFLICT, applies, solve
from tests.engine.solver.short_packs import SOME_RULES, short_board, walked

BUDGET = 5_000 * STEPS_PER_CONFLICT

DEALS = [9, 11, 20, 31]
"""Numbers of deals. Deal 31 cannot be won."""

WALKS = [6, 18, 30]
"""Numbers of random moves before a position in the middle of a deal."""


def entries() -> Iterator[dict[str, Any]]:
    """Yield positions, each with its rules, budget and solution.

    Short packs come first, then deals, some without a budget, then positions in the middle of
    games.
    """
    chance = Random("piles")
    for rules in SOME_RULES:
        for suits, ranks in [("SHDC", 3), ("SHD", 5), ("SHDC", 8)]:
            board = short_board(rules, chance, suits, ranks)
            yield solved(board)
            yield solved(walked(board, chance, 8))
    rulesets = [ruleset(game.id, variant) for game in games().values() for variant in game.variants]
    for rules in filter(applies, rulesets):
        for number in DEALS:
            deck = list(range(PACK_SIZE))
            Random(number).shuffle(deck)
            board = lay_out(rules, bytes(deck))
            yield solved(board)
            yield solved(board, 0)
            for moves in WALKS:
                yield solved(walked(board, chance, moves))


def solved(board: Board, budget: int = BUDGET) -> dict[str, Any]:
    solution = solve(board, budget)
    return {
        "rules": asdict(board.ruleset.rules),
        "piles": [pile_names(pile) for pile in board.piles],
        "budget": budget,
        "verdict": solution.verdict.value,
        "home": solution.home,
        "most": solution.most,
        "effort": solution.effort,
    }
