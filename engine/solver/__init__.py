"""Solving a board with all cards known: can it be won, and by which moves?

The rules of a game determine its method:

- `passes`: games without a tableau. All passes through the stock are decided together, exactly.
- `piles`: games whose piles only give cards to foundations. They are decided exactly, by SAT.
- `heights`: games whose columns only give cards to one foundation. They are decided exactly.
- `clearing`: games of overlapping peaks that only give cards to one foundation. A search decides
  almost all boards exactly.
- `graph`: other games of one pack without dealt rows. A search through positions wins most
  winnable deals and proves most others lost.
- `beam`: most other games. A beam search finds a winning line or leaves the deal undecided;
  `BOUNDS.md` describes the attempts to prove losses.
- `kept`: games for which only the cards that foundations give back prevent the last two. They are
  searched without giving any back, so a loss remains undecided.
"""

from __future__ import annotations

from types import ModuleType

from engine.board import Board
from engine.ruleset import Ruleset
from engine.solver import beam, clearing, graph, heights, kept, passes, piles
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

BUDGET = 10_000_000  # steps, unless the method has its own
_METHODS: tuple[ModuleType, ...] = (
    passes,
    piles,
    heights,
    clearing,
    graph,
    beam,
    kept,
)  # the first that applies is used
_EXACT = (passes, piles, heights)


def solve(board: Board, budget: int | None = None) -> Solution:
    """Solve a board within a budget of steps; by default its game's, `budget_of`.

    The answer does not depend on machine or time. It is unknown if no method applies.
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
    """Return the name of a game's method, or an empty text."""
    method = _method_of(ruleset)
    return method.__name__.rpartition(".")[2] if method else ""


def is_exact(ruleset: Ruleset) -> bool:
    """Return whether a game's method decides every board; others may leave some undecided."""
    return _method_of(ruleset) in _EXACT


def proves_losses(ruleset: Ruleset) -> bool:
    """Return whether a game's method can prove that deals cannot be won."""
    return _method_of(ruleset) in (*_EXACT, clearing, graph)


def applies(ruleset: Ruleset) -> bool:
    """Return whether a game has a method."""
    return _method_of(ruleset) is not None


def budget_of(ruleset: Ruleset) -> int:
    """Return the budget that decides most deals of a game, in at most about 10 s on one core."""
    return getattr(_method_of(ruleset), "BUDGET", BUDGET)


def is_for_most(ruleset: Ruleset) -> bool:
    """Return whether a game's goal is the most cards home, because deals cannot be won."""
    # None of 10,000 deals of games of passes could be won.
    return passes.applies(ruleset)
