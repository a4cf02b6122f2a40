"""The rules of Deuces, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

import pytest

from engine.board import Board
from engine.cards import RANKS, SUITS, turned_up
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
    moves_to,
    shown,
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


def test_nothing_goes_on_a_three() -> None:
    """'Nothing goes on a Three (its Two is on a foundation)'."""
    for card in [rank + "S" for rank in RANKS if rank != "2"]:
        assert moves_to(deuces(**TOPS | {"t0": "3S", "w": card}), "t0") == []


@pytest.mark.parametrize(("spaces", "most"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, 9)])
def test_a_run_moves_as_far_as_empty_piles_carry_it(spaces: int, most: int) -> None:
    """'With E empty piles (the target not counted), at most 2^E cards onto a pile'."""
    for count in range(1, 10):
        target = f"{'3456789TJQK'[count]}S"
        place = with_spaces(spaces, t0=f"KC {SPADES}", t1=target)
        text = f"t0>t1x{count}" if count > 1 else "t0>t1"
        assert moves_to(place, "t1") == ([text] if count <= most else []), count


def test_there_is_only_one_pass_through_the_stock() -> None:
    """'Only one pass through the stock is permitted; no redeals'."""
    assert legal(after(dealt(GAME), *["s>w"] * 86)).count("w>s") == 0


@pytest.mark.parametrize("given", [{"w": "8C", "rest": "t9"}, {"s": "8C", "rest": "t9"}])
def test_in_fill_a_position_with_an_empty_pile_that_would_be_filled_is_refused(
    given: dict[str, str],
) -> None:
    """'An emptied pile is filled at once'."""
    with pytest.raises(PositionError, match="filled"):
        deuces("fill", t9="KD", **given)
