"""The rules of Golf: one foundation, and columns that only lose cards."""

from __future__ import annotations

import pytest

from engine.board import view_of
from engine.moves import is_stuck
from tests.engine.positions import after, board, legal, moves_of, moves_to, shown


@pytest.mark.parametrize(
    ("top", "cards"), [("7S", ["6D", "8C"]), ("KS", ["QH"]), ("AS", ["2H"]), ("QS", ["JH", "KD"])]
)
def test_golf_one_rank_up_or_down_without_wrap_around(top: str, cards: list[str]) -> None:
    offered = ["6D", "8C", "QH", "2H", "JH", "KD", "AD"]
    columns = {f"t{i}": f"9C {card}" if i == 0 else card for i, card in enumerate(offered)}
    place = board("golf", f0=top, **columns, rest="t0")
    moves = moves_to(place, "f0")
    assert [shown(place, move.split(">")[0]).split()[-1] for move in moves] == cards


def test_golf_the_stock_is_dealt_onto_the_foundation_whatever_it_is() -> None:
    place = board("golf", f0="7S", t0="9C", s="KD AH", rest="t0")
    one = after(place, "s>f0")
    assert shown(after(one, "s>f0"), "f0") == "7S AH KD"
    assert moves_of(place, "s") == ["s>f0"]


def test_golf_the_cards_of_the_stock_are_not_seen() -> None:
    one = board("golf", f0="7S", t0="9C", s="KD AH", rest="t0")
    other = board("golf", f0="7S", t0="9C", s="AH KD", rest="t0")
    assert view_of(one) == view_of(other)
    assert legal(one) == legal(other)


def test_golf_columns_are_not_built_on_nor_filled() -> None:
    place = board("golf", f0="7S", t0="2C 9H", t1="TS", rest="t0")
    assert legal(place) == []
    assert is_stuck(place)


@pytest.mark.parametrize(
    ("variant", "top", "card", "goes"),
    [
        ("standard", "KS", "QH", True),
        ("standard", "KS", "AH", False),
        ("wrap", "KS", "AH", True),
        ("wrap", "AS", "KH", True),
        ("dead-king", "KS", "QH", False),
        ("dead-king", "QS", "KH", True),
    ],
)
def test_golf_variants_differ_in_kings(variant: str, top: str, card: str, *, goes: bool) -> None:
    place = board("golf", variant, f0=top, t0=f"9C {card}", rest="t0")
    assert (moves_to(place, "f0")[:1] == ["t0>f0"]) == goes
