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
    moves_of,
    moves_to,
    shown,
    sizes,
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


def test_only_the_top_card_of_each_tableau_pile_or_the_waste_may_be_moved() -> None:
    place = roosevelt(t0="9H 2C", t1="TS 2D", t2="TC", w="9D 4S")
    assert moves_to(place, "t2") == []


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


def test_an_ace_starts_any_empty_foundation() -> None:
    place = roosevelt(f3="2S", t0="AH", w="AS", t1="6C")
    free = [f"f{i}" for i in range(8) if i != 3]
    assert moves_of(place, "w") == [f"w>{f}" for f in free] + [f"w>t{i}" for i in range(2, 7)]
    assert [f"t0>{f}" for f in free] == moves_of(place, "t0")[:7]


@pytest.mark.parametrize("card", ["2S", "KS", "7H"])
def test_nothing_but_an_ace_starts_a_foundation(card: str) -> None:
    """'(or an Ace onto an empty foundation)'."""
    place = roosevelt(w=card, t0="6S", rest="t0")
    assert not [move for move in legal(place) if ">f" in move]


def test_a_card_goes_to_any_foundation_that_takes_it() -> None:
    place = roosevelt(f0="4S", f5="4S", w="5S", t0="9C", rest="t0")
    assert {"w>f0", "w>f5"} <= set(legal(place))


def test_only_one_card_may_be_moved_at_a_time() -> None:
    """'You cannot move a sequence of cards together, even if they are in correct sequence'."""
    place = roosevelt(t0="9H 8S", t1="TS", t2="6C", rest="t2")
    assert not [move for move in legal(place) if "x" in move]
    assert moves_to(place, "t1") == []


def test_any_card_may_be_moved_into_an_empty_tableau_pile() -> None:
    place = roosevelt(t0="9H 8S", t1="4D", t2="QC", w="7C", rest="t2")
    assert [m for m in legal(place) if m.endswith(">t3")] == ["t0>t3", "t1>t3", "t2>t3", "w>t3"]


def test_a_lone_card_may_move_to_another_empty_pile() -> None:
    """'A move that is pointless but fits the rules is legal'."""
    assert "t1>t3" in legal(roosevelt(t0="9H", t1="4D", rest="t0"))


def test_the_stock_does_not_play_to_the_tableau() -> None:
    """'One card is dealt face up from the stock to the waste pile at a time'."""
    place = roosevelt(t0="9H", w="4D")
    assert moves_of(place, "s") == ["s>w"]
    top = shown(place, "s").split()[-1]
    turned = after(place, "s>w")
    assert shown(turned, "w").split() == ["4D", top.removeprefix("?")]
    assert sizes(turned, "s") == [sizes(place, "s")[0] - 1]


def test_dealing_is_the_players_own_choice() -> None:
    place = roosevelt(t0="9H", t1="TS", w="AS")
    assert "s>w" in legal(place)
    assert len(legal(place)) > 1


def test_the_stock_is_drawn_in_the_order_of_the_deck() -> None:
    place = easy_board(ruleset(GAME))
    drawn = after(place, *["s>w"] * 76)
    assert shown(drawn, "w").split() == [
        card.removeprefix("?") for card in reversed(shown(place, "s").split())
    ]


def test_there_are_no_redeals() -> None:
    """'There are no redeals; once the stock is exhausted, no new cards can be introduced'."""
    place = roosevelt(t0="9H", w="4D 6D", rest="t0")
    assert moves_of(place, "s") == []
    assert "w>s" not in legal(place)


def test_the_top_card_of_the_waste_is_always_available() -> None:
    """'The top card ... is always available for play to either the tableau or the foundations'."""
    place = roosevelt(f0="4S", t0="6H", t1="9C", w="KD 5S", rest="t1")
    assert {"w>f0", "w>t0"} <= set(legal(place))
    assert shown(after(place, "w>f0"), "w") == "KD"
