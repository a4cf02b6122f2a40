"""The rules of Roosevelt, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

import pytest

from engine.board import Board
from engine.cards import RANKS, SUITS
from engine.catalog import ruleset
from tests.engine.positions import (
    after,
    board,
    easy_board,
    legal,
    shown,
)

GAME = "roosevelt"


def roosevelt(**piles: str) -> Board:
    return board(GAME, **piles)


def test_the_tableau_is_dealt_round_by_round() -> None:
    """'Four rounds, each one card to piles 0 to 6, then the stock'."""
    start = easy_board(ruleset(GAME))
    names = [rank + suit for suit in SUITS for rank in RANKS]
    first = names[:28][::-1]
    assert shown(start, "t0").split() == first[0::7]
    assert shown(start, "t6").split() == first[6::7]
    assert shown(start, "s").split()[-1] == f"?{names[28]}"


@pytest.mark.parametrize(
    ("top", "fits", "others"),
    [
        ("TS", "9H", "9C 8H JH TH"),
        ("TC", "9D", ""),
        ("TH", "9S", "9D"),
        ("AS", "", "KH"),
        ("KS", "", "AH"),
        ("2S", "AH", ""),
    ],
)
@pytest.mark.parametrize("source", ["t1", "w"])
def test_the_tableau_builds_down_in_alternating_colours(
    top: str, fits: str, others: str, source: str
) -> None:
    """'Cards in the tableau are built down by alternating colors' (a red 9 on a black 10)."""
    other = {} if source == "t1" else {"t1": "6S"}
    for card in f"{fits} {others}".split():
        place = roosevelt(t0=top, rest="t2", t2="6C", **{source: card}, **other)
        assert (f"{source}>t0" in legal(place)) == (card == fits), card


@pytest.mark.parametrize(
    ("top", "fits", "others"),
    [("AS", "2S", "2C 2H 3S"), ("QS", "KS", ""), ("4S", "", "3S"), ("KS", "", "AS")],
)
@pytest.mark.parametrize("source", ["t1", "w"])
def test_foundations_are_built_up_by_suit(top: str, fits: str, others: str, source: str) -> None:
    """'Foundations are built up by suit, starting with Ace ... in ascending order to King'."""
    for card in f"{fits} {others}".split():
        place = roosevelt(f0=top, rest="t0", t0="6S", **{source: card})
        assert (f"{source}>f0" in legal(place)) == (card == fits), card


def test_the_stock_is_drawn_in_the_order_of_the_deck() -> None:
    place = easy_board(ruleset(GAME))
    drawn = after(place, *["s>w"] * 76)
    assert shown(drawn, "w").split() == [
        card.removeprefix("?") for card in reversed(shown(place, "s").split())
    ]
