"""Figures of practice: how batches add up, and which ones contradict themselves."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.practice.core.figures import MAX_DEALS, Counted, Figures, is_consistent, joined

deals = st.builds(
    Counted, st.booleans(), st.integers(0, 52), st.integers(0, 10**6), st.integers(0, 500)
)
WON, LOST = Counted(True, 52, 60_000, 120), Counted(False, 9, 30_000, 40)


def of(*played: Counted) -> Figures:
    """Return the figures of deals, as a client counts them."""
    wins = [each for each in played if each.won]
    runs = reduce(lambda runs, each: [*runs, (runs[-1] + 1) * each.won], played, [0])
    return Figures(
        len(played),
        len(wins),
        runs[-1],
        max(runs),
        max((each.home for each in played), default=0),
        min((each.time for each in wins), default=None),
        min((each.moves for each in wins), default=None),
        played[-MAX_DEALS:],
    )


@given(st.lists(deals, max_size=MAX_DEALS), st.lists(deals, max_size=MAX_DEALS))
def test_batches_add_up_to_the_figures_of_all_deals(one: list[Counted], two: list[Counted]) -> None:
    assert joined(of(*one), of(*two)) == of(*one, *two)
    assert is_consistent(joined(of(*one), of(*two)), 52)


def test_a_streak_goes_on_after_a_long_batch() -> None:
    # Its deals are not all known one by one, but all were won.
    assert joined(of(WON, WON), of(*[WON] * 70)) == of(*[WON] * 72)


def test_an_unknown_start_of_a_batch_lengthens_no_streak() -> None:
    found = joined(of(WON), of(*[WON] * 60, LOST))
    assert (found.streak, found.longest) == (0, 60)


@pytest.mark.parametrize(
    "changed",
    [
        {"played": 1},
        {"won": 0},
        {"won": 4},
        {"won": 1},
        {"streak": 2},
        {"longest": 3},
        {"home": 51},
        {"home": 53},
        {"time": None},
        {"moves": None},
        {"time": 60_001},
        {"moves": 121},
        {"deals": (LOST, LOST)},
    ],
)
def test_contradictions_are_found(changed: dict[str, object]) -> None:
    figures = of(WON, LOST, WON)
    assert is_consistent(figures, 52)
    assert not is_consistent(replace(figures, **changed), 52)
