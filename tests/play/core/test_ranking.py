"""Ranking: results packed into one integer, and standings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import games, ruleset
from server.play.core.result import MAX_MOVES, MAX_TIME, Result, pack, packed, standing, unpack

Key = tuple[int, int, int]

keys = st.tuples(st.integers(0, 127), st.integers(0, MAX_TIME), st.integers(0, MAX_MOVES))
close_keys = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
results = st.builds(
    lambda key: Result(52 - key[0], key[0], key[1], key[2], "resigned"), st.one_of(keys, close_keys)
)


@given(keys)
def test_unpacking_undoes_packing(key: Key) -> None:
    assert unpack(pack(*key)) == key


@given(keys, keys | close_keys)
def test_packing_keeps_the_order(one: Key, other: Key) -> None:
    assert (pack(*one) < pack(*other)) == (one < other)


def test_the_highest_value_is_exact_as_a_score() -> None:
    greatest = pack(127, MAX_TIME, MAX_MOVES)
    assert (greatest, int(float(greatest))) == (2**53 - 1, greatest)


def test_no_game_has_more_cards_than_a_packed_result_can_hold() -> None:
    assert all(ruleset(g.id, v).total <= 127 for g in games().values() for v in g.variants)


@pytest.mark.parametrize(
    ("given_", "kept"),
    [((5, MAX_TIME + 1, 3), (5, MAX_TIME, 3)), ((5, 6, MAX_MOVES + 9), (5, 6, MAX_MOVES))],
)
def test_a_value_above_the_maximum_is_packed_as_the_maximum(given_: Key, kept: Key) -> None:
    assert unpack(pack(*given_)) == kept


@given(st.lists(results, max_size=12))
def test_a_rank_is_one_more_than_the_number_of_better_results(given_: list[Result]) -> None:
    ranked = standing(enumerate(given_))
    assert sorted(whose for _, whose, _ in ranked) == list(range(len(given_)))
    scores = [packed(result) for result in given_]
    for rank, whose, result in ranked:
        assert result == given_[whose]
        assert rank == 1 + sum(score < scores[whose] for score in scores)
    assert [rank for rank, *_ in ranked] == sorted(rank for rank, *_ in ranked)


def test_equal_results_stay_in_the_given_order() -> None:
    result = Result(50, 2, 3, 4, None)
    assert standing([("b", result), ("a", result)]) == [(1, "b", result), (1, "a", result)]


def test_cards_come_before_time_and_time_before_moves() -> None:
    order = [(1, 9, 9), (2, 1, 9), (2, 2, 1), (2, 2, 2)]
    ranked = standing(
        (key, Result(52 - key[0], key[0], key[1], key[2], None)) for key in reversed(order)
    )
    assert [whose for _, whose, _ in ranked] == order
    assert [rank for rank, *_ in ranked] == [1, 2, 3, 4]
