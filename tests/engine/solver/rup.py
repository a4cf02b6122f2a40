"""A checker of refutations that shares no code with the solvers.

A clause has the RUP property (reverse unit propagation) if unit propagation refutes its negation. A
proof is a list of clauses that ends with the empty clause. If each clause has the property given
those before it, the original clauses are unsatisfiable (Goldberg and Novikov, 2003).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence


def refutes(clauses: Iterable[Sequence[int]], proof: Sequence[Sequence[int]]) -> bool:
    """Return whether a proof ends with the empty clause and all its clauses have the property."""
    checker = _Checker()
    for clause in clauses:
        checker.add(clause)
    for clause in proof:
        if not checker.implies(clause):
            return False
        checker.add(clause)
    return bool(proof) and not proof[-1]


class _Checker:
    """Clauses and their consequences; `true` holds the literals implied permanently."""

    def __init__(self) -> None:
        self.true: set[int] = set()
        self.watching: defaultdict[int, list[list[int]]] = defaultdict(list)
        self.refuted = False

    def add(self, clause: Sequence[int]) -> None:
        # Permanently false literals come last, so that they are watched only if no others remain.
        literals = sorted(set(clause), key=lambda literal: (-literal in self.true, literal))
        for literal in literals[:2]:
            self.watching[literal].append(literals)
        open_ones = [literal for literal in literals if -literal not in self.true]
        if not open_ones or (len(open_ones) == 1 and self._propagate(open_ones) is None):
            self.refuted = True

    def implies(self, clause: Sequence[int]) -> bool:
        if self.refuted:
            return True
        found = self._propagate([-literal for literal in clause])
        if found is not None:
            self.true.difference_update(found)
        return found is None

    def _propagate(self, literals: Sequence[int]) -> list[int] | None:
        """Make literals true, with all consequences.

        Returns:
            The literals that were not true before, or `None` if a clause became false and all is
                undone.
        """
        queue = list(literals)
        found: list[int] = []
        for literal in queue:
            if literal in self.true:
                continue
            if -literal in self.true:
                self.true.difference_update(found)
                return None
            self.true.add(literal)
            found.append(literal)
            self.watching[-literal] = [
                clause for clause in self.watching[-literal] if self._stays(clause, -literal, queue)
            ]
        return found

    def _stays(self, clause: list[int], false: int, queue: list[int]) -> bool:
        """Make a clause watch another literal instead of a false one, if any is not false.

        Otherwise, append its remaining literal to the queue.
        """
        if clause[0] == false and len(clause) > 1:
            clause[:2] = clause[1::-1]
        if clause[0] in self.true:
            return True
        for place in range(2, len(clause)):
            if -clause[place] not in self.true:
                clause[1], clause[place] = clause[place], clause[1]
                self.watching[clause[1]].append(clause)
                return False
        queue.append(clause[0])
        return True
