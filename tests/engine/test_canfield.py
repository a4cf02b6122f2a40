"""The rules of Canfield: the reserve, foundations of one rank, and moves of whole piles."""

from __future__ import annotations

import pytest

from engine.board import Board
from engine.errors import PositionError
from engine.search import cards_never_seen
from tests.engine.positions import after, board, legal, moves_of, moves_to, shown

GAME = "canfield"


def canfield(variant: str = "standard", **piles: str) -> Board:
    return board(GAME, variant, **piles)


def test_other_foundations_start_with_the_rank_of_the_first() -> None:
    place = canfield(f0="5S", t0="5H", t1="6H", t2="5D", t3="6S", w="AC", rest="w")
    assert moves_to(place, "f1") == ["t0>f1", "t2>f1"]
    assert moves_to(place, "f0") == ["t3>f0"]


def test_foundations_go_round_the_corner() -> None:
    place = canfield(f0="QS KS", t0="AS", t1="AH", t2="9C", t3="7C", w="2C", rest="w")
    assert moves_to(place, "f0") == ["t0>f0"]


def test_piles_build_in_alternating_colours_round_the_corner() -> None:
    place = canfield(f0="5S", t0="KH", t1="AS", t2="9C", t3="7C", w="2C", rest="w")
    assert moves_of(place, "t0") == ["t0>t1"]


def test_the_last_card_moves_or_all_of_a_pile() -> None:
    piles = {"f0": "5S", "t0": "9H 8S 7H", "t1": "TC", "t2": "8C", "t3": "9D", "w": "2C"}
    place = canfield(**piles, rest="w")
    assert moves_of(place, "t0") == ["t0>t1x3", "t0>t2"]
    assert "t0>t3x2" not in legal(place)
    assert "t0>t3x2" in legal(canfield("parts", **piles, rest="w"))


def test_an_emptied_pile_is_filled_from_the_reserve() -> None:
    place = canfield(f0="5S", t0="6S", t1="TC", t2="8C", t3="9D", r0="?2D ?3D 4D", w="2C", rest="w")
    moved = after(place, "t0>f0")
    assert (shown(moved, "t0"), shown(moved, "r0")) == ("4D", "?2D 3D")
    assert cards_never_seen(moved) == cards_never_seen(place) - 1


def test_once_the_reserve_is_gone_an_empty_pile_takes_any_card() -> None:
    place = canfield(f0="5S", t1="TC", t2="8C", t3="9D", w="2C", rest="w")
    assert moves_to(place, "t0") == ["t1>t0", "t2>t0", "t3>t0", "w>t0"]


def test_the_reserve_plays_its_last_card_and_takes_none() -> None:
    place = canfield(f0="5S", t0="JD", t1="TC", t2="8C", t3="5D", r0="?2D 4C", w="2C", rest="w")
    assert moves_of(place, "r0") == ["r0>t3"]
    assert moves_to(place, "r0") == []


@pytest.mark.parametrize(
    "piles",
    [{"r0": "2D"}, {"f1": "6H"}, {"t0": "2H", "r0": "?2D ?3D"}],
    ids=["gap", "rank", "down"],
)
def test_unreachable_positions_are_refused(piles: dict[str, str]) -> None:
    with pytest.raises(PositionError):
        canfield(**{"f0": "5S", "t1": "TC", "t2": "8C", "t3": "9D", "w": "2C"} | piles, rest="w")
