"""The rules of Lady Betty, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

import pytest

from engine.board import Board, view_of
from engine.cards import DOWN, RANKS, SUITS
from engine.catalog import ruleset
from engine.errors import IllegalMoveError
from tests.engine.positions import (
    after,
    board,
    dealt,
    easy_board,
    legal,
    moves_of,
    moves_to,
    shown,
    sizes,
)

GAME = "lady-betty"
PILES = [f"t{i}" for i in range(6)]


def lady_betty(**piles: str) -> Board:
    return board(GAME, **piles)


def test_the_stocks_top_card_lies_face_up_and_the_rest_unseen() -> None:
    """'Its top card face up and the rest unseen'; the first of the deck comes first."""
    start = easy_board(ruleset(GAME))
    stock = view_of(start).piles[start.ruleset.stock]
    assert shown(start, "s").endswith("?3S ?2S AS")
    assert sum(bool(card & DOWN) for card in stock) == 51


def test_the_next_card_is_turned_up_as_the_top_one_goes() -> None:
    """'Drawn, face-up, one at a time'."""
    assert shown(after(easy_board(ruleset(GAME)), "s>t0"), "s").endswith("?3S 2S")


@pytest.mark.parametrize("card", ["2S", "7H", "KD"])
def test_the_stocks_top_card_goes_to_any_pile(card: str) -> None:
    """'Onto any of the six tableau piles, regardless of suit or rank', empty or not."""
    place = lady_betty(t0="3S", t1="3C 9D", s=card)
    assert moves_of(place, "s") == [f"s>{pile}" for pile in PILES]
    for pile in PILES:
        assert shown(after(place, f"s>{pile}"), pile).split()[-1] == card


@pytest.mark.parametrize("suit", SUITS)
def test_an_ace_may_go_directly_to_any_empty_foundation(suit: str) -> None:
    """'If the drawn card is an Ace, it may be placed directly onto a foundation pile'."""
    other = "H" if suit == "S" else "S"
    place = lady_betty(f1=f"2{other}", s=f"A{suit}")
    assert moves_of(place, "s") == ["s>f0", "s>f2", "s>f3", *(f"s>{pile}" for pile in PILES)]


@pytest.mark.parametrize("card", ["2S", "5S", "KS"])
def test_every_other_card_passes_through_a_pile(card: str) -> None:
    """'To a foundation it goes directly only if it is an Ace'."""
    below = RANKS[RANKS.index(card[0]) - 1]
    place = lady_betty(f0=f"{below}S", s=card)
    assert "s>f0" not in legal(place)
    assert "t2>f0" in legal(after(place, "s>t2"))


def test_a_piles_top_card_goes_only_to_a_foundation() -> None:
    """'It cannot be moved to another tableau pile or back to the stockpile'."""
    place = lady_betty(f0="4S", t0="5S", t1="6S", t2="5H", s="KD")
    assert [m for m in legal(place) if m.startswith("t")] == ["t0>f0"]
    for move in ("t0>t1", "t0>t3", "t0>s"):
        with pytest.raises(IllegalMoveError):
            after(place, move)


def test_only_the_top_card_of_each_pile_is_available() -> None:
    assert moves_of(lady_betty(f0="4S", t0="5S 9D", s="KD"), "t0") == []
    assert moves_of(lady_betty(f0="4S", t0="9D 5S", s="KD"), "t0") == ["t0>f0"]


@pytest.mark.parametrize(("top", "fits", "others"), [("AS", "2S", "2C 3S 2H"), ("QS", "KS", "")])
def test_foundations_are_built_up_by_suit(top: str, fits: str, others: str) -> None:
    """'Only cards that are one rank higher and of the same suit ... may be placed there'."""
    for card in f"{fits} {others}".split():
        place = lady_betty(f0=top, t0=card, s="JH")
        assert ("t0>f0" in legal(place)) == (card == fits), card


def test_any_ace_may_be_moved_to_any_empty_foundation() -> None:
    place = lady_betty(f0="AH", t3="AS", s="JH")
    assert moves_of(place, "t3") == ["t3>f1", "t3>f2", "t3>f3"]


@pytest.mark.parametrize("card", ["2S", "KS"])
def test_nothing_but_an_ace_starts_a_foundation(card: str) -> None:
    """'Starting with Ace and proceeding in ascending order to King'."""
    assert moves_of(lady_betty(t0=card, s="JH"), "t0") == []


def test_only_the_stock_fills_an_emptied_pile() -> None:
    """'Cannot be filled from other tableau piles or foundations'."""
    emptied = after(lady_betty(f0="4S", t0="5S", t1="JD", s="JH"), "t0>f0")
    assert moves_to(emptied, "t0") == ["s>t0"]


def test_once_the_stock_is_empty_an_empty_pile_stays_empty() -> None:
    """'Once the stockpile is depleted, empty tableau spaces remain empty'."""
    place = lady_betty(f0="4S", t0="5S", t1="JD", rest="t1")
    assert moves_to(place, "t5") == []
    assert legal(place) == ["t0>f0"]


def test_there_is_no_redeal() -> None:
    """'There is no redeal ... play continues only with available tableau and foundation moves'."""
    place = after(dealt(GAME), *["s>t0"] * 52)
    assert sizes(place, "s") == [0]
    assert all(move.startswith("t") for move in legal(place))
