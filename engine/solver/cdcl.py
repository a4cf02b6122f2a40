"""A SAT solver in plain Python: conflict-driven clause learning, with proofs.

It is the reference for `sat`, and what that uses where no library is installed. Its decisions are
made with integers only and every tie is broken by number, so that a port which follows it step by
step finds the same model with the same number of conflicts (`client_js/src/solver/cdcl.ts` does).

The method is that of MiniSat (Eén and Sörensson, 2003): two watched literals a clause, the clause
learnt at the first unique implication point and minimised, activities that favour the variables of
recent conflicts, phases that are kept, restarts by Luby's sequence. Of the learnt clauses, those
that span the most decision levels (Audemard and Simon, 2009) are forgotten from time to time.
Clauses of two literals are kept apart, as lists of what a literal implies.

Inside the solver, the literal of variable v is 2v, and its negation 2v + 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

Clause = list[int]

RESTART = 64
"""Conflicts before a restart, times a number of Luby's sequence."""

MOST_LEARNT = 2_000
"""How many learnt clauses are kept at first; each time that some are forgotten, a few more."""

MORE_LEARNT = 500

FEW_LEVELS = 2
"""A learnt clause that spans no more decision levels than this is never forgotten."""

FIRST_BUMP = 1 << 10
MAX_ACTIVITY = 1 << 30
"""Activities stay below this, so that they fit in 32 bits with a sign."""


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


def solve(variables: int, clauses: Iterable[Sequence[int]], conflicts: int) -> Answer:
    """Decide whether some assignment of the variables makes every clause true.

    Args:
        variables: the number of variables; they are numbered from 1.
        clauses: each a sequence of literals, v or -v, that none repeats or contradicts.
        conflicts: give up after so many.
    """
    return _Search(variables, clauses).run(conflicts)


def _signed(literal: int) -> int:
    """Return a literal as it is written outside the solver."""
    return -(literal >> 1) if literal & 1 else literal >> 1


def _luby(nth: int) -> int:
    """Return an element of the sequence 1 1 2 1 1 2 4 1 1 2 ..., counted from 1."""
    while nth & (nth + 1):
        nth -= (1 << (nth.bit_length() - 1)) - 1
    return (nth + 1) >> 1


class _Search:
    """The state of a search. `trail` holds the true literals in the order in which they became so.

    Attributes:
        values: for each literal: 1 true, -1 false, 0 open.
        implies: for each literal, the clauses of two literals that it makes unit, as pairs of the
            literal implied and the clause.
        watches: for each literal, the longer clauses that watch it; they watch their first two.
        starts: where on the trail each decision level begins, from level 1 on.
        reasons: for each variable, the clause that implied it; `None` for a decision.
    """

    def __init__(self, variables: int, clauses: Iterable[Sequence[int]]) -> None:
        literals = 2 * variables + 2
        self.variables = variables
        self.values = [0] * literals
        self.implies: list[list[tuple[int, Clause]]] = [[] for _ in range(literals)]
        self.watches: list[list[Clause]] = [[] for _ in range(literals)]
        self.trail: list[int] = []
        self.starts: list[int] = []
        self.propagated = 0
        self.levels = [0] * (variables + 1)
        self.reasons: list[Clause | None] = [None] * (variables + 1)
        self.phases = [1] * (variables + 1)
        self.activities = [0] * (variables + 1)
        self.bump = FIRST_BUMP
        self.heap = [(0, v) for v in range(1, variables + 1)]
        self.queued = [0] * (variables + 1)
        self.learnt: list[tuple[int, Clause]] = []
        self.proof: list[Clause] = []
        self.consistent = True
        for clause in clauses:
            self._add([2 * x if x > 0 else -2 * x + 1 for x in clause])

    def _add(self, clause: Clause) -> None:
        """Add a clause that is given."""
        if len(clause) > 1:
            self._watch(clause)
        elif not clause or self.values[clause[0]] < 0:
            self.consistent = False
        elif not self.values[clause[0]]:
            self._assign(clause[0], None)

    def _watch(self, clause: Clause) -> None:
        """Let a clause of two or more literals be looked at when one of its first two is false."""
        first, second = clause[0], clause[1]
        if len(clause) > 2:  # noqa: PLR2004
            self.watches[first].append(clause)
            self.watches[second].append(clause)
        else:
            self.implies[first ^ 1].append((second, clause))
            self.implies[second ^ 1].append((first, clause))

    def _assign(self, literal: int, reason: Clause | None) -> None:
        """Make an open literal true at the present level."""
        self.values[literal] = 1
        self.values[literal ^ 1] = -1
        self.levels[literal >> 1] = len(self.starts)
        self.reasons[literal >> 1] = reason
        self.trail.append(literal)

    def run(self, conflicts: int) -> Answer:
        """Search until an answer is found, or so many conflicts are."""
        found = 0
        restarts = 1
        left = RESTART
        most_learnt = MOST_LEARNT
        while self.consistent:
            conflict = self._propagate()
            if conflict is not None:
                found += 1
                left -= 1
                if not self.starts:
                    break
                if found >= conflicts:
                    return Answer(None, conflicts=found)
                self._learn(conflict)
            elif left <= 0:
                restarts += 1
                left = RESTART * _luby(restarts)
                self._go_back(0)
                if len(self.learnt) > most_learnt:
                    most_learnt += MORE_LEARNT
                    self._forget()
            elif not self._decide():
                model = [value > 0 for value in self.values[::2]]
                return Answer(True, model=model, conflicts=found)
        proof = [tuple(map(_signed, clause)) for clause in self.proof]
        return Answer(False, proof=(*proof, ()), conflicts=found)

    def _propagate(self) -> Clause | None:
        """Assign all that follows from the trail; return a clause that became false, if any."""
        values, levels, reasons, trail = self.values, self.levels, self.reasons, self.trail
        implies, watches = self.implies, self.watches
        level = len(self.starts)
        at = self.propagated
        while at < len(trail):
            literal = trail[at]
            at += 1
            for implied, clause in implies[literal]:
                value = values[implied]
                if value < 0:
                    return clause
                if not value:
                    values[implied] = 1
                    values[implied ^ 1] = -1
                    levels[implied >> 1] = level
                    reasons[implied >> 1] = clause
                    trail.append(implied)
            false = literal ^ 1
            watching = watches[false]
            kept = 0
            for nth, clause in enumerate(watching):
                first = clause[0]
                if first == false:
                    first = clause[0] = clause[1]
                    clause[1] = false
                value = values[first]
                if value <= 0:
                    for place in range(2, len(clause)):
                        other = clause[place]
                        if values[other] >= 0:
                            clause[1] = other
                            clause[place] = false
                            watches[other].append(clause)
                            break
                    else:
                        if value < 0:
                            watching[kept:nth] = []
                            return clause
                        values[first] = 1
                        values[first ^ 1] = -1
                        levels[first >> 1] = level
                        reasons[first >> 1] = clause
                        trail.append(first)
                        watching[kept] = clause
                        kept += 1
                    continue
                watching[kept] = clause
                kept += 1
            del watching[kept:]
        self.propagated = at
        return None

    def _learn(self, conflict: Clause) -> None:
        """Learn a clause from one that became false, go back to where it is unit, and apply it."""
        levels, reasons, trail = self.levels, self.reasons, self.trail
        present = len(self.starts)
        seen: set[int] = set()
        below: Clause = []
        unresolved = 0
        at = len(trail)
        clause = conflict
        while True:
            for literal in clause:
                variable = literal >> 1
                if variable not in seen and levels[variable]:
                    seen.add(variable)
                    if levels[variable] == present:
                        unresolved += 1
                    else:
                        below.append(literal)
            at -= 1
            while trail[at] >> 1 not in seen:
                at -= 1
            unresolved -= 1
            if not unresolved:
                break
            reason = reasons[trail[at] >> 1]
            assert reason is not None
            clause = reason
        self._favour(seen)
        below = [literal for literal in below if not self._follows(literal, seen)]
        # The literal of the highest level is watched: it is the last to stay false on going back.
        below.sort(key=lambda literal: (-levels[literal >> 1], literal))
        learnt = [trail[at] ^ 1, *below]
        self.proof.append(learnt.copy())
        spans = 1 + len({levels[literal >> 1] for literal in below})
        self._go_back(levels[below[0] >> 1] if below else 0)
        if below:
            self._watch(learnt)
            self.learnt.append((spans, learnt))
        self._assign(learnt[0], learnt if below else None)

    def _follows(self, literal: int, seen: set[int]) -> bool:
        """Return whether a false literal was implied by others of the variables seen alone."""
        reason = self.reasons[literal >> 1]
        return reason is not None and all(
            other >> 1 in seen or not self.levels[other >> 1] for other in reason
        )

    def _favour(self, seen: Iterable[int]) -> None:
        """Raise the activity of variables that took part in a conflict, later ones more."""
        activities = self.activities
        highest = 0
        for variable in seen:
            activities[variable] += self.bump
            highest = max(highest, activities[variable])
        self.bump += self.bump >> 4
        if highest + self.bump >= MAX_ACTIVITY:
            self.bump = max(self.bump >> 16, 1 << 4)
            self.activities[:] = [activity >> 16 for activity in activities]
            self.heap = [(-activity, v) for v, activity in enumerate(self.activities) if v]
            heapify(self.heap)
            self.queued[:] = self.activities

    def _go_back(self, level: int) -> None:
        """Take back all assignments above a decision level."""
        if level >= len(self.starts):
            return
        start = self.starts[level]
        for literal in self.trail[start:]:
            variable = literal >> 1
            self.values[literal] = self.values[literal ^ 1] = 0
            self.phases[variable] = literal & 1
            activity = self.activities[variable]
            if self.queued[variable] != activity:
                self.queued[variable] = activity
                heappush(self.heap, (-activity, variable))
        del self.trail[start:]
        del self.starts[level:]
        self.propagated = start

    def _decide(self) -> bool:
        """Open a decision level with the most active open variable, the first of equals.

        Every open variable is in the heap with its present activity. Entries with an earlier one,
        which is lower, come out later and do no harm.

        Returns:
            Whether any variable was open.
        """
        while self.heap:
            activity, variable = heappop(self.heap)
            if self.queued[variable] == -activity:
                self.queued[variable] = -1
            if not self.values[2 * variable]:
                self.starts.append(len(self.trail))
                self._assign(2 * variable + self.phases[variable], None)
                return True
        return False

    def _forget(self) -> None:
        """Forget the worse half of the learnt clauses: of many levels, and of them the oldest.

        The trail must be at level 0, where reasons are not looked at any more.
        """
        ranked = sorted(range(len(self.learnt)), key=lambda nth: (-self.learnt[nth][0], nth))
        drop = {
            nth
            for nth in ranked[: len(ranked) // 2]
            if self.learnt[nth][0] > FEW_LEVELS and len(self.learnt[nth][1]) > 2  # noqa: PLR2004
        }
        gone = {id(self.learnt[nth][1]) for nth in drop}
        self.learnt = [one for nth, one in enumerate(self.learnt) if nth not in drop]
        for watching in self.watches:
            watching[:] = [clause for clause in watching if id(clause) not in gone]
