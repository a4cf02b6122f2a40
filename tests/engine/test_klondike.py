"""The rules of Klondike, as in the best-known programs."""

from __future__ import annotations

import pytest

from engine.board import Board
from engine.moves import is_stuck
from engine.play import play
from tests.engine.positions import after, board, legal, moves_of, moves_to, shown

GAME = "klondike"


def klondike(variant: str = "standard", **given: str) -> Board:
    return board(GAME, variant, **given)


def test_columns_build_down_in_alternating_colours_and_move_in_parts() -> None:
    place = klondike(t0="5D 9H 8S 7H", t1="TS", t2="9D", t3="8C", t4="TH", rest="t0")
    assert {"t0>t1x3", "t0>t2x2", "t0>t3"} <= set(legal(place))
    assert moves_to(place, "t4") == []


def test_an_empty_column_takes_only_kings() -> None:
    place = klondike(t0="2S KH QS", t1="JC", w="KD", rest="t0")
    assert moves_to(place, "t2") == ["t0>t2x2", "w>t2"]


def test_a_bared_card_is_turned_up() -> None:
    place = klondike(t6="?2S ?9D 8C", t1="9H", rest="t1")
    assert shown(after(place, "t6>t1"), "t6") == "?2S 9D"


def test_a_card_may_leave_a_foundation() -> None:
    place = klondike(f0="5S", t0="6H", t1="6D", t2="6C", rest="t2")
    assert moves_of(place, "f0") == ["f0>t0", "f0>t1"]
    back = after(place, "f0>t0")
    assert (shown(back, "f0"), back.home) == ("AS 2S 3S 4S", place.home - 1)
    assert after(back, "t0>f0").home == place.home


@pytest.mark.parametrize(
    ("variant", "cards"),
    [("standard", "9H"), ("vegas", "9H"), ("draw-three", "9H 2C 3D"), ("vegas-three", "9H 2C 3D")],
)
def test_the_stock_turns_one_card_or_three_in_their_order(variant: str, cards: str) -> None:
    place = klondike(variant, t0="KC", s="AH 5H AD 3D 2C 9H", rest="t0")
    moved, delta = play(place, place.ruleset.move(place.ruleset.stock, place.ruleset.stock + 1))
    assert shown(moved, "w") == cards
    assert [change.pile for change in delta.changes] == [place.ruleset.stock, moved.ruleset.waste]


def test_the_last_deal_of_three_turns_the_remaining_cards() -> None:
    place = klondike("draw-three", t0="KC", s="", w="9H", rest="t0")
    turned = after(place, "w>s", "s>w")
    assert (shown(turned, "w"), shown(turned, "s")) == ("9H", "")


def test_only_the_last_of_three_cards_is_available() -> None:
    place = klondike("draw-three", f0="AS", t0="TC", w="2S 9H 4D", rest="t0")
    assert moves_of(place, "w") == ["w>s"]


@pytest.mark.parametrize(
    ("variant", "times"),
    [("standard", None), ("draw-three", None), ("vegas", 0), ("vegas-three", 2)],
)
def test_the_variant_limits_redeals(variant: str, times: int | None) -> None:
    for redeals in range(1 + (9 if times is None else times)):
        place = board(GAME, variant, t0="KC", w="9H 2D", rest="t0", redeals=redeals)
        assert ("w>s" in legal(place)) == (redeals != times)


def test_a_redeal_keeps_the_order_of_cards() -> None:
    place = klondike("draw-three", t0="KC", w="9H 2D 4C 5C", rest="t0")
    again = after(place, "w>s", "s>w")
    assert shown(again, "w") == "9H 2D 4C"
    assert again.redeals == 1


def test_it_is_not_stuck_while_the_waste_goes_round() -> None:
    cards = {f"t{column}": "KC" if column == 0 else "" for column in range(7)}
    assert not is_stuck(klondike(**cards, w="9H", rest="t0"))
