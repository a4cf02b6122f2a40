"""Suspicion: signs in moves and their times, and innocent patterns."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import ruleset
from server.base.core.ids import DealId
from server.moderation.core.likeness import Likeness
from server.moderation.core.suspicion import (
    MIN_INTERVALS,
    MIN_ODD,
    SHORT_MS,
    Copied,
    Earlier,
    Reason,
    reasons,
)
from server.play.core.attempt import Started
from server.play.core.result import End
from server.play.core.run import Run
from tests.builders import ADA, BOB

START = Started(ADA, DealId("d" * 16), "robert", "standard", None, 7, 0, 10**9, "d1ce")


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
    """Return a person's intervals: many quick moves, and some long pauses."""
    rng = random.Random(seed)
    return [round(300 + rng.lognormvariate(6.6, 0.9)) for _ in range(count)]


@given(st.integers(0, 10_000), st.integers(0, 400))
def test_a_person_is_not_suspicious(seed: int, count: int) -> None:
    assert reasons(run_with(person(count, seed)), 60_000) == ()


def test_many_intervals_too_short_to_see_the_board_are_suspicious() -> None:
    (reason,) = reasons(run_with([*[50] * 20, *person(20)]))
    assert reason == Reason(4, f"20 of 40 moves came within {SHORT_MS} ms of the previous one.")


def test_a_burst_after_a_lost_connection_is_not_suspicious() -> None:
    assert reasons(run_with([*person(40), *[5] * 15, *person(40)])) == ()


@pytest.mark.parametrize("move", ["t1>f0", "s>w", "w>s"])
def test_automatic_moves_and_a_held_key_do_not_count(move: str) -> None:
    moves = ["t1>t2"] * 30 + [move] * 60
    assert reasons(run_with([*person(30), *[20] * 60], moves)) == ()


def test_moves_at_even_intervals_are_suspicious() -> None:
    (reason,) = reasons(run_with([900, *[700, 710, 695] * 20]))
    assert reason.weight == 5
    assert "702 ms apart" in reason.text


def test_more_moves_than_a_person_can_tap_are_suspicious() -> None:
    fast = [*[125, 130, 138, 170] * 12, 3_000]
    found = reasons(run_with(fast * 3))
    assert ([reason.weight for reason in found], reasons(run_with(fast))) == ([3], ())


@pytest.mark.parametrize(("median", "found"), [(60_000, True), (59_999, False), (None, False)])
def test_a_win_in_a_tenth_of_the_median_is_suspicious(median: int | None, found: bool) -> None:
    won = Run(START, (("t1>f0", 6_000),), 6_000, "won")
    assert bool(reasons(won, median)) == found
    assert reasons(Run(START, won.moves, 6_000, "stuck"), median) == ()


@pytest.mark.parametrize(("over", "weight"), [(True, 5), (False, 4)])
def test_odd_moves_of_another_player_are_suspicious(over: bool, weight: int) -> None:
    copied = Copied(BOB, Likeness(40, 20, MIN_ODD), over)
    (reason,) = reasons(run_with(person(40)), copied=copied)
    assert reason.weight == weight
    assert f"20 of 40 moves after the opening, {MIN_ODD} of them odd, match {BOB}" in str(reason)


@pytest.mark.parametrize("like", [Likeness(40, 40, MIN_ODD - 1), Likeness(40, 19, MIN_ODD)])
def test_moves_common_among_good_players_are_not_suspicious(like: Likeness) -> None:
    assert reasons(run_with(person(40)), copied=Copied(BOB, like, True)) == ()


LOOKED = Earlier(BOB, unseen=50, seen=40, home=1, time=60_000, before=90_000)


def test_a_scouting_run_at_the_same_address_is_suspicious() -> None:
    (reason,) = reasons(run_with(person(40)), earlier=[LOOKED])
    assert reason == Reason(
        4,
        f"{BOB}, at the same address, started the deal 90 s earlier and saw 40 of 50 unseen "
        "cards in 60.0 s, bringing 1 home.",
    )


def test_only_the_pace_counts_where_cards_go_home_in_whole_runs() -> None:
    assert reasons(run_with(person(40)), earlier=[LOOKED._replace(home=None)]) == ()
    (reason,) = reasons(run_with(person(40)), earlier=[LOOKED._replace(home=None, time=11_000)])
    assert reason.text.endswith("saw 40 of 50 unseen cards in 11.0 s.")
    spider, klondike = (ruleset(game, "standard") for game in ("spider", "klondike"))
    assert (spider.sends_singles, klondike.sends_singles) == (False, True)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"home": 10}, False),
        ({"home": 10, "time": 11_000}, True),
        ({"seen": 24}, False),
        ({"before": -1}, False),
        ({"unseen": 0, "seen": 0}, False),
    ],
)
def test_played_runs_at_one_address_are_no_suspicion(changed: dict[str, Any], found: bool) -> None:
    earlier = LOOKED._replace(**changed)
    assert bool(reasons(run_with(person(40)), earlier=[earlier])) == found


def test_regular_taps_on_the_stock_are_suspicious() -> None:
    moves = ["s>w"] * 61
    assert reasons(run_with([900, *[700, 710, 695] * 20], moves))[0].weight == 5
    assert reasons(run_with([900, *[600, 800, 700] * 20], moves), None) != ()
    assert reasons(run_with([900, *[500, 900, 700] * 20], moves), None) == ()


def test_a_short_run_is_not_suspicious() -> None:
    assert reasons(run_with([10] * (MIN_INTERVALS - 1))) == ()
