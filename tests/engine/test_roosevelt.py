"""The rules of Roosevelt, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

from engine.board import Board
from engine.cards import RANKS, SUITS
from engine.catalog import ruleset
from tests.engine.positions import (
    after,
    board,
    easy_board,
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


def test_the_stock_is_drawn_in_the_order_of_the_deck() -> None:
    place = easy_board(ruleset(GAME))
    drawn = after(place, *["s>w"] * 76)
    assert shown(drawn, "w").split() == [
        card.removeprefix("?") for card in reversed(shown(place, "s").split())
    ]
