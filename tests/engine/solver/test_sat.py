"""The SAT solver, with checked models and proofs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.solver import sat
from engine.solver.sat import Answer
from tests.engine.solver.rup import refutes

Clauses = list[tuple[int, ...]]

MANY = 10**6


def satisfies(model: Sequence[bool], clauses: Clauses) -> bool:
    return all(any(model[abs(x)] == (x > 0) for x in clause) for clause in clauses)


def satisfiable(variables: int, clauses: Clauses) -> bool:
    return any(
        satisfies((False, *model), clauses) for model in product((False, True), repeat=variables)
    )


def pigeons(holes: int) -> tuple[int, Clauses]:
    """Return clauses that put pigeons into separate holes, with one more pigeon than holes."""
    sits = [[hole + pigeon * holes + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    clauses: Clauses = [tuple(pigeon) for pigeon in sits]
    for hole in range(holes):
        clauses += [(-a[hole], -b[hole]) for a, b in combinations(sits, 2)]
    return holes * (holes + 1), clauses


def random_clauses(chance: Random, variables: int, number: int, length: int = 3) -> Clauses:
    return [
        tuple(v * chance.choice((1, -1)) for v in chance.sample(range(1, variables + 1), length))
        for _ in range(number)
    ]


def asked(variables: int, clauses: Clauses, conflicts: int = MANY) -> Answer:
    """Return the solver's answer after checking its model or proof."""
    answer = sat.solve(variables, clauses, conflicts, prove=True)
    if answer.satisfiable:
        assert satisfies(answer.model, clauses)
    elif answer.satisfiable is False:
        assert refutes(clauses, answer.proof)
    return answer


@given(st.integers(1, 9), st.integers(0, 60), st.integers(0, 2**32))
def test_verdicts_match_a_search_of_all_assignments(variables: int, number: int, seed: int) -> None:
    """With clauses of one to four literals, some with repeated variables."""
    chance = Random(seed)
    clauses: Clauses = []
    for _ in range(number):
        clauses += random_clauses(
            chance, variables, 1, min(variables, chance.choice((1, 2, 3, 3, 4)))
        )
    clauses = clauses[: chance.randint(0, number)]
    assert asked(variables, clauses).satisfiable == satisfiable(variables, clauses)


def test_hard_random_clauses_are_decided() -> None:
    """At 4.26 clauses per variable about half are satisfiable, and these are the hardest."""
    chance = Random(3)
    verdicts = []
    for _ in range(20):
        clauses = random_clauses(chance, 60, 256)
        verdicts.append(asked(60, clauses).satisfiable)
    assert {*verdicts} == {True, False}


@pytest.mark.parametrize("clauses", [[()], [(1,), (-1,)], [(1, 2), (1, -2), (-1, 2), (-1, -2)]])
def test_contradictions_are_refuted(clauses: Clauses) -> None:
    assert asked(2, clauses).satisfiable is False


def test_a_model_assigns_variables_without_clauses() -> None:
    answer = asked(5, [(2,)])
    assert answer.satisfiable
    assert len(answer.model) == 6


def test_the_pigeonhole_problem_is_refuted() -> None:
    assert asked(*pigeons(6)).satisfiable is False


def test_a_search_ends_when_its_conflicts_are_used_up() -> None:
    answer = asked(*pigeons(9), conflicts=200)
    assert answer.satisfiable is None
    assert answer.conflicts <= 220


def test_the_same_question_has_the_same_answer() -> None:
    clauses = random_clauses(Random(5), 100, 420)
    assert sat.solve(100, clauses, MANY) == sat.solve(100, clauses, MANY)


@pytest.mark.parametrize(
    ("clauses", "proof"),
    [
        ([(1, 2), (-1, 2)], [()]),  # does not follow
        ([(1, 2), (-1, 2), (-2, 3)], [(-2,), ()]),  # (-2,) does not
        ([(1, 2), (-1, 2), (1, -2), (-1, -2)], [(2,)]),  # does not end with the empty clause
        ([(1, 2), (-1, 2), (1, -2), (-1, -2)], []),
    ],
)
def test_the_checker_rejects_invalid_proofs(clauses: Clauses, proof: Clauses) -> None:
    assert not refutes(clauses, proof)


def test_the_checker_accepts_a_proof() -> None:
    assert refutes([(1, 2), (-1, 2), (1, -2), (-1, -2)], [(2,), ()])
