"""Games whose foundations give cards back, searched without giving any back.

A line that wins without taking cards back also wins where that is allowed, so a win is exact. A
proof that no such line wins says nothing about the others, so losses stay undecided.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from types import ModuleType
from typing import Final

from engine.board import Board
from engine.ruleset import Ruleset
from engine.solver import beam, graph
from engine.solver.solution import Solution, Verdict

BUDGET: Final = beam.BUDGET

_METHODS: tuple[ModuleType, ...] = (graph, beam)


def applies(ruleset: Ruleset) -> bool:
    """Return whether a search applies to the game without cards back."""
    return ruleset.gives_back and _method_of(_keeping(ruleset)) is not None


def solve(board: Board, budget: int = BUDGET) -> Solution:
    """Search for a line that wins without taking cards back from foundations."""
    keeping = _keeping(board.ruleset)
    method = _method_of(keeping)
    assert method is not None
    kept = Board(keeping, board.piles, board.redeals, board.moves, board.home)
    solution: Solution = method.solve(kept, min(budget, method.BUDGET))
    if solution.verdict is Verdict.WINNABLE:
        return solution
    return replace(solution, verdict=Verdict.UNKNOWN, most=False, proof="")


@lru_cache(16)
def _keeping(ruleset: Ruleset) -> Ruleset:
    """Return the rules without cards back."""
    groups = tuple(replace(group, plays=()) for group in ruleset.rules.foundations)
    return Ruleset(ruleset.game, ruleset.variant, replace(ruleset.rules, foundations=groups))


def _method_of(keeping: Ruleset) -> ModuleType | None:
    return next((method for method in _METHODS if method.applies(keeping)), None)
