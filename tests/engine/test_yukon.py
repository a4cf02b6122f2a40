"""The rules of Yukon, and of Russian Solitaire, which builds in suit."""

from __future__ import annotations

from tests.engine.positions import after, board, legal, moves_of, moves_to, shown

GAME = "yukon"


def test_any_face_up_card_moves_with_the_cards_on_it() -> None:
    place = board(GAME, t1="?4C 9H 2S KD", t2="8C TS", t0="TH", rest="t0")
    assert "t1>t2x3" in legal(place)
    moved = after(place, "t1>t2x3")
    assert (shown(moved, "t2"), shown(moved, "t1")) == ("8C TS 9H 2S KD", "4C")


def test_cards_face_down_do_not_move() -> None:
    place = board(GAME, t2="?9D ?2C 5H 4S", t0="TS", rest="t0")
    assert [move for move in moves_of(place, "t2") if "x" in move] == []


def test_columns_build_in_alternating_colours_or_in_suit_in_russian() -> None:
    piles = {"t0": "9H", "t1": "TS", "t2": "TH", "t3": "TD"}
    assert "t0>t1" in legal(board(GAME, **piles, rest="t4", t4="2C"))
    russian = board(GAME, "russian", **piles, rest="t4", t4="2C")
    assert "t0>t1" not in legal(russian)
    assert "t0>t2" in legal(russian)


def test_an_empty_column_takes_a_king_with_the_cards_on_it() -> None:
    place = board(GAME, t1="9H KD 3C 5S", t2="QC", rest="t2")
    assert [move for move in moves_to(place, "t0") if "t1" in move] == ["t1>t0x3"]
