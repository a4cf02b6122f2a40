"""Boards, views and deltas; `test_laws.py` tests them in play."""

from __future__ import annotations

import pytest

from engine.board import Change, Delta, View, apply_delta, delta_between, view_of
from engine.cards import DOWN
from engine.errors import PositionError
from tests.engine.positions import ALL, after, board, dealt, face_down

VIEW = view_of(dealt("robert"))
STOCK = VIEW.ruleset.stock


@pytest.mark.parametrize(
    "change",
    [
        (-1, 0, b""),
        (len(VIEW.piles), 0, b""),
        (STOCK, -1, b""),
        (STOCK, 52, b""),
        (0, 2, b""),
    ],
)
def test_a_delta_of_another_view_is_refused(change: Change) -> None:
    with pytest.raises(PositionError):
        apply_delta(VIEW, Delta((change,), 0, 1))


def test_a_delta_removes_and_adds_cards_at_the_end() -> None:
    found = apply_delta(VIEW, Delta(((STOCK, 51, b"\1\2"), (0, 0, b"\3")), 1, 7))
    assert isinstance(found, View)
    assert found.piles[STOCK] == b"\1\2"
    assert found.piles[0] == VIEW.piles[0] + b"\3"
    assert (found.redeals, found.moves) == (1, 7)


def test_a_change_omits_the_unchanged_cards_of_a_pile() -> None:
    before = board("rouge-et-noir", t0="?5C ?2D 9H", t1="7C TS")
    numbers = before.ruleset.pile_numbers
    two, nine = before.piles[numbers["t0"]][1] & ~DOWN, before.piles[numbers["t0"]][2]
    assert delta_between(before, after(before, "t0>t1")).changes == (
        (numbers["t0"], 2, bytes([two])),
        (numbers["t1"], 0, bytes([nine])),
    )


def test_the_delta_between_equal_boards_has_no_changes() -> None:
    assert delta_between(dealt("deuces"), dealt("deuces")).changes == ()


@pytest.mark.parametrize("names", ALL, ids="-".join)
def test_home_at_start_is_the_number_of_cards_that_are_dealt_home(names: tuple[str, str]) -> None:
    start = dealt(*names)
    assert start.home == start.ruleset.home_at_start


def test_cards_on_foundations_and_face_down_are_counted() -> None:
    place = board("robert", f0="7S", w="8D 5C")
    assert (place.home, face_down(place)) == (1, 49)
    assert face_down(after(place, "s>w")) == 48
