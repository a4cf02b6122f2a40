"""The process that solves deals; `server/deals/solver_process.py` starts and queries it.

Nodes do not import this module: the compiled solver takes a second and 100 MB to load.
"""

from __future__ import annotations

from engine.catalog import daily_variant, stored_ruleset
from engine.deal import deal_seed
from engine.solver import Solution, Verdict, applies, budget_of, is_for_most, solve
from server.base.work.line_process import answer_requests
from server.deals.core.certificate import line_of
from server.deals.solver_process import Outcome, Solved, Task

_MAX_STEPS = 1 << 28  # above the steps of any budget


def solved(task: Task) -> Solved:
    """Solve a deal in this process."""
    rules = stored_ruleset(task.game, daily_variant(task.game), task.rules)
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
    """Return the difficulty of a deal: its effort, and for equal efforts its steps."""
    # In some games the narrowest beam wins half of all deals, so its width alone would not separate
    # medium from easy deals. Below 2^53, so that Redis stores it exactly as a score.
    return found.effort * _MAX_STEPS + min(found.steps, _MAX_STEPS - 1)


if __name__ == "__main__":
    answer_requests(Task, solved)
