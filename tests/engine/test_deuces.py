"""The rules of Deuces, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

import pytest

from engine.board import Board
from engine.cards import RANKS, SUITS, parse_card, turned_up
from engine.catalog import ruleset
from engine.deal import lay_out, shuffled
from engine.errors import PositionError
from tests.engine.positions import (
    SEED,
    after,
    board,
    dealt,
    easy_deck,
    legal,
    moves_of,
    moves_to,
    shown,
    sizes,
)

GAME = "deuces"
EVERY_VARIANT = ["standard", "strict", "fill"]
SPADES = "JS TS 9S 8S 7S 6S 5S 4S 3S"
TOPS = {
    f"t{i}": card for i, card in enumerate(["5H", "7H", "9H", "JH", "5D", "7D", "9D", "JD", "5C"])
}
"""Nine piles of one card, none of which fits on another or on a foundation."""


def deuces(variant: str = "standard", **given: str) -> Board:
    return board(GAME, variant, **given)


def with_spaces(spaces: int, variant: str = "standard", **piles: str) -> Board:
    """Return a board with this many empty piles; t0 and t1 are given, the others do not matter."""
    others = dict(list(TOPS.items())[2 : 9 - spaces])
    return deuces(variant, **piles, **others, t9="KD", rest="t9")


def test_the_twos_start_the_foundations() -> None:
    """'The Twos are taken out ..., to foundations f0...f7 as S H D C S H D C'."""
    start = dealt(GAME)
    assert [shown(start, f"f{i}") for i in range(8)] == [f"2{suit}" for suit in SUITS + SUITS]


def test_the_twos_are_taken_out_wherever_they_lie() -> None:
    """'Of the other 96, one card to each pile, then the stock'."""
    rules = ruleset(GAME)
    deck = shuffled(easy_deck(rules), SEED)
    rest = bytes(card for card in deck if card % 13 != 1)
    start = lay_out(rules, deck)
    assert b"".join(start.piles[pile] for pile in rules.tableau) == rest[:10]
    assert turned_up(start.piles[rules.stock]) == rest[:9:-1]


@pytest.mark.parametrize(
    ("top", "fits", "others"),
    [("2S", "3S", "AS 3C 4S"), ("QS", "KS", ""), ("KS", "AS", "AH"), ("4S", "", "3S")],
)
@pytest.mark.parametrize("source", ["t1", "w"])
@pytest.mark.parametrize("variant", EVERY_VARIANT)
def test_foundations_go_up_in_suit(
    top: str, fits: str, others: str, source: str, variant: str
) -> None:
    """'Foundations go up in suit 2 ... King, Ace': 'Ace can be placed on King'."""
    for card in f"{fits} {others}".split():
        place = deuces(variant, f0=top, rest="t0", **TOPS | {"t9": "7C", source: card})
        assert (f"{source}>f0" in legal(place)) == (card == fits), card


def test_a_foundation_ends_with_its_ace() -> None:
    """'Each ending with an Ace on top': nothing goes on it."""
    place = deuces(f0="AS", t0="3S", **{k: v for k, v in TOPS.items() if k != "t0"}, rest="t1")
    assert moves_to(place, "f0") == []
    assert moves_to(place, "f4") == ["t0>f4"]
    assert not any(place.ruleset.homes[0][parse_card("AS")])


def test_a_card_goes_to_any_foundation_that_takes_it() -> None:
    assert {"w>f0", "w>f4"} <= set(legal(deuces(w="3S", **TOPS)))


def test_only_one_card_at_a_time_goes_to_a_foundation() -> None:
    assert moves_to(with_spaces(3, t0="5S 4S 3S", t1="9S"), "f0") == ["t0>f0"]


@pytest.mark.parametrize(
    ("top", "fits", "others"),
    [("7S", "6S", "6C 6H 5S 8S 7S"), ("AS", "KS", "KC"), ("4S", "3S", ""), ("KS", "", "AS")],
)
@pytest.mark.parametrize("source", ["t1", "w"])
@pytest.mark.parametrize("variant", EVERY_VARIANT)
def test_piles_build_down_in_suit(
    top: str, fits: str, others: str, source: str, variant: str
) -> None:
    """'Piles build down in suit; a King goes on an Ace of its suit'."""
    for card in f"{fits} {others}".split():
        place = deuces(variant, rest="t9", **TOPS | {"t9": "7C", "t0": top, source: card})
        assert (f"{source}>t0" in legal(place)) == (card == fits), card


def test_nothing_goes_on_a_three() -> None:
    """'Nothing goes on a Three (its Two is on a foundation)'."""
    for card in [rank + "S" for rank in RANKS if rank != "2"]:
        assert moves_to(deuces(**TOPS | {"t0": "3S", "w": card}), "t0") == []


def test_only_the_top_card_of_each_pile_is_available() -> None:
    assert moves_of(deuces(**TOPS | {"t0": "3S 9C"}, t9="JC"), "t0") == []


@pytest.mark.parametrize(("spaces", "most"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, 9)])
def test_a_run_moves_as_far_as_empty_piles_carry_it(spaces: int, most: int) -> None:
    """'With E empty piles (the target not counted), at most 2^E cards onto a pile'."""
    for count in range(1, 10):
        target = f"{'3456789TJQK'[count]}S"
        place = with_spaces(spaces, t0=f"KC {SPADES}", t1=target)
        text = f"t0>t1x{count}" if count > 1 else "t0>t1"
        assert moves_to(place, "t1") == ([text] if count <= most else []), count


def test_a_run_moves_round_the_corner() -> None:
    """'Both foundations and tableau allow sequences to wrap around'."""
    place = with_spaces(2, t0="AS KS QS", t1="AS")
    assert moves_to(place, "t1") == ["t0>t1x2"]
    assert shown(after(place, "t0>t1x2"), "t1") == "AS KS QS"


@pytest.mark.parametrize("pile", ["5S 3S", "5S 4C", "5S 4H", "3S 4S"])
def test_only_cards_in_suit_sequence_move_together(pile: str) -> None:
    """'Sequences of cards in correct order and suit may be moved together'."""
    assert "t0>t1x2" not in legal(with_spaces(3, t0=pile, t1="6S"))


def test_one_card_at_a_time_moves_onto_an_empty_pile() -> None:
    """'Onto an empty pile, one card at a time'; 'any single card can fill' it."""
    place = with_spaces(3, t0="9S 8S 7S", t1="QC")
    moves = [move for move in legal(place) if move.startswith("t0>")]
    assert moves == ["t0>t6", "t0>t7", "t0>t8"]


@pytest.mark.parametrize("variant", ["standard", "strict"])
def test_any_single_card_fills_an_empty_pile(variant: str) -> None:
    """'Fill empty tableau piles with any single card from the tableau or waste'."""
    place = deuces(variant, t0="9S", t1="QC", w="5D 8H", rest="t1")
    assert [move.split(">")[0] for move in moves_to(place, "t2")] == ["t0", "t1", "w"]


def test_strict_moves_single_cards_only() -> None:
    place = with_spaces(3, "strict", t0="9S 8S 7S", t1="TS")
    assert not [move for move in legal(place) if "x" in move]
    assert moves_to(place, "t1") == []
    assert "t0>t1x3" in legal(with_spaces(3, t0="9S 8S 7S", t1="TS"))
    assert moves_to(with_spaces(3, "strict", t0="9S 8S 7S", t1="8S"), "t1") == ["t0>t1"]


@pytest.mark.parametrize("variant", EVERY_VARIANT)
def test_the_stock_is_dealt_one_card_at_a_time_to_the_waste(variant: str) -> None:
    """'Cards are dealt one at a time face-up to the waste pile', at the player's own choice."""
    place = deuces(variant, **TOPS | {"t0": "3S", "w": "8H"}, t9="KD", s="9S")
    assert moves_of(place, "s") == ["s>w"]
    assert len(legal(place)) > 1
    assert shown(after(place, "s>w"), "w") == "8H 9S"


def test_there_is_only_one_pass_through_the_stock() -> None:
    """'Only one pass through the stock is permitted; no redeals'."""
    assert legal(after(dealt(GAME), *["s>w"] * 86)).count("w>s") == 0


def test_the_top_card_of_the_waste_is_available() -> None:
    """'The top card is available for play onto the tableau or foundations'."""
    place = deuces(**TOPS | {"w": "9S 3H", "t9": "4H"})
    assert moves_of(place, "w") == ["w>f1", "w>f5", "w>t9"]


def test_an_emptied_waste_stays_empty_until_the_next_deal() -> None:
    """'Once empty, the waste remains empty until a new card is dealt from the stock'."""
    place = after(deuces(**TOPS | {"w": "3H"}, t9="KD", s="9S"), "w>f1")
    assert sizes(place, "w") == [0]
    assert shown(after(place, "s>w"), "w") == "9S"


@pytest.mark.parametrize("variant", ["standard", "strict"])
def test_an_emptied_pile_is_not_filled_automatically(variant: str) -> None:
    """'Any single card can fill an empty tableau pile', where the player chooses."""
    place = deuces(variant, **TOPS | {"t0": "3S", "w": "8C"})
    assert shown(after(place, "t0>f0"), "t0") == ""


def filled(**given: str) -> Board:
    place = deuces("fill", **TOPS | {"t0": "3S", "t9": "KD", **given})
    moved = after(place, "t0>f0")
    assert moved.moves == place.moves + 1
    return moved


def test_fill_takes_the_top_card_of_the_waste() -> None:
    """'An emptied pile is filled at once, from the waste ...; it is part of the move'."""
    moved = filled(w="8C 9C", s="QS")
    assert shown(moved, "t0") == "9C"
    assert shown(moved, "w") == "8C"
    assert shown(moved, "s").endswith("?QS")


def test_fill_takes_a_card_of_the_stock_if_the_waste_is_empty() -> None:
    """'Or from the stock if the waste is empty', face up."""
    moved = filled(s="8C QS")
    assert shown(moved, "t0") == "QS"
    assert shown(moved, "s").endswith("?8C")


def test_fill_leaves_a_pile_empty_if_waste_and_stock_are() -> None:
    moved = filled(rest="t9")
    assert shown(moved, "t0") == ""
    assert moves_to(moved, "t0")


def test_fill_is_part_of_a_move_between_piles_too() -> None:
    """'It is part of the move that emptied it', whatever that move was."""
    place = deuces("fill", **TOPS | {"t0": "6S", "t1": "7S", "w": "8C", "t9": "KD"})
    moved = after(place, "t0>t1")
    assert shown(moved, "t1") == "7S 6S"
    assert shown(moved, "t0") == "8C"


def test_fill_leaves_a_pile_that_still_has_cards() -> None:
    assert shown(filled(t0="9C 3S", w="8C"), "t0") == "9C"


@pytest.mark.parametrize("given", [{"w": "8C", "rest": "t9"}, {"s": "8C", "rest": "t9"}])
def test_in_fill_a_position_with_an_empty_pile_that_would_be_filled_is_refused(
    given: dict[str, str],
) -> None:
    """'An emptied pile is filled at once'."""
    with pytest.raises(PositionError, match="filled"):
        deuces("fill", t9="KD", **given)
