"""Solving a board with all its cards known: can it be won, and by which moves?

Which method fits a game follows from its rules:

- `passes`: no tableau. The passes through the stock are decided together, exactly.
- `piles`: piles from which cards go to foundations only. Decided exactly, as a SAT problem.
- `graph`: one pack, of which no rows are dealt. A search through the positions, which wins most
  deals that can be won, and proves of most others that they cannot.
- `beam`: all others. A beam search finds a line that wins, or does not know; `BOUNDS.md` tells what
  was tried to prove that there is none.
"""

from __future__ import annotations

from types import ModuleType

from engine.board import Board
from engine.ruleset import Ruleset
from engine.solver import beam, graph, passes, piles
from engine.solver.solution import Solution, Verdict

__all__ = [
    "Solution",
    "Verdict",
    "applies",
    "budget_of",
    "is_exact",
    "is_for_most",
    "method_of",
    "proves_losses",
    "solve",
]

BUDGET = 10_000_000
"""The steps for a deal, unless its method says something else."""

_METHODS: tuple[ModuleType, ...] = (passes, piles, graph, beam)
"""All methods; the first that applies is used."""

_EXACT = (passes, piles)


def solve(board: Board, budget: int | None = None) -> Solution:
    """Return what is known of a board within a budget of steps, `budget_of` its game if `None`.

    The answer does not depend on the machine or the time. If no method applies, nothing is known.
    """
    rules = board.ruleset
    method = _method_of(rules)
    if method is None:
        verdict = Verdict.WINNABLE if board.won else Verdict.UNKNOWN
        return Solution(verdict, (), board.home, most=board.won)
    solution: Solution = method.solve(board, budget_of(rules) if budget is None else budget)
    return solution


def _method_of(ruleset: Ruleset) -> ModuleType | None:
    return next((method for method in _METHODS if method.applies(ruleset)), None)


def method_of(ruleset: Ruleset) -> str:
    """Return the name of the method for a game; it is empty if there is none."""
    method = _method_of(ruleset)
    return method.__name__.rpartition(".")[2] if method else ""


def is_exact(ruleset: Ruleset) -> bool:
    """Return whether the method for a game decides its boards; others may leave them undecided."""
    return _method_of(ruleset) in _EXACT


def proves_losses(ruleset: Ruleset) -> bool:
    """Return whether the method for a game proves of deals that they cannot be won."""
    return _method_of(ruleset) in (*_EXACT, graph)


def applies(ruleset: Ruleset) -> bool:
    """Return whether there is a method for a game."""
    return _method_of(ruleset) is not None


def budget_of(ruleset: Ruleset) -> int:
    """Return the budget that decides most deals of a game; about 10 s on one core at most."""
    return getattr(_method_of(ruleset), "BUDGET", BUDGET)


def is_for_most(ruleset: Ruleset) -> bool:
    """Return whether a game is played for the most cards home, since its deals are not won.

    So it is in games of passes through a stock: of 10,000 deals, none could be won.
    """
    return passes.applies(ruleset)
