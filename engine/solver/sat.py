"""Deciding a SAT problem: by python-sat's CaDiCaL where that is installed, else by `cdcl`.

Both find the same verdict unless they run out of conflicts, and each is deterministic. The models
may differ, and how many conflicts it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from engine.solver import cdcl
from engine.solver.cdcl import Answer

library: Any = None
with suppress(ImportError):
    from pysat import solvers

    library = solvers

Solver = Callable[[int, Sequence[Sequence[int]], int], Answer]


def solve(
    variables: int, clauses: Sequence[Sequence[int]], conflicts: int, *, prove: bool = False
) -> Answer:
    """Decide whether some assignment of the variables makes every clause true.

    Args:
        variables: the number of variables; they are numbered from 1.
        clauses: each a sequence of literals, v or -v, that none repeats or contradicts.
        conflicts: give up after about so many; at least 1.
        prove: whether to give a proof if there is no such assignment.
    """
    if library is None:
        return cdcl.solve(variables, clauses, conflicts)
    return solve_by_library(variables, clauses, conflicts, prove=prove)


def solve_by_library(
    variables: int, clauses: Sequence[Sequence[int]], conflicts: int, *, prove: bool = False
) -> Answer:
    """Do the same by the library, which must be installed."""
    with library.Cadical195(bootstrap_with=clauses, with_proof=prove) as solver:
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
    """Return the clauses that a proof in the DRAT format adds; those that it deletes may stay.

    The last is empty, also where the library leaves it out since an empty one was given.
    """
    added = (line.split() for line in lines if not line.startswith("d"))
    proof = [tuple(int(literal) for literal in words[:-1]) for words in added]
    return proof if proof and not proof[-1] else [*proof, ()]
