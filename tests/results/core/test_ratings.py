"""Properties of ratings for races of any players."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.results.core.history import RATING, UNCERTAINTY
from server.results.core.ratings import Change, Skill, rate

NEW = Skill(RATING, UNCERTAINTY)

skills = st.builds(Skill, st.floats(-10, 60), st.floats(0.5, 9))
names = st.text("abc", min_size=1, max_size=3)


@st.composite
def races(draw: st.DrawFn) -> tuple[dict[str, Skill], dict[str, int]]:
    before = draw(st.dictionaries(names, skills, min_size=2, max_size=8))
    return before, {name: draw(st.integers(1, len(before))) for name in before}


@given(races(), st.randoms(use_true_random=False))
def test_the_order_of_players_does_not_matter(
    race: tuple[dict[str, Skill], dict[str, int]], random: Random
) -> None:
    before, ranks = race
    shuffled = list(before)
    random.shuffle(shuffled)
    assert rate({name: before[name] for name in shuffled}, ranks) == rate(before, ranks)


@given(races())
def test_a_winner_gains_and_the_last_loses(race: tuple[dict[str, Skill], dict[str, int]]) -> None:
    before, ranks = race
    changes = rate(before, ranks)
    for extreme, sign in ((min, 1), (max, -1)):
        found = [name for name in ranks if ranks[name] == extreme(ranks.values())]
        if len(found) == 1:
            assert sign * changes[found[0]].shift >= -1e-9


@given(races())
def test_races_never_add_much_uncertainty(race: tuple[dict[str, Skill], dict[str, int]]) -> None:
    before, ranks = race
    for name, change in rate(before, ranks).items():
        drift = math.hypot(before[name].uncertainty, RATING / 300)
        assert 0 < change.factor <= drift / before[name].uncertainty + 1e-9
        assert math.isfinite(change.shift)


@given(st.integers(2, 8), st.integers(1, 7))
def test_equal_players_with_equal_ranks_change_equally(count: int, at: int) -> None:
    before = {f"p{number}": NEW for number in range(count)}
    ranks = {name: 1 if number < at else at + 1 for number, name in enumerate(before)}
    changes = rate(before, ranks)
    for rank in set(ranks.values()):
        shifts = [changes[name].shift for name in ranks if ranks[name] == rank]
        assert shifts == pytest.approx([shifts[0]] * len(shifts))
    assert sum(change.shift for change in changes.values()) == pytest.approx(0, abs=1e-9)
    assert all(change.factor < 1 for change in changes.values())


def test_a_surprise_is_worth_more() -> None:
    strong, weak = Skill(35, 3), Skill(20, 3)
    expected = rate({"a": strong, "b": weak}, {"a": 1, "b": 2})
    assert rate({"a": strong, "b": weak}, {"a": 2, "b": 1})["b"].shift > 5 * expected["a"].shift > 0


@given(st.builds(Change, st.floats(-10, 10), st.floats(0.5, 1.01)), st.floats(0, 1))
def test_a_reduced_weight_scales_the_change(whole: Change, weight: float) -> None:
    part, rest = whole.scaled(weight), whole.scaled(1 - weight)
    assert part.shift + rest.shift == pytest.approx(whole.shift)
    assert part.factor * rest.factor == pytest.approx(whole.factor)
    assert min(whole.factor, 1) <= part.factor <= max(whole.factor, 1)
    assert whole.scaled(0) == Change(0, 1)
