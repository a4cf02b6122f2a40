"""Daily sets: the games of each day, and crowns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import games
from server.results.core.daily_sets import CrownSet, CrownSets, DailySets, by_crown
from server.results.core.played_days import day_set

THREE, TWO, OTHERS = frozenset("abc"), frozenset("ab"), frozenset("bd")
SETS = DailySets(
    tuple((day, (CrownSet("", of),)) for day, of in ((100, THREE), (110, TWO), (120, OTHERS))), 125
)


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
    assert (SETS.crowns(days), SETS.crowns({})) == (3, 0)


days = st.integers(0, 60)


def crown_sets() -> st.SearchStrategy[CrownSets]:
    """Sets of one or two crowns."""
    some = st.sets(st.sampled_from("abcd"), min_size=1)
    return st.tuples(some, some).map(
        lambda two: tuple(
            CrownSet(crown, frozenset(of))
            for crown, of in (("one", two[0]), ("other", two[1] - two[0]))
            if of
        )
    )


@given(
    changes=st.dictionaries(days, crown_sets(), min_size=1),
    played=st.dictionaries(st.sampled_from("abcd"), st.sets(days)),
)
def test_crowns_match_a_day_by_day_computation(
    changes: dict[int, CrownSets], played: dict[str, set[int]]
) -> None:
    sets = DailySets(tuple(sorted(changes.items())), 60)
    crowned = sum(
        all(day in played.get(game, ()) for game in of)
        for day in range(61)
        for _, of in sets.crowns_of(day)
    )
    assert sets.crowns({game: day_set(each) for game, each in played.items()}) == crowned


def test_games_are_grouped_by_their_crowns() -> None:
    listed = {game.listing.crown for game in games().values()}
    found = by_crown(list(games()))
    assert {crown for crown, _ in found} == listed
    assert frozenset().union(*(of for _, of in found)) == set(games())
    for crown, of in found:
        assert {games()[game].listing.crown for game in of} == {crown}
        # An operator who lists games of one crown only has one crown a day, as in earlier releases.
        assert by_crown(of) == (CrownSet("", of),)
