"""The process that solves deals; `server/deals/solver_process.py` starts it and asks it.

Nodes do not import this module: what makes the solver fast takes a second and 100 MB to load.
"""

from __future__ import annotations

from engine.catalog import stored_ruleset
from engine.deal import deal_seed
from engine.schema import STANDARD
from engine.solver import Solution, Verdict, applies, budget_of, is_for_most, solve
from server.base.work.line_process import answer_requests
from server.deals.core.certificate import line_of
from server.deals.solver_process import Outcome, Solved, Task

_MOST_STEPS = 1 << 28
"""More than the steps of any budget."""


def solved(task: Task) -> Solved:
    """Solve a deal here and now."""
    rules = stored_ruleset(task.game, STANDARD, task.rules)
    if not applies(rules):
        return Solved("unfit", "", 0, 0)
    found = solve(deal_seed(rules, task.seed), budget_of(rules) // task.share)
    outcome: Outcome = "unknown"
    if found.verdict is Verdict.WINNABLE:
        outcome = "won"
    elif found.most and is_for_most(rules):
        outcome = "most"
    return Solved(outcome, line_of(rules, found.line), found.home, effort_of(found))


def effort_of(found: Solution) -> int:
    """Return how hard a deal was: by its effort, and of equal efforts by its steps.

    In some games the narrowest beam wins half of all deals, so that by its width alone a medium
    deal would be as hard as an easy one. It is below 2^53, which Redis has exact as a score.
    """
    return found.effort * _MOST_STEPS + min(found.steps, _MOST_STEPS - 1)


if __name__ == "__main__":
    answer_requests(Task, solved)
