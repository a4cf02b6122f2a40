"""Suspicion: what moves and their times tell, and what they do not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.core.attempt import UNDONE, Started
from server.core.ids import DealId
from server.core.ranking import End
from server.core.run import Run
from server.core.suspicion import (
    MIN_EQUAL,
    MIN_INTERVALS,
    SHORT,
    Reason,
    digest,
    reasons,
)
from tests.core.builders import ADA, BOB

START = Started(ADA, DealId("d" * 16), "robert", "standard", None, 7, 0, 10**9)


def run_with(
    intervals: list[int], moves: list[str] | None = None, end: End = "stuck", hints: int = 0
) -> Run:
    """Return a run with these milliseconds before each of its moves."""
    times, at = [], 0
    for interval in intervals:
        at += interval
        times.append(at)
    names = moves or ["t1>t2"] * len(times)
    return Run(START, tuple(zip(names, times, strict=True)), at, end, hints)


def person(count: int = 120, seed: int = 1) -> list[int]:
    """Return intervals as a person has them: many quick ones, and some long thoughts."""
    rng = random.Random(seed)
    return [round(300 + rng.lognormvariate(6.6, 0.9)) for _ in range(count)]


@given(st.integers(0, 10_000), st.integers(0, 400))
def test_a_person_is_not_suspicious(seed: int, count: int) -> None:
    assert reasons(run_with(person(count, seed)), 60_000, None) == ()


def test_many_intervals_too_short_to_see_the_board_are_suspicious() -> None:
    (reason,) = reasons(run_with([*[50] * 20, *person(20)]), None, None)
    assert reason == Reason(4, f"20 of 40 moves came within {SHORT} ms of the one before.")


def test_a_burst_after_a_lost_connection_is_not() -> None:
    assert reasons(run_with([*person(40), *[5] * 15, *person(40)]), None, None) == ()


@pytest.mark.parametrize("move", ["t1>f0", "s>w", "w>s"])
def test_cards_that_go_home_by_themselves_and_a_held_key_do_not_count(move: str) -> None:
    moves = ["t1>t2"] * 30 + [move] * 60
    assert reasons(run_with([*person(30), *[20] * 60], moves), None, None) == ()


def test_moves_at_even_intervals_are_suspicious() -> None:
    (reason,) = reasons(run_with([900, *[700, 710, 695] * 20]), None, None)
    assert reason.weight == 5
    assert "702 ms apart" in reason.text


def test_more_moves_than_anybody_taps_are_suspicious() -> None:
    fast = [*[125, 130, 138, 170] * 12, 3_000]
    found = reasons(run_with(fast * 3), None, None)
    assert [reason.weight for reason in found] == [3]
    assert reasons(run_with(fast), None, None) == ()


@pytest.mark.parametrize(("median", "found"), [(60_000, True), (59_999, False), (None, False)])
def test_a_win_in_a_tenth_of_the_median_is_suspicious(median: int | None, found: bool) -> None:
    won = Run(START, (("t1>f0", 6_000),), 6_000, "won")
    assert bool(reasons(won, median, None)) == found
    assert reasons(Run(START, won.moves, 6_000, "stuck"), median, None) == ()


def test_the_same_moves_as_another_player_are_suspicious() -> None:
    run = run_with(person(40))
    (reason,) = reasons(run, None, BOB)
    assert reason == Reason(5, f"All 40 moves are those that {BOB} had made before.")


@given(st.lists(st.sampled_from(["t1>t2", "s>w", UNDONE]), min_size=MIN_EQUAL, max_size=60))
def test_equal_moves_have_equal_digests_whoever_makes_them_and_when(moves: list[str]) -> None:
    run = run_with(person(len(moves)), moves)
    other = run_with(person(len(moves), 2), moves)
    other = Run(replace(START, player=BOB), other.moves, other.ended, "won")
    assert digest(run) == digest(other)
    assert digest(run) is not None
    assert digest(run_with(person(len(moves)), [*moves[:-1], "w>s"])) != digest(run)


def test_short_runs_and_those_by_hints_have_none() -> None:
    assert digest(run_with([1_000] * (MIN_EQUAL - 1))) is None
    assert digest(run_with([1_000] * MIN_EQUAL)) is not None
    assert digest(run_with([1_000] * MIN_EQUAL, hints=1)) is None


def test_a_run_too_short_to_tell_is_not_suspicious() -> None:
    assert reasons(run_with([10] * (MIN_INTERVALS - 1)), None, None) == ()
