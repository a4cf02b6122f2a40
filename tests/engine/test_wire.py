"""Views and deltas as sent, and the examples in the package's docstring."""

from __future__ import annotations

import doctest
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import apply_delta, deal_seed, legal_moves, play, read_delta, read_view, ruleset
from engine.board import Delta, view_of
from engine.errors import PositionError
from tests.engine.positions import VARIANTS

ROBERT = ruleset("robert")
START = [b"\x06", b"\x7f" * 51, b""]


def test_the_examples_in_the_docstring_of_the_package_work() -> None:
    found = doctest.testmod(engine)
    assert found.attempted > 5
    assert found.failed == 0


@given(st.sampled_from(VARIANTS), st.integers(0, 2**32 - 1))
def test_a_client_that_applies_the_deltas_has_the_players_view(
    variant: tuple[str, str], number: int
) -> None:
    chance = Random(number)
    board = deal_seed(ruleset(*variant), chance.randbytes(32))
    view = read_view(board.ruleset, list(view_of(board).piles))
    for _ in range(40):
        assert view == view_of(board)
        moves = legal_moves(view)
        assert moves == legal_moves(board)
        if not moves:
            break
        board, delta = play(board, chance.choice(moves))
        changes = [[pile, take, *put] for pile, take, put in delta.changes]
        redeals = delta.redeals if delta.redeals != view.redeals else None
        view = apply_delta(view, read_delta(view, changes, redeals))


@pytest.mark.parametrize(
    "piles",
    [[], START[:2], [*START, b""], [b"\x34", *START[1:]], [b"\x46", *START[1:]], [[300], b"", b""]],
    ids=["none", "too few", "too many", "no card", "face down", "no byte"],
)
def test_a_malformed_view_is_refused(piles: list[bytes]) -> None:
    with pytest.raises(PositionError):
        read_view(ROBERT, piles)


def test_values_outside_the_piles_are_read() -> None:
    view = read_view(ROBERT, START, redeals=1, moves=60)
    assert (view.redeals, view.moves) == (1, 60)
    assert read_delta(view, []) == Delta((), redeals=1, moves=61)
    assert read_delta(view, [], redeals=2) == Delta((), redeals=2, moves=61)


def test_an_unseen_card_on_top_goes_nowhere() -> None:
    rules = ruleset("rouge-et-noir")
    piles = dict.fromkeys(rules.pile_names, b"") | {"t0": b"\x06\x7f", "t1": b"\x07"}
    assert legal_moves(read_view(rules, list(piles.values()))) == []


@pytest.mark.parametrize("change", [[], [1], [1, "1"], [2, 0, 52], [2, 0, -1], [2, 0, None]])
def test_a_malformed_change_is_refused(change: list[int]) -> None:
    view = read_view(ROBERT, START)
    with pytest.raises(PositionError):
        read_delta(view, [change])
