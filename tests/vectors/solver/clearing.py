"""Boards of overlapping peaks with the search's answers.

No decision of the search depends on its hashes, so other implementations generate the same
positions, and find the same lines after the same number of steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Any

from engine.board import Board
from engine.cards import pile_names
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.notation import move_text
from engine.solver.clearing import solve
from tests.engine.solver.clearing_boards import RULES, played
from tests.engine.starts import built_start

DEALS, BOARDS = 3, 8
"""Deals and other boards for each of the rules."""

BUDGET = 2_000


def entries() -> Iterator[dict[str, Any]]:
    for game, variant in RULES:
        rules = ruleset(game, variant)
        for number in range(DEALS):
            yield solved(deal_seed(rules, sha256(b"clearing %d" % number).digest()))
        for number in range(BOARDS):
            chance = Random(number)
            yield solved(played(rules, chance) if number % 2 else built_start(rules, chance))


def solved(board: Board) -> dict[str, Any]:
    found = solve(board, BUDGET)
    return {
        "game": board.ruleset.game,
        "variant": board.ruleset.variant,
        "piles": [pile_names(pile) for pile in board.piles],
        "redeals": board.redeals,
        "budget": BUDGET,
        "verdict": found.verdict.value,
        "home": found.home,
        "effort": found.effort,
        "steps": found.steps,
        "line": [move_text(board.ruleset, move) for move in found.line],
    }
