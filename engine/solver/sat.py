"""SAT solving with CaDiCaL, which is bundled with python-sat.

Answers are deterministic. Pages use `client_js/src/solver/cdcl.ts`, which reaches the same verdict
unless one of the two runs out of conflicts. Models and numbers of conflicts may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pysat.solvers import Cadical195


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a SAT solver."""

    satisfiable: bool | None  # `None` if it ran out of conflicts
    model: Sequence[bool] = ()  # if satisfiable, each variable's value by number; entry 0 is unused
    # If unsatisfiable, and requested: clauses that each follow by unit propagation from the given
    # and the preceding ones. The last is empty. Literals are signed as in the given clauses.
    proof: Sequence[Sequence[int]] = ()
    conflicts: int = 0


def solve(
    variables: int, clauses: Sequence[Sequence[int]], conflicts: int, *, prove: bool = False
) -> Answer:
    """Decide whether an assignment of the variables, numbered from 1, satisfies every clause.

    Args:
        clauses: sequences of literals, v or -v, each variable at most once in a clause.
        conflicts: the approximate maximum number of conflicts; at least 1.
        prove: whether to return a proof of unsatisfiability.
    """
    with Cadical195(bootstrap_with=clauses, with_proof=prove) as solver:
        solver.conf_budget(conflicts)
        satisfiable = solver.solve_limited()
        found = solver.accum_stats()["conflicts"]
        if satisfiable:
            model = [False] * (variables + 1)
            for literal in solver.get_model():
                if 0 < literal <= variables:
                    model[literal] = True
            return Answer(True, model=model, conflicts=found)
        proof = _clauses(solver.get_proof()) if prove and satisfiable is False else ()
        return Answer(satisfiable, proof=proof, conflicts=found)


def _clauses(lines: Sequence[str]) -> Sequence[Sequence[int]]:
    """Return the clauses that a proof in the DRAT format adds, ignoring deletions."""
    added = (line.split() for line in lines if not line.startswith("d"))
    proof = [tuple(int(literal) for literal in words[:-1]) for words in added]
    # The library omits the last, empty clause if an empty clause was given.
    return proof if proof and not proof[-1] else [*proof, ()]
