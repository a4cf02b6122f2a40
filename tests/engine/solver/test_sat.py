"""The SAT solvers: one suite for both, with proofs that are checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.solver import cdcl, sat
from engine.solver.cdcl import Answer
from tests.engine.solver.rup import refutes

Clauses = list[tuple[int, ...]]

MANY = 10**6

SOLVERS = pytest.mark.parametrize(
    "solver", [cdcl.solve, sat.solve_by_library], ids=["own", "library"]
)


def satisfies(model: Sequence[bool], clauses: Clauses) -> bool:
    """Return whether a model makes every clause true."""
    return all(any(model[abs(x)] == (x > 0) for x in clause) for clause in clauses)


def satisfiable(variables: int, clauses: Clauses) -> bool:
    """Return whether any of all assignments satisfies the clauses."""
    return any(
        satisfies((False, *model), clauses) for model in product((False, True), repeat=variables)
    )


def pigeons(holes: int) -> tuple[int, Clauses]:
    """Return clauses that put one more pigeon than there are holes into holes of their own."""
    sits = [[hole + pigeon * holes + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    clauses: Clauses = [tuple(pigeon) for pigeon in sits]
    for hole in range(holes):
        clauses += [(-a[hole], -b[hole]) for a, b in combinations(sits, 2)]
    return holes * (holes + 1), clauses


def random_clauses(chance: Random, variables: int, number: int, length: int = 3) -> Clauses:
    """Return clauses of different variables, each negated or not by chance."""
    return [
        tuple(v * chance.choice((1, -1)) for v in chance.sample(range(1, variables + 1), length))
        for _ in range(number)
    ]


def asked(solver: sat.Solver, variables: int, clauses: Clauses, conflicts: int = MANY) -> Answer:
    """Return a solver's answer, having checked its model or its proof."""
    if solver is sat.solve_by_library:
        answer = sat.solve_by_library(variables, clauses, conflicts, prove=True)
    else:
        answer = solver(variables, clauses, conflicts)
    if answer.satisfiable:
        assert satisfies(answer.model, clauses)
    elif answer.satisfiable is False:
        assert refutes(clauses, answer.proof)
    return answer


@SOLVERS
@given(st.integers(1, 9), st.integers(0, 60), st.integers(0, 2**32))
def test_verdicts_are_those_of_all_assignments(
    solver: sat.Solver, variables: int, number: int, seed: int
) -> None:
    """With clauses of one to four literals, some of the same variables."""
    chance = Random(seed)
    clauses: Clauses = []
    for _ in range(number):
        clauses += random_clauses(
            chance, variables, 1, min(variables, chance.choice((1, 2, 3, 3, 4)))
        )
    clauses = clauses[: chance.randint(0, number)]
    assert asked(solver, variables, clauses).satisfiable == satisfiable(variables, clauses)


@SOLVERS
def test_hard_random_clauses_are_decided_alike(solver: sat.Solver) -> None:
    """At 4.26 clauses a variable about half are satisfiable, and those are the hardest."""
    chance = Random(3)
    verdicts = []
    for _ in range(20):
        clauses = random_clauses(chance, 60, 256)
        verdicts.append(asked(solver, 60, clauses).satisfiable)
        assert verdicts[-1] == cdcl.solve(60, clauses, MANY).satisfiable
    assert {*verdicts} == {True, False}


@SOLVERS
@pytest.mark.parametrize("clauses", [[()], [(1,), (-1,)], [(1, 2), (1, -2), (-1, 2), (-1, -2)]])
def test_contradictions_are_refuted(solver: sat.Solver, clauses: Clauses) -> None:
    assert asked(solver, 2, clauses).satisfiable is False


@SOLVERS
def test_a_model_assigns_variables_that_no_clause_has(solver: sat.Solver) -> None:
    answer = asked(solver, 5, [(2,)])
    assert answer.satisfiable
    assert len(answer.model) == 6


@SOLVERS
def test_pigeons_are_too_many(solver: sat.Solver) -> None:
    assert asked(solver, *pigeons(6)).satisfiable is False


@pytest.mark.parametrize(("holes", "conflicts"), [(6, 752), (7, 4_114)])
def test_our_own_solver_takes_the_same_steps_as_its_port(holes: int, conflicts: int) -> None:
    """Those of `client_js/tests/solver/cdcl.test.ts`; the second forgets clauses on the way."""
    assert cdcl.MOST_LEARNT < 4_114
    assert cdcl.solve(*pigeons(holes), MANY).conflicts == conflicts


def test_without_the_library_our_own_solver_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = random_clauses(Random(5), 50, 213)
    theirs = sat.solve(50, clauses, MANY)
    monkeypatch.setattr(sat, "library", None)
    ours = sat.solve(50, clauses, MANY)
    assert ours == cdcl.solve(50, clauses, MANY)
    assert ours.satisfiable == theirs.satisfiable


@SOLVERS
def test_a_search_ends_when_its_conflicts_are_used_up(solver: sat.Solver) -> None:
    answer = asked(solver, *pigeons(9), conflicts=200)
    assert answer.satisfiable is None
    assert answer.conflicts <= 220


@SOLVERS
def test_the_same_question_has_the_same_answer(solver: sat.Solver) -> None:
    clauses = random_clauses(Random(5), 100, 420)
    assert solver(100, clauses, MANY) == solver(100, clauses, MANY)


def test_clauses_that_were_learnt_are_forgotten_without_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A limit that is reached soon lets many be forgotten, and the same be decided."""
    monkeypatch.setattr(cdcl, "MOST_LEARNT", 20)
    monkeypatch.setattr(cdcl, "MORE_LEARNT", 5)
    chance = Random(7)
    for _ in range(20):
        clauses = random_clauses(chance, 50, 213)
        theirs = sat.solve_by_library(50, clauses, MANY).satisfiable
        assert asked(cdcl.solve, 50, clauses).satisfiable == theirs


@pytest.mark.parametrize(
    ("clauses", "proof"),
    [
        ([(1, 2), (-1, 2)], [()]),  # does not follow
        ([(1, 2), (-1, 2), (-2, 3)], [(-2,), ()]),  # (-2,) does not
        ([(1, 2), (-1, 2), (1, -2), (-1, -2)], [(2,)]),  # does not end with the empty clause
        ([(1, 2), (-1, 2), (1, -2), (-1, -2)], []),
    ],
)
def test_the_checker_refuses_what_is_no_proof(clauses: Clauses, proof: Clauses) -> None:
    assert not refutes(clauses, proof)


def test_the_checker_accepts_a_proof() -> None:
    assert refutes([(1, 2), (-1, 2), (1, -2), (-1, -2)], [(2,), ()])
