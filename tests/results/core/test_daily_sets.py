"""Daily sets: the games of each day, and crowns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.results.core.daily_sets import DailySets
from server.results.core.played_days import day_set

THREE, TWO, OTHERS = frozenset("abc"), frozenset("ab"), frozenset("bd")
SETS = DailySets(((100, THREE), (110, TWO), (120, OTHERS)), 125)


def test_a_set_applies_until_the_next_and_the_first_also_before() -> None:
    assert [SETS.of(day) for day in (0, 99, 100, 109)] == [THREE] * 4
    assert [SETS.of(day) for day in (110, 119)] == [TWO] * 2
    assert [SETS.of(day) for day in (120, 999)] == [OTHERS] * 2


def test_ever_is_the_union_of_all_sets() -> None:
    assert SETS.ever == frozenset("abcd")


def test_a_crown_requires_the_days_own_set() -> None:
    """Games removed later are still required, and games added later are not."""
    played = {"a": [99, 105, 115, 125], "b": [99, 105, 115, 125], "c": [99], "d": [125]}
    days = {game: day_set(each) for game, each in played.items()}
    assert (SETS.crowns(days), SETS.crowns({})) == (day_set([99, 115, 125]), 0)


days = st.integers(0, 60)


@given(
    changes=st.dictionaries(days, st.sets(st.sampled_from("abcd"), min_size=1), min_size=1),
    played=st.dictionaries(st.sampled_from("abcd"), st.sets(days)),
)
def test_crowns_match_a_day_by_day_computation(
    changes: dict[int, set[str]], played: dict[str, set[int]]
) -> None:
    sets = DailySets(tuple((day, frozenset(changes[day])) for day in sorted(changes)), 60)
    crowned = [
        day for day in range(61) if all(day in played.get(game, ()) for game in sets.of(day))
    ]
    assert sets.crowns({game: day_set(each) for game, each in played.items()}) == day_set(crowned)
