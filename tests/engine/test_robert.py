"""The rules of Robert, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

import pytest

from engine.board import Board, view_of
from engine.cards import RANKS
from engine.catalog import ruleset
from engine.errors import IllegalMoveError
from engine.moves import is_stuck
from tests.engine.positions import after, board, dealt, easy_board, legal, shown, sizes

GAME = "robert"


def robert(redeals: int = 0, **given: str) -> Board:
    return board(GAME, redeals=redeals, **given)


def test_the_first_card_of_the_deck_goes_to_the_foundation() -> None:
    """'Robert: the first card to the foundation'."""
    start = easy_board(ruleset(GAME))
    assert shown(start, "f0") == "AS"
    assert shown(start, "s").endswith("?3S ?2S")


def test_dealing_turns_the_top_card_of_the_stock_to_the_waste() -> None:
    """'Deal: Turn over the top card of the stock to the waste pile (face up)'."""
    start = easy_board(ruleset(GAME))
    assert legal(start) == ["s>w"]
    assert shown(after(start, "s>w"), "w") == "2S"
    assert shown(after(start, "s>w", "s>w"), "w") == "2S 3S"


@pytest.mark.parametrize("top", range(13))
def test_the_foundation_takes_one_rank_higher_or_lower_around_the_corner(top: int) -> None:
    """'One rank higher or lower ..., regardless of suit'; 'King and Ace adjoin'."""
    takes = {RANKS[(top + step) % 13] for step in (1, -1)}
    for rank in RANKS:
        for suit in "SHDC":
            card = rank + suit
            if card != f"{RANKS[top]}S":
                place = robert(f0=f"{RANKS[top]}S", w=card)
                assert ("w>f0" in legal(place)) == (rank in takes), card


def test_the_stock_does_not_play_to_the_foundation() -> None:
    """Only the waste feeds the foundation: the stock deals 'face up to the waste pile'."""
    with pytest.raises(IllegalMoveError):
        after(easy_board(ruleset(GAME)), "s>f0")


def test_a_redeal_gives_the_same_cards_in_the_same_order_again() -> None:
    """'The waste is turned over whole, so that the cards come in the same order again'."""
    start = dealt(GAME)
    once = after(start, *["s>w"] * 51)
    again = after(once, "w>s")
    assert again.piles == start.piles
    assert after(again, *["s>w"] * 51).piles == once.piles


def test_the_cards_of_a_redeal_are_face_down_again() -> None:
    """'Turn the waste pile over (without shuffling) to form a new stock', which is face down."""
    again = after(robert(f0="7S", w="2D", rest="w"), "w>s")
    assert sizes(again, "w") == [0]
    assert set(view_of(again).piles[again.ruleset.stock]) == {0x7F}


def test_there_are_at_most_two_redeals() -> None:
    """'Only two redeals of the stock are permitted (three passes through the deck in total)'."""
    place = dealt(GAME)
    for redeals in range(2):
        assert place.redeals == redeals
        place = after(place, *["s>w"] * 51, "w>s")
    last = after(place, *["s>w"] * 51)
    assert last.redeals == 2
    assert "w>s" not in legal(last)


def test_the_game_is_won_when_all_52_cards_are_on_the_foundation() -> None:
    place = after(easy_board(ruleset(GAME)), *["s>w", "w>f0"] * 50, "s>w")
    assert not place.won
    won = after(place, "w>f0")
    assert won.won
    assert won.home == 52
    assert not is_stuck(won)
