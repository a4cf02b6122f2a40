"""The rules of Canfield: the reserve, foundations of one rank, and moves of whole piles."""

from __future__ import annotations

import pytest

from engine.board import Board
from engine.errors import PositionError
from engine.search import cards_never_seen
from tests.engine.positions import after, board

GAME = "canfield"


def canfield(variant: str = "standard", **piles: str) -> Board:
    return board(GAME, variant, **piles)


def test_a_card_of_the_reserve_is_seen_when_it_is_the_last() -> None:
    place = canfield(f0="5S", t0="6S", t1="TC", t2="8C", t3="9D", r0="?2D ?3D 4D", w="2C", rest="w")
    assert cards_never_seen(after(place, "t0>f0")) == cards_never_seen(place) - 1


@pytest.mark.parametrize(
    "piles",
    [{"r0": "2D"}, {"f1": "6H"}, {"t0": "2H", "r0": "?2D ?3D"}],
    ids=["gap", "rank", "down"],
)
def test_unreachable_positions_are_refused(piles: dict[str, str]) -> None:
    with pytest.raises(PositionError):
        canfield(**{"f0": "5S", "t1": "TC", "t2": "8C", "t3": "9D", "w": "2C"} | piles, rest="w")
