"""Deciding SAT problems, by CaDiCaL, which python-sat brings along.

The same question has the same answer. A page has a solver of its own, in
`client_js/src/solver/cdcl.ts`, which finds the same verdict unless one of the two runs out of
conflicts. The models may differ, and how many conflicts it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pysat.solvers import Cadical195


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a SAT solver.

    Attributes:
        satisfiable: `None` if it ran out of conflicts.
        model: if satisfiable, the truth of each variable by number; that of variable 0 means
            nothing.
        proof: if it is not, and a proof was asked for: clauses that follow in turn from those
            given and those before, each by unit propagation, the last of them empty. Literals are
            signed as in the clauses given.
        conflicts: how many conflicts it took.
    """

    satisfiable: bool | None
    model: Sequence[bool] = ()
    proof: Sequence[Sequence[int]] = ()
    conflicts: int = 0


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
    """Return the clauses that a proof in the DRAT format adds; those that it deletes may stay.

    The last is empty, also where the library leaves it out since an empty one was given.
    """
    added = (line.split() for line in lines if not line.startswith("d"))
    proof = [tuple(int(literal) for literal in words[:-1]) for words in added]
    return proof if proof and not proof[-1] else [*proof, ()]
